// JPEG, for pictures that would make a report too large as PNG.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <vector>

namespace eyehand::session {

/// `image` as a baseline JPEG file (ITU-T T.81, in a JFIF frame), its colours at half the resolution.
/// `quality` is 1 to 100, as libjpeg counts. The alpha is not heeded. Throws std::invalid_argument for an
/// empty image, one with a side of more than 65535 pixels, or another quality.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const winio::ImageView& image, int quality);

} // namespace eyehand::session
