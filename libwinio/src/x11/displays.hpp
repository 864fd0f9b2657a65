// The displays that make up the screen.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/connection.hpp"

#include <string_view>

namespace eyehand::winio::x11 {

/// Enumerated afresh by RANDR 1.5, the primary one first; the whole screen as one display where
/// RANDR knows none. Throws Error{no_display} when the connection is lost.
[[nodiscard]] std::vector<Display> displays(Connection& connection);

/// The whole number that `resources` (lines "name: value", as RESOURCE_MANAGER has them) give as
/// Xft.dpi; 0 without one.
[[nodiscard]] int dpi_of_resources(std::string_view resources);
/// The density of so many pixels on so many millimetres, at least 96: many displays tell nothing or
/// nonsense of their size.
[[nodiscard]] int dpi_of_size(int pixels, int millimetres);

} // namespace eyehand::winio::x11
