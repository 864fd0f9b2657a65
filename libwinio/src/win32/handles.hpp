// An owner for each kind of handle. They count open handles, because the system's count
// (GetGuiResources) is always 0 under Wine.
#pragma once

#include <windows.h>

#include <atomic>
#include <utility>

namespace eyehand::winio::win32 {

inline std::atomic<int> open_handles{0};      ///< currently open, of all kinds
inline std::atomic<long> acquired_handles{0}; ///< since the program started

/// Owns one handle. `Kind` defines its type, the value for no handle and how it is closed.
template <typename Kind>
class Handle {
public:
    using Type = typename Kind::Type;
    Handle() = default;
    explicit Handle(Type handle) : handle_(handle) {
        if (!*this) return;
        ++open_handles;
        ++acquired_handles;
    }
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, Kind::none())) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (const Type mine = release(); mine != Kind::none()) Kind::close(mine);
    }

    [[nodiscard]] Type get() const { return handle_; }
    [[nodiscard]] explicit operator bool() const { return handle_ != Kind::none(); }
    /// Transfers the handle to the caller, who must close it.
    Type release() {
        if (*this) --open_handles;
        return std::exchange(handle_, Kind::none());
    }

private:
    Type handle_ = Kind::none();
};

template <typename T>
struct NullHandle {
    using Type = T;
    static Type none() { return nullptr; }
};

struct ScreenDcKind : NullHandle<HDC> {
    static void close(HDC dc) { ReleaseDC(nullptr, dc); }
};
struct MemoryDcKind : NullHandle<HDC> {
    static void close(HDC dc) { DeleteDC(dc); }
};
struct BitmapKind : NullHandle<HBITMAP> {
    static void close(HBITMAP bitmap) { DeleteObject(bitmap); }
};
struct KernelObjectKind : NullHandle<HANDLE> {
    static void close(HANDLE object) { CloseHandle(object); }
};
struct GlobalMemoryKind : NullHandle<HGLOBAL> {
    static void close(HGLOBAL memory) { GlobalFree(memory); }
};
struct WindowKind : NullHandle<HWND> {
    static void close(HWND window) { DestroyWindow(window); }
};
struct InputDesktopKind : NullHandle<HDESK> {
    static void close(HDESK desktop) { CloseDesktop(desktop); }
};
struct HookKind : NullHandle<HHOOK> {
    static void close(HHOOK hook) { UnhookWindowsHookEx(hook); }
};

using ScreenDc = Handle<ScreenDcKind>; ///< of the whole screen, from GetDC
using MemoryDc = Handle<MemoryDcKind>;
using Bitmap = Handle<BitmapKind>;
using KernelObject = Handle<KernelObjectKind>;
using GlobalMemory = Handle<GlobalMemoryKind>;
using Window = Handle<WindowKind>; ///< a window of this thread
using InputDesktop = Handle<InputDesktopKind>;
using Hook = Handle<HookKind>; ///< installed by this thread

} // namespace eyehand::winio::win32
