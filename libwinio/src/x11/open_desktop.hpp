// The factory of this back-end, for the list of built-in ones (backend_registry.cpp).
#pragma once

#include "eyehand/winio/backend_registry.hpp"

#include "watchdog/input_releaser.hpp"

#include <memory>
#include <string>

namespace eyehand::winio::x11 {

/// Opens the X11 display that `options` or the environment names. Throws the exceptions of
/// X11Desktop's constructor.
[[nodiscard]] std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options);
/// For the watchdog of another process. Throws Error{no_display} and Error{not_supported}.
[[nodiscard]] std::unique_ptr<InputReleaser> open_releaser(const std::string& display);

} // namespace eyehand::winio::x11
