#include "calibration_json.hpp"

#include "base/text.hpp"

#include <cmath>
#include <cstddef>
#include <initializer_list>

namespace eyehand::page {
namespace {

namespace json = boost::json;

constexpr std::size_t max_elements = 100; // of a list
constexpr std::size_t max_text_bytes = 2'000;

/// Null for other types, and for an absent member.
json::value number(const json::object& from, std::string_view name) {
    const json::value* value = from.if_contains(name);
    if (value == nullptr || !value->is_number()) return nullptr;
    return std::isfinite(value->to_number<double>()) ? *value : json::value();
}

json::value text(const json::value& value) {
    if (!value.is_string()) return nullptr;
    const json::string& whole = value.as_string();
    return json::value(
        agent::to_valid_utf8(agent::cut_bytes({whole.data(), whole.size()}, max_text_bytes, true)));
}

json::value text(const json::object& from, std::string_view name) {
    const json::value* value = from.if_contains(name);
    return value == nullptr ? json::value() : text(*value);
}

json::array texts(const json::object& from, std::string_view name) {
    json::array all;
    const json::value* value = from.if_contains(name);
    if (value == nullptr || !value->is_array()) return all;
    for (const json::value& one : value->as_array())
        if (one.is_string() && all.size() < max_elements) all.emplace_back(text(one));
    return all;
}

json::object numbers(const json::object& from, std::initializer_list<std::string_view> names) {
    json::object all;
    for (const std::string_view name : names) all[name] = number(from, name);
    return all;
}

json::object object(const json::object& from, std::string_view name) {
    const json::value* value = from.if_contains(name);
    return value != nullptr && value->is_object() ? value->as_object() : json::object();
}

json::object rate(const json::object& from) {
    return numbers(from, {"size", "hits", "total", "low", "high"});
}

json::array rates(const json::object& from) {
    json::array all;
    const json::value* value = from.if_contains("hit_rates");
    if (value == nullptr || !value->is_array()) return all;
    for (const json::value& one : value->as_array())
        if (one.is_object() && all.size() < max_elements) all.emplace_back(rate(one.as_object()));
    return all;
}

json::object used_by(const agent::Profile& profile) {
    const auto convention = profile.coordinates.value_or(agent::CoordinateConvention::norm1000);
    json::object used{{"convention", json::string(to_string(convention))}, {"correction", nullptr}};
    if (const auto& by = profile.correction)
        used["correction"] = json::object{{"scale_x", by->scale_x},
                                          {"offset_x", by->offset_x},
                                          {"scale_y", by->scale_y},
                                          {"offset_y", by->offset_y}};
    return used;
}

} // namespace

json::value calibration_json(std::string_view file, const agent::Profile& profile) {
    const auto parsed = agent::parse_json(file);
    if (!parsed || !parsed->is_object()) return nullptr;
    const json::object& all = parsed->as_object();
    // The file of a run that has continued with another model is that of the first one.
    const json::value model = text(all, "model");
    if (!profile.model.empty() && model.is_string() &&
        std::string_view(model.as_string()) != profile.model)
        return nullptr;
    const json::object positions = object(all, "positions");
    const json::value* grounds = positions.if_contains("grounds");
    return json::object{
        {"model", model},
        {"text", text(positions, "text")},
        {"convention", text(positions, "convention")},
        {"grounds", grounds != nullptr && grounds->is_bool() && grounds->as_bool()},
        {"residual", number(positions, "residual")},
        {"uncorrected_residual", number(positions, "uncorrected_residual")},
        {"rates", rates(all)},
        {"small", rate(object(all, "small_targets"))},
        {"early", numbers(object(all, "early"), {"in_convention", "total"})},
        {"late", numbers(object(all, "late"), {"in_convention", "total"})},
        {"time", number(all, "time")},
        {"version", text(all, "version")},
        {"warnings", texts(all, "warnings")},
        {"alternatives", texts(all, "alternatives")},
        {"used", used_by(profile)},
    };
}

} // namespace eyehand::page
