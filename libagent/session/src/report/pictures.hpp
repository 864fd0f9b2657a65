// The pictures of a report, so small that it stays within its bounds.
#pragma once

#include "eyehand/winio/geometry.hpp"
#include "report/report_json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eyehand::session {

/// A picture as images that are laid over one another.
struct LaidPicture {
    struct Layer {
        std::size_t image = 0; ///< its place in PictureSet::images
        winio::Rect at{};      ///< in the picture; the image is stretched to it
    };
    winio::Size size{};
    std::vector<Layer> layers{};
    bool reduced = false;  ///< it is not pixel for pixel what the model saw
    std::string problem{}; ///< why there is none, or no more of it
};

struct PictureSet {
    std::vector<std::string> images;   ///< data: URLs
    std::vector<LaidPicture> pictures; ///< as they were given
};

/// Reads the files, which must lie within the run directory. As long as all fit into `budget` bytes (of
/// their data: URLs), they are as they are. Else a picture is the one before and what has changed; then the
/// largest images become JPEGs of as little quality and size as it takes. The budget always holds.
[[nodiscard]] PictureSet fit_pictures(const std::filesystem::path& run_directory,
                                      const std::vector<ReportPicture>& pictures,
                                      std::size_t budget);

} // namespace eyehand::session
