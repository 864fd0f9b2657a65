#include "eyehand/base/create_process.hpp"

#include <windows.h>

namespace eyehand::base {

unsigned long create_process(const std::function<bool()>& create) {
    constexpr int max_attempts = 4;
    unsigned long error = ERROR_SUCCESS;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        if (create()) return ERROR_SUCCESS;
        error = GetLastError();
        if (error != ERROR_INTERNAL_ERROR) break;
    }
    return error;
}

} // namespace eyehand::base
