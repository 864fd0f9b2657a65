// JPEG encoding, for images that are too large for a report as PNG.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <vector>

namespace eyehand::session {

/// Encodes `image` as a baseline JPEG file (ITU-T T.81, in a JFIF frame) with stb_image_write.
/// `quality` is 1 to 100, on libjpeg's scale; up to 90, colors have half the resolution. Alpha is
/// ignored. Throws std::invalid_argument for an empty image, a side of more than 65535 pixels, or
/// another quality.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const winio::ImageView& image, int quality);

} // namespace eyehand::session
