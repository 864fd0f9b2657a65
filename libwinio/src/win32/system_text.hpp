// Strings as Windows takes and gives them.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>

namespace eyehand::winio::win32 {

/// Throws std::invalid_argument for what is not UTF-8.
[[nodiscard]] std::wstring wide(std::string_view utf8);
[[nodiscard]] std::string narrow(std::wstring_view text);
/// The text in a window's title bar; empty for no window.
[[nodiscard]] std::string title_of(HWND window);
/// What the system says about an error of GetLastError's, without line break, with its number.
[[nodiscard]] std::string describe_error(DWORD error);

} // namespace eyehand::winio::win32
