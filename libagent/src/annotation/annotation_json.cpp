#include "annotation/annotation_json.hpp"

#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

json::array stops_json(const std::vector<winio::GradientStop>& stops) {
    json::array all;
    for (const winio::GradientStop& stop : stops)
        all.emplace_back(json::array{stop.at, winio::to_string(stop.color)});
    return all;
}

} // namespace

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
