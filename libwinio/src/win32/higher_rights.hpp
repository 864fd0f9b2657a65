// Windows of programs that run with higher rights: Windows keeps this program from working them.
#pragma once

#include "win32/system_calls.hpp"

#include <string>
#include <string_view>

namespace eyehand::winio::win32 {

/// True when the window's program has a higher integrity level than this one, or, where its level
/// is not known, when the window may be sent no message.
[[nodiscard]] bool has_higher_rights(const SystemCalls& system, HWND window);

/// The same in words, for people; `which` follows the window's title, as in "under the pointer".
[[nodiscard]] std::string higher_rights_problem(HWND window, std::string_view which);

} // namespace eyehand::winio::win32
