// Titles and messages of Windows.
#pragma once

#include <windows.h>

#include <string>

namespace eyehand::winio::win32 {

/// The text in a window's title bar; empty for no window.
[[nodiscard]] std::string title_of(HWND window);
/// What the system says about an error of GetLastError's, without line break, with its number.
[[nodiscard]] std::string describe_error(DWORD error);

} // namespace eyehand::winio::win32
