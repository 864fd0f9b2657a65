// The factory of this back-end, for the list of built-in ones (backend_registry.cpp).
#pragma once

#include "eyehand/winio/backend_registry.hpp"

#include "user/signal_source.hpp"
#include "watchdog/input_releaser.hpp"

#include <memory>

namespace eyehand::winio::win32 {

/// Opens the desktop of this session. Throws the exceptions of Win32Desktop's constructor.
[[nodiscard]] std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options);
/// For the helper of another process.
[[nodiscard]] std::unique_ptr<InputReleaser> open_releaser();
[[nodiscard]] std::unique_ptr<SignalSource> open_signal_source(const UserWatchOptions& options);

} // namespace eyehand::winio::win32
