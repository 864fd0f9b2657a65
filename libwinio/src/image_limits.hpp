// Checks the size that an image file states, before pixels are allocated.
#pragma once

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <string>

namespace eyehand::winio {

/// Throws Error{decode_failed} for a size that is empty or beyond the limits. `format` is the name of
/// the format.
inline void check_limits(Size size, const ImageLimits& limits, const std::string& format) {
    if (size.width <= 0 || size.height <= 0 || size.width > limits.size.width ||
        size.height > limits.size.height || std::int64_t{size.width} * size.height > limits.pixels)
        throw Error(errc::decode_failed, "the " + format + " file cannot be read: its size of " +
                                             std::to_string(size.width) + "x" +
                                             std::to_string(size.height) +
                                             " pixels is not accepted");
}

} // namespace eyehand::winio
