#include "json.hpp"

#include "utf8.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

/// Boost.JSON reads 1e999 as infinity, and prints infinity as text that it cannot read.
void make_finite(boost::json::value& value) {
    if (double* const number = value.if_double()) {
        if (!std::isfinite(*number))
            *number = std::copysign(std::numeric_limits<double>::max(), *number);
    } else if (boost::json::object* const object = value.if_object()) {
        for (auto& [name, member] : *object) make_finite(member);
    } else if (boost::json::array* const array = value.if_array()) {
        for (boost::json::value& element : *array) make_finite(element);
    }
}

boost::json::value parse(std::string_view text, boost::system::error_code& error,
                         boost::json::parse_options options) {
    options.max_depth = max_json_depth;
    boost::json::value value = boost::json::parse(text, error, {}, options);
    make_finite(value);
    return value;
}

} // namespace

boost::json::value parse_json(std::string_view text, boost::system::error_code& error) {
    return parse(text, error, {});
}

std::optional<boost::json::value> parse_json(std::string_view text) {
    boost::system::error_code error;
    boost::json::value value = parse_json(text, error);
    if (error) return std::nullopt;
    return value;
}

std::optional<boost::json::value> parse_json_fragment(std::string_view text) {
    if (std::optional<boost::json::value> value = parse_json(text)) return value;
    boost::json::parse_options options;
    options.allow_invalid_utf8 = true;
    boost::system::error_code error;
    boost::json::value value = parse(bytes_for_lone_surrogates(text), error, options);
    if (error) return std::nullopt;
    return value;
}

const boost::json::value* member(const boost::json::object& object, std::string_view name) {
    const boost::json::value* value = object.if_contains(name);
    return value && !value->is_null() ? value : nullptr;
}

std::string_view string_member(const boost::json::object& object, std::string_view name) {
    const boost::json::value* value = member(object, name);
    if (!value || !value->is_string()) return {};
    return value->get_string();
}

std::optional<std::int64_t> integer_member(const boost::json::object& object,
                                           std::string_view name) {
    const boost::json::value* value = member(object, name);
    if (!value || !value->is_number()) return std::nullopt;
    boost::system::error_code error;
    const auto number = value->to_number<std::int64_t>(error);
    if (error) return std::nullopt;
    return number;
}

const boost::json::object* object_member(const boost::json::object& object, std::string_view name) {
    const boost::json::value* value = member(object, name);
    return value ? value->if_object() : nullptr;
}

} // namespace eyehand::vlm::wire
