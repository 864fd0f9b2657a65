// WebP files, with libwebp. Builds without libwebp (EYEHAND_WEBP=OFF) do not have these functions.
#pragma once

#include "eyehand/winio/image.hpp"
#include "eyehand/winio/image_file.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace eyehand::winio {

/// As `encode_image`, whose checks have been made.
[[nodiscard]] std::vector<std::uint8_t> encode_webp(const ImageView& image,
                                                    const WebpOptions& options);
/// As `decode_image`.
[[nodiscard]] Image decode_webp(std::span<const std::uint8_t> file, const ImageLimits& limits);

} // namespace eyehand::winio
