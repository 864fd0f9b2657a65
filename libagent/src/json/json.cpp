#include "json/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace eyehand::agent {
namespace {

void write(const json::value& value, std::string& text) {
    if (const json::object* object = value.if_object()) {
        char separator = '{';
        for (const auto& [name, member] : *object) {
            text += separator;
            text += json::serialize(json::string(to_valid_utf8(name)));
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
        text += std::isfinite(*number) ? fmt::format("{}", *number)
                                       : "null"; // JSON cannot represent the others
    } else {
        text += json::serialize(value);
    }
}

} // namespace

std::string to_text(const json::value& value) {
    std::string text;
    write(value, text);
    return text;
}

std::optional<json::value> parse_json(std::string_view text, std::string* problem) {
    // Tool arguments and profiles are shallow; deep nesting is an attack or a confused model.
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
