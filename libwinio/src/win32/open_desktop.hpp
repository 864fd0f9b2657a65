// The factory of this back-end, for the list of built-in ones (backend_registry.cpp).
#pragma once

#include "eyehand/winio/backend_registry.hpp"

#include "watchdog/input_releaser.hpp"

#include <memory>

namespace eyehand::winio::win32 {

/// Opens the desktop of this session. Throws the exceptions of Win32Desktop's constructor.
[[nodiscard]] std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options);
/// For the watchdog of another process.
[[nodiscard]] std::unique_ptr<InputReleaser> open_releaser();

} // namespace eyehand::winio::win32
