// The start of a process on Windows. Not on other systems.
#pragma once

#include <windows.h>

namespace eyehand::base {

/// Calls `create`, which returns the result of CreateProcessW, and returns ERROR_SUCCESS or GetLastError().
///
/// Calls it again, up to three times, after ERROR_INTERNAL_ERROR: Wine 8 refuses about one of 1,500 starts with it
/// on a loaded machine (2 of 2,918, measured with `cmd /c exit`), because the new process ends before it begins.
template <class Create>
[[nodiscard]] DWORD create_process(const Create& create) {
    constexpr int max_attempts = 4;
    DWORD error = ERROR_SUCCESS;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        if (create() != FALSE) return ERROR_SUCCESS;
        error = GetLastError();
        if (error != ERROR_INTERNAL_ERROR) break;
    }
    return error;
}

} // namespace eyehand::base
