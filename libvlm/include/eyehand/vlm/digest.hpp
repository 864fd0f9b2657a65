// SHA-256 and HMAC-SHA256 (RFC 2104), computed by the system's cryptography library.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace eyehand::vlm {

/// Returns the SHA-256 of `bytes` as 64 lower-case hexadecimal digits. Throws std::runtime_error if
/// the library fails.
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::span<const std::uint8_t> bytes);
[[nodiscard]] EYEHAND_VLM_API std::string sha256_hex(std::string_view text);

/// Returns the HMAC-SHA256 of `text` as 64 lower-case hexadecimal digits. It cannot be
/// computed without `key`. Throws std::runtime_error if the library fails.
[[nodiscard]] EYEHAND_VLM_API std::string hmac_sha256_hex(std::string_view key,
                                                          std::string_view text);

} // namespace eyehand::vlm
