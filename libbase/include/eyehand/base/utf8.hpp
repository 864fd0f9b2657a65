// UTF-8, strictly: neither surrogates nor overlong forms nor anything past U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::base::utf8 {

/// U+FFFD, which takes the place of bytes that are not UTF-8.
inline constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// One character, or bytes that are not UTF-8.
struct Decoded {
    bool valid = false;
    std::size_t length = 1; ///< in bytes, at least 1; if invalid: the number of bytes that one
                            ///< U+FFFD may replace
    char32_t scalar = 0xFFFD;
};

/// Decodes the character at byte `at`, which must be inside `text`.
[[nodiscard]] Decoded decode(std::string_view text, std::size_t at = 0);

/// Appends `scalar`; a surrogate or a value past U+10FFFF becomes U+FFFD.
void append(std::string& text, char32_t scalar);

/// The position of the first byte that is not UTF-8; empty if all of `text` is valid.
[[nodiscard]] std::optional<std::size_t> first_invalid(std::string_view text);

/// `text` with U+FFFD in place of each byte that is not UTF-8.
[[nodiscard]] std::string replace_invalid(std::string_view text);

/// Whether `c` is a byte of a character other than its first.
[[nodiscard]] constexpr bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The number of characters in `text`, which must be valid.
[[nodiscard]] std::size_t count(std::string_view text);

/// The last position up to `at` where a character of `text` begins or `text` ends.
[[nodiscard]] std::size_t boundary_at_or_before(std::string_view text, std::size_t at);

/// The first position from `at` on where a character of `text` begins or `text` ends.
[[nodiscard]] std::size_t boundary_at_or_after(std::string_view text, std::size_t at);

/// Converts from ISO 8859-1: each byte is the character with its number.
[[nodiscard]] std::string from_latin1(std::string_view bytes);

/// Converts to ISO 8859-1; empty if `text` is not UTF-8 or has a character past U+00FF.
[[nodiscard]] std::optional<std::string> to_latin1(std::string_view text);

} // namespace eyehand::base::utf8
