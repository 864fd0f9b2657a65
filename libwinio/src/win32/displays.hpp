// Which displays there are.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/system_calls.hpp"

#include <vector>

namespace eyehand::winio::win32 {

/// The primary display first.
[[nodiscard]] std::vector<Display> displays(const SystemCalls& system);
/// What all displays together cover; empty without any. Call it within a DpiScope.
[[nodiscard]] Rect virtual_desktop(const SystemCalls& system);

} // namespace eyehand::winio::win32
