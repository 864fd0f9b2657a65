#include "annotation/annotation_json.hpp"

#include <vector>

namespace eyehand::agent {
namespace {

json::array stops_json(const std::vector<winio::GradientStop>& stops) {
    json::array all;
    for (const winio::GradientStop& stop : stops)
        all.emplace_back(json::array{stop.at, winio::to_string(stop.colour)});
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

} // namespace eyehand::agent
