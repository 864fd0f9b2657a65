// Device-independent bitmaps: the format of images in memory on Windows (CF_DIB on the clipboard).
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eyehand::winio {

/// The image of a DIB, opaque. A DIB is a BITMAPINFOHEADER or one of its successors, masks or a
/// palette, and the rows of pixels. Reads palettes of 1, 4 and 8 bits per pixel, 16, 24 and 32
/// bits, BI_RGB and BI_BITFIELDS, bottom-up and top-down. Empty for other formats, and if `bytes`
/// does not match its header (it comes from other programs). Ignores extra bytes. `pixels_at` is
/// the offset of the pixels in `bytes`, if known; otherwise they follow the header and the palette.
[[nodiscard]] std::optional<Image> decode_dib(std::span<const std::uint8_t> bytes,
                                              std::optional<std::size_t> pixels_at = std::nullopt);

/// The DIB that most programs expect: 32 bits per pixel, BI_RGB, bottom-up. Writes the reserved
/// byte of each pixel as opaque, because some programs read it as alpha. Throws
/// std::invalid_argument for an image that is empty or too large for the format (4 GB).
[[nodiscard]] std::vector<std::uint8_t> encode_dib(const ImageView& image);

} // namespace eyehand::winio
