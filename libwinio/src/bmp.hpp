// BMP files: how programs of X11 have images on the clipboard.
#pragma once

#include "winio/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace winio {

/// The image of a BMP file that somebody else wrote: 14 bytes of header, then what `decode_dib`
/// takes. Opaque. Nothing when it is of another kind or damaged.
[[nodiscard]] std::optional<Image> decode_bmp(std::span<const std::uint8_t> file);

/// `image` as a BMP file, in the kind of bitmap that `encode_dib` makes. Throws
/// std::invalid_argument for an image that is empty or too large for the format.
[[nodiscard]] std::vector<std::uint8_t> encode_bmp(const ImageView& image);

} // namespace winio
