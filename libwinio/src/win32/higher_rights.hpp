// Detects windows of programs with higher rights, which Windows does not let this program control.
#pragma once

#include "win32/system_calls.hpp"

#include <string>
#include <string_view>

namespace eyehand::winio::win32 {

/// Whether the window's program has a higher integrity level than this one or, if its level is
/// unknown, whether the system refuses messages to the window.
[[nodiscard]] bool has_higher_rights(const SystemCalls& system, HWND window);

/// The error message for such a window; `which` follows the window's title, as in "under the
/// pointer".
[[nodiscard]] std::string higher_rights_problem(HWND window, std::string_view which);

} // namespace eyehand::winio::win32
