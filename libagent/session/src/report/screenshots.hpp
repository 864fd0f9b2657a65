// The screenshots of a report, reduced to its size limit.
#pragma once

#include "eyehand/winio/geometry.hpp"
#include "report/report_json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eyehand::session {

/// A screenshot, composed of layers.
struct ComposedScreenshot {
    struct Layer {
        std::size_t image = 0; ///< index in ScreenshotSet::images
        winio::Rect at{};      ///< in the screenshot; the image is scaled to it
    };
    winio::Size size{};
    std::vector<Layer> layers{};
    bool reduced = false;  ///< not pixel-exact
    std::string problem{}; ///< why the screenshot is missing or incomplete
};

struct ScreenshotSet {
    std::vector<std::string> images;             ///< data: URLs
    std::vector<ComposedScreenshot> screenshots; ///< in the order of the argument
};

/// Reads the files, which must be inside the run directory. If all fit into `budget` bytes (of
/// their data: URLs), they are unchanged. Otherwise, screenshots are stored as the difference from
/// the previous one; if that is not enough, the largest images become JPEGs of reduced quality and
/// size. The result never exceeds the budget.
[[nodiscard]] ScreenshotSet fit_screenshots(const std::filesystem::path& run_directory,
                                            const std::vector<ScreenshotFile>& screenshots,
                                            std::size_t budget);

} // namespace eyehand::session
