// The calibration of a run's model for the page.
#pragma once

#include "eyehand/agent/profile.hpp"
#include "json/json.hpp"

#include <string_view>

namespace eyehand::page {

/// From the text of calibration.json (session/calibration.hpp) and the profile of the run; null if the
/// text is not an object. The file may come from another user: members of another type are null or
/// missing, and lists and texts are limited.
///
///     {"text": "norm1000: 0 to 1000", "convention", "grounds", "residual", "uncorrected_residual",
///      "rates": [{"size", "hits", "total", "low", "high"}], "small": {the same}, "early", "late":
///      {"in_convention", "total"}, "time": seconds since 1970, "version", "warnings": [texts],
///      "alternatives": [texts], "used": {"convention", "correction": null or {"scale_x", ...}}}
[[nodiscard]] boost::json::value calibration_json(std::string_view text,
                                                  const agent::Profile& profile);

} // namespace eyehand::page
