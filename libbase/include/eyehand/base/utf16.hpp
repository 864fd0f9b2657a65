// UTF-16, which Windows and some files use.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::base {

/// One unit, or the two surrogates of a scalar past U+FFFF.
[[nodiscard]] std::u16string utf16_units(char32_t scalar);
/// Throws std::invalid_argument if `utf8` is not valid.
[[nodiscard]] std::u16string to_utf16(std::string_view utf8);
/// Lone surrogates become U+FFFD.
[[nodiscard]] std::string to_utf8(std::u16string_view utf16);

#ifdef _WIN32
/// The same as `to_utf16` and `to_utf8`, for Windows functions.
[[nodiscard]] std::wstring to_wide(std::string_view utf8);
[[nodiscard]] std::string to_utf8(std::wstring_view text);
#endif

} // namespace eyehand::base
