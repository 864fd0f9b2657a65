// Comparison of memory, used for rows of pixels.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace eyehand::winio {

/// Whether two ranges of the same size have the same bytes.
inline bool same_bytes(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace eyehand::winio
