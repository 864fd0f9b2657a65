// SendInput's absolute coordinates: 1/65536 of the virtual desktop.
#pragma once

#include "eyehand/winio/geometry.hpp"

namespace eyehand::winio::win32 {

/// `p` in SendInput's absolute coordinates over `virtual_desktop`, which must not be empty. Returns
/// the center of the pixel, because the system's conversion back to pixels is undocumented: the
/// center is correct for every kind of rounding, while `x * 65535 / (width - 1)` misses up to 4 %
/// of all pixels.
[[nodiscard]] Point to_absolute(Point p, const Rect& virtual_desktop);

} // namespace eyehand::winio::win32
