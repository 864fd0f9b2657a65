// JPEG files, with stb_image and stb_image_write.
#pragma once

#include "eyehand/winio/image.hpp"
#include "eyehand/winio/image_file.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace eyehand::winio {

/// As `encode_image`, whose checks have been made.
[[nodiscard]] std::vector<std::uint8_t> encode_jpeg(const ImageView& image,
                                                    const JpegOptions& options);
/// As `decode_image`.
[[nodiscard]] Image decode_jpeg(std::span<const std::uint8_t> file, const ImageLimits& limits);
/// As `image_file_size`.
[[nodiscard]] Size jpeg_size(std::span<const std::uint8_t> file, const ImageLimits& limits);

} // namespace eyehand::winio
