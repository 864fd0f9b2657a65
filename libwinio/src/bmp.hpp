// Device-independent bitmaps, in which clipboards keep images: a header, masks or nothing, pixels.
// A BMP file is the same behind 14 bytes that say where the pixels begin.
#pragma once

#include "winio/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace winio {

/// The image of a bitmap without a file's header (CF_DIB) that somebody else wrote: 24 or 32
/// uncompressed bits a pixel, whichever way up. Opaque. Nothing when it is of another kind, damaged
/// or larger than 16,384 pixels in a direction.
[[nodiscard]] std::optional<Image> decode_dib(std::span<const std::uint8_t> bytes);
/// `image` with 32 bits a pixel, of which the last 8 mean nothing, bottom row first: what every
/// program reads. Throws std::invalid_argument for an empty image.
[[nodiscard]] std::vector<std::uint8_t> encode_dib(const ImageView& image);

/// The same for a BMP file.
[[nodiscard]] std::optional<Image> decode_bmp(std::span<const std::uint8_t> file);
/// With 24 bits a pixel: readers differ on whether the last 8 of 32 are alpha. Throws
/// std::invalid_argument for an empty image.
[[nodiscard]] std::vector<std::uint8_t> encode_bmp(const ImageView& image);

} // namespace winio
