// JPEG, for pictures that would make a report too large as PNG.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <vector>

namespace eyehand::session {

/// `image` as a baseline JPEG file (ITU-T T.81, in a JFIF frame), encoded by stb_image_write; up to
/// quality 90 with colors at half the resolution. `quality` is 1 to 100, as libjpeg counts. Alpha is
/// ignored. Throws std::invalid_argument for an empty image, one with a side of more than 65535 pixels,
/// or another quality.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const winio::ImageView& image, int quality);

} // namespace eyehand::session
