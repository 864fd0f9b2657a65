// Which displays there are.
#pragma once

#include "win32/system_calls.hpp"
#include "winio/desktop.hpp"

#include <vector>

namespace winio::win32 {

/// The primary display first.
[[nodiscard]] std::vector<Display> displays(const SystemCalls& system);
/// What all displays together cover; empty without any. Call it within a DpiScope.
[[nodiscard]] Rect virtual_desktop(const SystemCalls& system);

} // namespace winio::win32
