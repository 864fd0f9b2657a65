// Programs that need care, by their process and window class.
#pragma once

#include "eyehand/agent/guard.hpp"

namespace eyehand::agent {

/// Never WindowKind::own, which depends on this process.
[[nodiscard]] WindowKind window_kind(const winio::WindowInfo& window);

/// Whether the window belongs to the shell of the desktop (task bar, file manager), which starts all
/// other programs.
[[nodiscard]] bool is_desktop_shell(const winio::WindowInfo& window);

} // namespace eyehand::agent
