// UTF-8, strictly: neither surrogates nor overlong forms nor anything past U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace eyehand::winio::utf8 {

struct Decoded {
    char32_t scalar = 0;
    std::size_t length = 0; ///< in bytes
};

/// The scalar that starts at `at`, which must be inside `text`; nothing when the bytes are not
/// UTF-8.
[[nodiscard]] std::optional<Decoded> decode(std::string_view text, std::size_t at);
/// The first byte that is not UTF-8; nothing when all are.
[[nodiscard]] std::optional<std::size_t> first_invalid(std::string_view text);
/// Throws std::invalid_argument, which calls the text `name`, for what is not UTF-8 and for NUL,
/// which ends a text that is handed to a system.
void check_text(std::string_view text, const std::string& name);
/// Surrogates and values past the last scalar become U+FFFD.
void append(std::string& text, char32_t scalar);

} // namespace eyehand::winio::utf8
