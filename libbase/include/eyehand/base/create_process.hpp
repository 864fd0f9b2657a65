// The start of a process on Windows. Not on other systems.
#pragma once

#include <functional>

namespace eyehand::base {

/// Calls `create`, which returns whether CreateProcessW succeeded, and returns ERROR_SUCCESS or GetLastError().
///
/// Calls it again, up to three times, after ERROR_INTERNAL_ERROR: Wine 8 refuses about one of 1,500 starts with it
/// on a loaded machine (2 of 2,918, measured with `cmd /c exit`), because the new process ends at its start.
[[nodiscard]] unsigned long create_process(const std::function<bool()>& create);

} // namespace eyehand::base
