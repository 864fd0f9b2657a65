// Device-independent bitmaps: how Windows has images in memory (CF_DIB on the clipboard).
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eyehand::winio {

/// The image of a DIB: a BITMAPINFOHEADER or one of its successors, what follows it and the rows of
/// pixels; opaque. Palettes of 1, 4 and 8 bits a pixel, 16, 24 and 32 bits, BI_RGB and
/// BI_BITFIELDS, bottom-up and top-down. Nothing for other kinds and for bytes that do not hold
/// what the header promises: they come from other programs. More bytes than needed are left alone.
/// `pixels_at`: where in `bytes` the pixels begin, for those who are told; else right behind header
/// and palette.
[[nodiscard]] std::optional<Image> decode_dib(std::span<const std::uint8_t> bytes,
                                              std::optional<std::size_t> pixels_at = std::nullopt);

/// The DIB that most programs expect: 32 bits a pixel, BI_RGB, bottom-up. Alpha is written as
/// opaque, because some programs take the byte that is reserved for it. Throws
/// std::invalid_argument for an image that is empty or too large for the format (4 GB).
[[nodiscard]] std::vector<std::uint8_t> encode_dib(const ImageView& image);

} // namespace eyehand::winio
