// A run as the page's scripts read it, live from the panel and frozen in a report.
#pragma once

#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_view.hpp"
#include "json/json.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace eyehand::page {

namespace json = boost::json;

/// What the JSON of one turn or screenshot holds at most; the files of the run have everything.
struct JsonLimits {
    std::size_t text_bytes = (std::numeric_limits<std::size_t>::max)(); ///< of each text
    std::size_t name_bytes = 1024;                                      ///< of tools and ids
    std::size_t points = 100;                                           ///< of a call
    std::size_t texts = 100;     ///< notes of a reply, remarks on a resumed run
    std::size_t changes = 2'000; ///< of a screenshot, regions
};

[[nodiscard]] json::array points_json(const std::vector<winio::NormPoint>& points,
                                      const JsonLimits& limits = {});

/// Whether something is drawn on the screenshot: then it has a picture without that, too. One that waits
/// for its annotation has only the other.
[[nodiscard]] bool is_annotated(const agent::ScreenshotView& picture);

/// A screenshot without the address of its file, which depends on who serves it:
/// {"turn", "n", "width", "height", "annotation", "changed", "area", "pointer", "settle_ms", ...}
[[nodiscard]] json::object to_json(const agent::ScreenshotView& picture,
                                   const JsonLimits& limits = {});

/// A turn: {"turn", "t", "role", "phase", "requests", "items", "left_out", "seen_by_model", "seen",
/// "after"}. `picture_json` writes the two screenshots.
using PictureJson = std::function<json::value(const agent::ScreenshotView&)>;
[[nodiscard]] json::object to_json(const agent::TurnView& turn, const PictureJson& picture_json,
                                   const JsonLimits& limits = {});

/// What is known of the whole run, without its turns and screenshots.
[[nodiscard]] json::object to_json(const agent::RunView& run);

/// Constants of a run: {"ui", "font", "max_turns", "phases"}.
[[nodiscard]] json::object config_json(const agent::Profile& profile);
/// The same with "settings", and "version" of the library that ran it.
[[nodiscard]] json::object config_json(const agent::StoredRun& run);

} // namespace eyehand::page
