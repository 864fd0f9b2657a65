// Bytes as text (RFC 4648, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::base {

/// The number of characters that encode `bytes` bytes.
[[nodiscard]] constexpr std::size_t base64_length(std::size_t bytes) { return (bytes + 2) / 3 * 4; }
void append_base64(std::string& text, std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes);
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Empty if `text` has an invalid character, a wrong length, or unused bits that are not 0.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

} // namespace eyehand::base
