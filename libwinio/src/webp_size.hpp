// The size of a WebP image, without libwebp: reports show files that this build cannot decode.
#pragma once

#include "eyehand/winio/geometry.hpp"
#include "image_limits.hpp"

#include <cstdint>
#include <span>

namespace eyehand::winio {

/// The size in the header of a file that begins with "RIFF" and "WEBP". Throws Error{decode_failed} for a
/// damaged header, an animation, and a size beyond the limits. The pixels are not checked.
[[nodiscard]] Size webp_size(std::span<const std::uint8_t> file, const ImageLimits& limits);

} // namespace eyehand::winio
