// Where SendInput wants the pointer: in 1/65536 of the virtual desktop.
#pragma once

#include "eyehand/winio/geometry.hpp"

namespace eyehand::winio::win32 {

/// `p` in SendInput's absolute coordinates over `virtual_desktop`, which must not be empty. Aims at
/// the pixel's centre, because the system's way back to pixels is documented nowhere: the centre is
/// right for every rounding, `x * 65535 / (width - 1)` misses up to 4 % of all pixels.
[[nodiscard]] Point to_absolute(Point p, const Rect& virtual_desktop);

} // namespace eyehand::winio::win32
