// Window titles and system messages.
#pragma once

#include <windows.h>

#include <string>

namespace eyehand::winio::win32 {

/// The text in a window's title bar; empty for a null handle.
[[nodiscard]] std::string title_of(HWND window);
/// The system's message for an error of GetLastError, without a line break, with its number.
[[nodiscard]] std::string describe_error(DWORD error);

} // namespace eyehand::winio::win32
