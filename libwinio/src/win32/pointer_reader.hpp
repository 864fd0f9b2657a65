// What the pointer looks like and where it is.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "win32/system_calls.hpp"

#include <optional>

namespace eyehand::winio::win32 {

/// Nothing while the pointer is hidden or suppressed by touch, or cannot be read. Call it within a
/// DpiScope. The shape is read anew each time: a cursor's handle says nothing about it, because the
/// system gives the handle of a destroyed cursor to the next one. Costs 0.2 ms under Wine.
[[nodiscard]] std::optional<PointerShape> read_pointer(const SystemCalls& system);

} // namespace eyehand::winio::win32
