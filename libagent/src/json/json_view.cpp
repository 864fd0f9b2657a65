#include "base/text.hpp"
#include "json/json.hpp"

namespace eyehand::agent {
namespace {

const json::value& value_of(const void* value) { return *static_cast<const json::value*>(value); }

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

std::string json_quote(std::string_view text) { return to_text(json::string(to_valid_utf8(text))); }

std::string json_number(double value) { return to_text(value); }

} // namespace eyehand::agent
