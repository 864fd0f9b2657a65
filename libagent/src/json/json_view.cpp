#include "base/text.hpp"
#include "json/json.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace eyehand::agent {
namespace {

const json::value& value_of(const void* value) { return *static_cast<const json::value*>(value); }

/// The number as an Integer if that needs no rounding.
template <class Integer>
std::optional<Integer> exactly(const json::value& number) {
    if (const std::int64_t* whole = number.if_int64()) {
        if (std::in_range<Integer>(*whole)) return static_cast<Integer>(*whole);
        return std::nullopt;
    }
    if (const std::uint64_t* whole = number.if_uint64()) {
        if (std::in_range<Integer>(*whole)) return static_cast<Integer>(*whole);
        return std::nullopt;
    }
    // Boost.JSON also reads integers outside of both ranges as doubles, and -0x1p63 may be a
    // rounded smaller integer. No comparison is true for NaN.
    constexpr double below = std::is_signed_v<Integer> ? -0x1p63 : -1;
    constexpr double above = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    const double value = number.as_double();
    if (value > below && value < above && std::trunc(value) == value)
        return static_cast<Integer>(value);
    return std::nullopt;
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

std::optional<std::int64_t> JsonView::integer() const {
    return exactly<std::int64_t>(value_of(value_));
}

std::optional<std::uint64_t> JsonView::unsigned_integer() const {
    return exactly<std::uint64_t>(value_of(value_));
}

std::string_view JsonView::string() const {
    const json::string& text = value_of(value_).as_string();
    return {text.data(), text.size()};
}

std::size_t JsonView::size() const {
    const json::value& value = value_of(value_);
    return value.is_object() ? value.get_object().size() : value.as_array().size();
}

JsonView JsonView::at(std::size_t index) const {
    return JsonView(&value_of(value_).as_array().at(index));
}

JsonMember JsonView::member(std::size_t index) const {
    const json::object& object = value_of(value_).as_object();
    if (index >= object.size()) throw std::out_of_range("a JSON object has no such member");
    const auto& found = object.begin()[static_cast<std::ptrdiff_t>(index)];
    return {{found.key().data(), found.key().size()}, JsonView(&found.value())};
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
