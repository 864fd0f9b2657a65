#include "tools/positions.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace eyehand::agent {
namespace {

using Problem = std::optional<ArgumentProblem>;

constexpr std::string_view any_format = "eyehand-"; // the beginning of all
constexpr const char* format_member = "format";

std::string_view text_at(const json::object& object, const char* name) {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return {};
    return {value->as_string().data(), value->as_string().size()};
}

json::value number_json(double number) {
    if (const auto whole = static_cast<std::int64_t>(number); static_cast<double>(whole) == number)
        return whole;
    return number;
}

void put_range(json::object& schema, double max) {
    if (json::value* limit = schema.if_contains("maximum")) *limit = number_json(max);
}

/// Fractions are not integers.
void allow_fractions(json::object& schema) {
    if (text_at(schema, "type") == "integer") schema["type"] = "number";
    if (json::value* items = schema.if_contains("items"); items != nullptr && items->is_object())
        allow_fractions(items->as_object());
}

/// Removes the formats of positions and sets the ranges, at any depth.
void adapt(json::value& value, const CoordinateConverter* numbers) {
    if (json::array* all = value.if_array())
        for (json::value& one : *all) adapt(one, numbers);
    json::object* object = value.if_object();
    if (object == nullptr) return;
    const std::string_view format = text_at(*object, format_member);
    if (format.starts_with(any_format)) {
        if (numbers != nullptr && format == position_format::x)
            put_range(*object, numbers->max_point().x);
        if (numbers != nullptr && format == position_format::y)
            put_range(*object, numbers->max_point().y);
        if (numbers != nullptr && numbers->decimals() > 0) allow_fractions(*object);
        object->erase(format_member);
    }
    for (auto& member : *object) adapt(member.value(), numbers);
}

Problem not_a_position(const json::value& value, const CoordinateConverter& numbers) {
    return ArgumentProblem{
        false, numbers.filled_in("it must be {{point}} or {{box}} with numbers {{range}}, not ") +
                   shorten(to_text(value), 60)};
}

Problem convert_list(json::value& value, const CoordinateConverter& numbers) {
    const auto list = coordinates_in(JsonDocument::view_of(value));
    if (list && list->size() == 2) {
        const winio::NormPoint at = numbers.to_norm(std::array{(*list)[0], (*list)[1]});
        value = json::array{at.x, at.y};
        return std::nullopt;
    }
    if (list && list->size() == 4) {
        const winio::NormBox box =
            numbers.to_norm(std::array{(*list)[0], (*list)[1], (*list)[2], (*list)[3]});
        value = json::array{box.x1, box.y1, box.x2, box.y2};
        return std::nullopt;
    }
    return not_a_position(value, numbers);
}

void convert_axis(json::value& value, std::string_view format, const CoordinateConverter& numbers) {
    const auto number = number_in(JsonDocument::view_of(value));
    if (!number) return; // the tool's own check describes it
    value = format == position_format::x ? numbers.to_norm(ModelPoint{*number, 0}).x
                                         : numbers.to_norm(ModelPoint{0, *number}).y;
}

Problem convert_members(json::object& object, const json::object& schema,
                        const CoordinateConverter& numbers) {
    const json::value* properties = schema.if_contains("properties");
    const json::value* others = schema.if_contains("additionalProperties");
    for (auto& member : object) {
        const json::value* of_member = properties != nullptr && properties->is_object()
                                           ? properties->as_object().if_contains(member.key())
                                           : nullptr;
        if (of_member == nullptr) of_member = others;
        if (of_member == nullptr) continue;
        if (auto problem = convert_positions(member.value(), *of_member, numbers))
            return std::move(*problem).in_member(member.key());
    }
    return std::nullopt;
}

} // namespace

std::string offered_schema(const std::string& schema, const CoordinateConverter* numbers) {
    if (schema.find(any_format) == std::string::npos) return schema;
    auto parsed = parse_json(schema);
    if (!parsed) return schema;
    adapt(*parsed, numbers);
    return to_text(*parsed);
}

Problem convert_positions(json::value& value, const json::value& schema,
                          const CoordinateConverter& numbers) {
    const json::object* object = schema.if_object();
    if (object == nullptr || value.is_null()) return std::nullopt;
    const std::string_view format = text_at(*object, format_member);
    if (format == position_format::point || format == position_format::box)
        return convert_list(value, numbers);
    if (format == position_format::x || format == position_format::y) {
        convert_axis(value, format, numbers);
        return std::nullopt;
    }
    if (json::object* members = value.if_object())
        return convert_members(*members, *object, numbers);
    json::array* elements = value.if_array();
    const json::value* items = object->if_contains("items");
    if (elements == nullptr || items == nullptr) return std::nullopt;
    for (std::size_t i = 0; i < elements->size(); ++i)
        if (auto problem = convert_positions((*elements)[i], *items, numbers))
            return std::move(*problem).in_element(i);
    return std::nullopt;
}

} // namespace eyehand::agent
