// Converts colors that X11 premultiplies with their alpha.
#pragma once

#include "eyehand/winio/image.hpp"

#include <algorithm>
#include <cstdint>

namespace eyehand::winio::x11 {

/// Converts a pixel of an X11 cursor: 0xAARRGGBB with premultiplied colors.
[[nodiscard]] constexpr Color unpremultiplied(std::uint32_t argb) {
    const auto alpha = static_cast<std::uint8_t>(argb >> 24U);
    if (alpha == 0) return {0, 0, 0, 0};
    const auto divided = [&](std::uint32_t channel) {
        const std::uint32_t value = ((channel & 0xFFU) * 255U + alpha / 2U) / alpha;
        return static_cast<std::uint8_t>(std::min(value, 255U)); // limits invalid values that
                                                                 // exceed alpha
    };
    return {divided(argb), divided(argb >> 8U), divided(argb >> 16U), alpha};
}

} // namespace eyehand::winio::x11
