// The factory of this back-end, for the list of built-in ones (backend_registry.cpp).
#pragma once

#include "eyehand/winio/backend_registry.hpp"

#include <memory>

namespace eyehand::winio::x11 {

/// Opens the X11 display that `options` or the environment names. Throws the exceptions of
/// X11Desktop's constructor.
[[nodiscard]] std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options);

} // namespace eyehand::winio::x11
