// Annotations and their settings as JSON, for profiles and for the page that draws them.
#pragma once

#include "eyehand/agent/annotation.hpp"
#include "json/json.hpp"

#include <optional>
#include <vector>

namespace eyehand::agent {

/// {"enabled", "radius_scale", "stops": [[place, "rgba(...)"]], "trail_turns", "trail_shrink"}
[[nodiscard]] json::object to_json(const ExecutedHeat& heat);
/// {"enabled", "border", "border_width", "fill_stops"}
[[nodiscard]] json::object to_json(const BboxHeat& heat);

/// [[place, "rgba(...)"], ...]
[[nodiscard]] json::array stops_json(const std::vector<winio::GradientStop>& stops);
/// The inverse; nothing if the value has another form, more than 64 stops, a place
/// outside 0..1 or an unknown color.
[[nodiscard]] std::optional<std::vector<winio::GradientStop>> stops_of(const json::value& value);

/// [{"x1", "y1", "x2", "y2"}, ...]
[[nodiscard]] json::array boxes_json(const std::vector<winio::NormBox>& boxes);
/// {"boxes": [...], "trail": [[{"number": 1, "at": [x, y], "to": [x, y]}, ...], ...]}
[[nodiscard]] json::object to_json(const Annotation& annotation);

} // namespace eyehand::agent
