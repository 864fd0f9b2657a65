// BMP files, in which X11 programs pass images on: a DIB behind 14 bytes.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace eyehand::winio {

/// The image of a BMP file that somebody else wrote: the kinds that `decode_dib` reads.
[[nodiscard]] std::optional<Image> decode_bmp(std::span<const std::uint8_t> file);
/// `image` as `encode_dib` writes it, with a file's header. Throws std::invalid_argument for an
/// image that is empty or too large for the format.
[[nodiscard]] std::vector<std::uint8_t> encode_bmp(const ImageView& image);

} // namespace eyehand::winio
