// BMP files, which X11 programs exchange: a DIB after a header of 14 bytes.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eyehand::winio {

/// The image in a BMP file of another program; reads the formats that `decode_dib` reads.
[[nodiscard]] std::optional<Image> decode_bmp(std::span<const std::uint8_t> file);
/// `image` as `encode_dib` writes it, with a file header. Throws std::invalid_argument for an image
/// that is empty or too large for the format.
[[nodiscard]] std::vector<std::uint8_t> encode_bmp(const ImageView& image);

} // namespace eyehand::winio
