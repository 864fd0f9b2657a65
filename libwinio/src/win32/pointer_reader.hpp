// Reads the shape and position of the pointer.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "win32/system_calls.hpp"

#include <optional>

namespace eyehand::winio::win32 {

/// Empty if the pointer is hidden, suppressed by touch, or cannot be read. Call it within a
/// DpiScope. Reads the shape each time (0.2 ms under Wine), because the handle does not identify a
/// cursor: the system reuses the handle of a destroyed cursor.
[[nodiscard]] std::optional<PointerShape> read_pointer(const SystemCalls& system);

} // namespace eyehand::winio::win32
