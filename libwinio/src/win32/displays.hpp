// Lists the displays.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

#include <vector>

namespace eyehand::winio::win32 {

/// The primary display first.
[[nodiscard]] std::vector<Display> displays(const SystemCalls& system);
/// The bounding rectangle of all displays; empty without a display. Call it within a DpiScope.
[[nodiscard]] Rect virtual_desktop(const SystemCalls& system);

} // namespace eyehand::winio::win32
