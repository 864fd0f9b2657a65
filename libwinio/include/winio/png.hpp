// PNG for model input: 8-bit RGB, no alpha, no ancillary chunks.
#pragma once

#include "winio/image.hpp"

#include <cstdint>
#include <vector>

namespace winio {

struct PngOptions {
    int level = 1; ///< zlib's 0 (stored) to 9 (smallest)
};

/// `image` as a PNG file. The same pixels give the same bytes. Throws std::invalid_argument for an
/// empty image or a level out of range, Error{encode_failed} when zlib runs out of memory.
[[nodiscard]] std::vector<std::uint8_t> encode_png(const ImageView& image,
                                                   const PngOptions& options = {});

} // namespace winio
