// Physical pixels for the time of one call, whatever the program has chosen for itself.
#pragma once

#include <windows.h>

namespace eyehand::winio::win32 {

/// Makes this thread per-monitor aware and restores what it was.
class DpiScope {
public:
    DpiScope()
        : previous_(SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2)) {
        // Windows 10 before 1703 and Wine 8 know the first version only; for what this library does
        // the two are alike.
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
