// Validates an annotated screenshot that a page posts: the model receives only a PNG of the
// requested size.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::panel {

struct PostedScreenshot {
    std::vector<std::uint8_t> png{};
    std::string problem{}; ///< why the image is refused; empty if it is accepted
};

/// Decodes a PNG file from base64 or a data URL. Verifies that it is complete and has exactly the
/// size `wanted`; returns the bytes unchanged.
[[nodiscard]] PostedScreenshot read_posted_screenshot(std::string_view base64, winio::Size wanted);

} // namespace eyehand::panel
