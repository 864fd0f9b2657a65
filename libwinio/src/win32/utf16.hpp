// Between UTF-8 and the UTF-16 that Windows speaks.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::winio::win32 {

/// One unit, or the two surrogates of a scalar past U+FFFF.
[[nodiscard]] std::u16string units_of(char32_t scalar);
/// Throws std::invalid_argument for what is not UTF-8.
[[nodiscard]] std::u16string to_utf16(std::string_view utf8);
/// Lone surrogates become U+FFFD.
[[nodiscard]] std::string to_utf8(std::u16string_view utf16);

} // namespace eyehand::winio::win32
