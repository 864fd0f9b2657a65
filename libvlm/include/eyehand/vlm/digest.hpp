// SHA-256, by the system's own cryptography library.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::vlm {

/// The SHA-256 of `bytes` as 64 lower-case hexadecimal digits. Throws std::runtime_error when the
/// system's library refuses.
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::string_view text);

} // namespace eyehand::vlm
