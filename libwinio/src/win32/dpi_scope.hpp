// Physical pixels during a call, regardless of the program's DPI awareness.
#pragma once

#include <windows.h>

namespace eyehand::winio::win32 {

/// Makes this thread per-monitor aware and restores the previous awareness.
class DpiScope {
public:
    DpiScope()
        : previous_(SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2)) {
        // Windows 10 before 1703 and Wine 8 support only the first version. The versions do not
        // differ for this library.
        if (previous_ == nullptr)
            previous_ = SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE);
    }
    ~DpiScope() {
        if (previous_ != nullptr) SetThreadDpiAwarenessContext(previous_);
    }
    DpiScope(const DpiScope&) = delete;
    DpiScope& operator=(const DpiScope&) = delete;

private:
    DPI_AWARENESS_CONTEXT previous_;
};

} // namespace eyehand::winio::win32
