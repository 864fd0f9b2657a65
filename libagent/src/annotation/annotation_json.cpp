#include "annotation/annotation_json.hpp"

#include <utility>
#include <vector>

namespace eyehand::agent {
json::array stops_json(const std::vector<winio::GradientStop>& stops) {
    json::array all;
    for (const winio::GradientStop& stop : stops)
        all.emplace_back(json::array{stop.at, winio::to_string(stop.color)});
    return all;
}

namespace {

constexpr std::size_t max_stops = 64;

} // namespace

std::optional<std::vector<winio::GradientStop>> stops_of(const json::value& value) {
    if (!value.is_array() || value.as_array().size() > max_stops) return std::nullopt;
    std::vector<winio::GradientStop> stops;
    for (const json::value& element : value.as_array()) {
        const json::array* pair = element.if_array();
        if (pair == nullptr || pair->size() != 2 || !pair->at(0).is_number() ||
            !pair->at(1).is_string())
            return std::nullopt;
        const json::string& text = pair->at(1).as_string();
        const auto color = winio::parse_rgba({text.data(), text.size()});
        const double at = pair->at(0).to_number<double>();
        if (!color || !(at >= 0 && at <= 1)) return std::nullopt;
        stops.push_back({at, *color});
    }
    return stops;
}

json::object to_json(const ExecutedHeat& heat) {
    return {{"enabled", heat.enabled},
            {"radius_scale", heat.radius_scale},
            {"stops", stops_json(heat.stops)},
            {"trail_turns", heat.trail_turns},
            {"trail_shrink", heat.trail_shrink}};
}

json::object to_json(const BboxHeat& heat) {
    return {{"enabled", heat.enabled},
            {"border", winio::to_string(heat.border)},
            {"border_width", heat.border_width},
            {"fill_stops", stops_json(heat.fill_stops)}};
}

json::array boxes_json(const std::vector<winio::NormBox>& boxes) {
    json::array all;
    for (const winio::NormBox& box : boxes)
        all.emplace_back(
            json::object{{"x1", box.x1}, {"y1", box.y1}, {"x2", box.x2}, {"y2", box.y2}});
    return all;
}

json::object to_json(const Annotation& annotation) {
    const auto point = [](const winio::NormPoint& at) { return json::array{at.x, at.y}; };
    json::array trail;
    for (const std::vector<Mark>& turn : annotation.trail) {
        json::array marks;
        for (const Mark& mark : turn) {
            json::object one{{"number", mark.number}, {"at", point(mark.at)}};
            if (mark.to) one["to"] = point(*mark.to);
            marks.emplace_back(std::move(one));
        }
        trail.emplace_back(std::move(marks));
    }
    return {{"boxes", boxes_json(annotation.boxes)}, {"trail", std::move(trail)}};
}

} // namespace eyehand::agent
