// Bytes as text (RFC 4648, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::panel {

[[nodiscard]] std::string to_base64(std::span<const std::uint8_t> bytes);
/// Nothing where it is no base64: another character, a wrong length, bits that count for nothing.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

} // namespace eyehand::panel
