#include "json.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace eyehand::agent {
namespace {

const json::value& value_of(const void* value) { return *static_cast<const json::value*>(value); }

void write(const json::value& value, std::string& text) {
    if (const json::object* object = value.if_object()) {
        char separator = '{';
        for (const auto& [name, member] : *object) {
            text += separator;
            text += json_quote(name);
            text += ':';
            write(member, text);
            separator = ',';
        }
        text += object->empty() ? "{}" : "}";
    } else if (const json::array* array = value.if_array()) {
        char separator = '[';
        for (const json::value& element : *array) {
            text += separator;
            write(element, text);
            separator = ',';
        }
        text += array->empty() ? "[]" : "]";
    } else if (const double* number = value.if_double()) {
        text += json_number(*number);
    } else {
        text += json::serialize(value);
    }
}

} // namespace

JsonView::Kind JsonView::kind() const {
    switch (value_of(value_).kind()) {
    case json::kind::null:
        return Kind::null;
    case json::kind::bool_:
        return Kind::boolean;
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
        return Kind::number;
    case json::kind::string:
        return Kind::string;
    case json::kind::array:
        return Kind::array;
    case json::kind::object:
        return Kind::object;
    }
    return Kind::null;
}

bool JsonView::boolean() const { return value_of(value_).as_bool(); }

double JsonView::number() const { return value_of(value_).to_number<double>(); }

std::string_view JsonView::string() const {
    const json::string& text = value_of(value_).as_string();
    return {text.data(), text.size()};
}

std::size_t JsonView::size() const { return value_of(value_).as_array().size(); }

JsonView JsonView::at(std::size_t index) const {
    return JsonView(&value_of(value_).as_array().at(index));
}

std::optional<JsonView> JsonView::find(std::string_view member) const {
    const json::value* found = value_of(value_).as_object().if_contains(member);
    if (found == nullptr) return std::nullopt;
    return JsonView(found);
}

std::string JsonView::text() const { return to_text(value_of(value_)); }

std::string json_quote(std::string_view text) {
    return json::serialize(json::string(to_valid_utf8(text)));
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null"; // JSON has no word for it
    return fmt::format("{}", value);
}

std::string to_text(const json::value& value) {
    std::string text;
    write(value, text);
    return text;
}

std::optional<json::value> parse_json(std::string_view text, std::string* problem) {
    // Tool arguments and profiles are shallow; a deep nest is an attack or a model gone astray.
    json::parse_options options;
    options.max_depth = 64;
    json::error_code error;
    json::parser parser({}, options);
    const std::size_t read = parser.write(text.data(), text.size(), error);
    if (error) {
        if (problem != nullptr) {
            *problem = fmt::format("{} at byte {}", error.message(), read);
        }
        return std::nullopt;
    }
    return parser.release();
}

} // namespace eyehand::agent
