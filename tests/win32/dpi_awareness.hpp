// Tests and the test window use physical pixels, as the library does.
#pragma once

#include <windows.h>

/// Makes this process per-monitor aware. Call it before anything else. Has no effect if the system
/// lacks the function (before Windows 10 1703) or refuses, as Wine does, where every process is
/// aware already.
inline void become_per_monitor_aware() {
    using SetContext = BOOL(WINAPI*)(HANDLE);
    const auto set_context = reinterpret_cast<SetContext>(reinterpret_cast<void*>(
        GetProcAddress(GetModuleHandleW(L"user32.dll"), "SetProcessDpiAwarenessContext")));
    const auto per_monitor_v2 = reinterpret_cast<HANDLE>(INT_PTR{-4});
    if (set_context != nullptr) set_context(per_monitor_v2);
}
