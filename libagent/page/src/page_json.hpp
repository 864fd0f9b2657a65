// A run as JSON for the scripts of the page, for the panel and for reports.
#pragma once

#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_view.hpp"
#include "json/json.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::page {

namespace json = boost::json;

/// Limits for the JSON of one turn or screenshot; the files of the run contain everything.
struct JsonLimits {
    std::size_t text_bytes = (std::numeric_limits<std::size_t>::max)(); ///< per text
    std::size_t name_bytes = 1024; ///< per name of a tool or id
    std::size_t points = 100;      ///< per call
    std::size_t texts = 100;       ///< notes per reply, remarks per resumption
    std::size_t changes = 2'000;   ///< changed regions per screenshot
};

[[nodiscard]] json::array points_json(const std::vector<winio::NormPoint>& points,
                                      const JsonLimits& limits = {});

/// Whether the screenshot is annotated, and therefore also exists without annotation. A screenshot
/// that waits for its annotation exists only without it.
[[nodiscard]] bool is_annotated(const agent::ScreenshotView& screenshot);

/// A screenshot without the address of its file, which depends on panel or report:
/// {"turn", "n", "width", "height", "annotation", "changed", "area", "redacted", "pointer", "settle_ms", ...}; "part", [left, top, right, bottom] in 0 to 1000 of the work
/// area, if it shows only a part of it
[[nodiscard]] json::object to_json(const agent::ScreenshotView& screenshot,
                                   const JsonLimits& limits = {});

/// A turn: {"turn", "t", "role", "phase", "requests", "items", "left_out", "seen_by_model", "seen",
/// "after"}. `screenshot_json` writes the two screenshots.
using ScreenshotJson = std::function<json::value(const agent::ScreenshotView&)>;
[[nodiscard]] json::object to_json(const agent::TurnView& turn,
                                   const ScreenshotJson& screenshot_json,
                                   const JsonLimits& limits = {});

/// The whole run, without its turns and screenshots.
[[nodiscard]] json::object to_json(const agent::RunView& run);

/// Constants of a run: {"ui", "font", "max_turns", "phases"}.
[[nodiscard]] json::object config_json(const agent::Profile& profile);
/// The same with "settings", the "version" of the library that executed the run, and the "calibration"
/// of its model, from the text of calibration.json (`calibration_json`); null if the run has none.
[[nodiscard]] json::object config_json(const agent::StoredRun& run,
                                       const std::optional<std::string>& calibration);

} // namespace eyehand::page
