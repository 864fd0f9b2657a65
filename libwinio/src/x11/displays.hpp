// The displays that make up the screen.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/connection.hpp"

#include <string_view>

namespace eyehand::winio::x11 {

/// Enumerates the displays anew with RANDR 1.5, the primary one first; the whole screen is one
/// display if RANDR knows none. Throws Error{no_display} if the connection is lost.
[[nodiscard]] std::vector<Display> displays(Connection& connection);

/// The integer value of Xft.dpi in `resources` (lines "name: value", as in RESOURCE_MANAGER); 0 if
/// it is missing.
[[nodiscard]] int dpi_of_resources(std::string_view resources);
/// The DPI of a number of pixels on a number of millimeters, at least 96, because many displays
/// report no size or a wrong one.
[[nodiscard]] int dpi_of_size(int pixels, int millimetres);

} // namespace eyehand::winio::x11
