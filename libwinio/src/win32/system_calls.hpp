// The system functions whose refusals matter, in a table: tests put their own in, to have a capture
// refused, a batch half taken or a target elevated. Everything else calls the system directly.
#pragma once

#include <windows.h>

#include <functional>
#include <optional>
#include <vector>

namespace winio::win32 {

/// The integrity level of the process that owns a window; nothing where it cannot be told.
[[nodiscard]] std::optional<DWORD> integrity_of_window(HWND window);
/// The level up to which this process may work windows.
[[nodiscard]] std::optional<DWORD> integrity_of_this_process();
[[nodiscard]] std::vector<HMONITOR> monitors();
/// 96 is 100 %.
[[nodiscard]] int dpi_of_monitor(HMONITOR monitor);
/// True where the user has chosen that the wheel turns what has the keyboard's focus, not what is
/// under the pointer (Windows 10 and later).
[[nodiscard]] bool wheel_follows_focus();
[[nodiscard]] bool runs_under_wine();

struct SystemCalls {
    std::function<std::vector<HMONITOR>()> monitors = win32::monitors;
    std::function<BOOL(HMONITOR, MONITORINFO*)> get_monitor_info = ::GetMonitorInfoW;
    std::function<HMONITOR(POINT, DWORD)> monitor_from_point = ::MonitorFromPoint;
    std::function<int(HMONITOR)> dpi_of_monitor = win32::dpi_of_monitor;
    std::function<int(int)> get_system_metrics = ::GetSystemMetrics;
    std::function<int(int, UINT)> get_system_metrics_for_dpi = ::GetSystemMetricsForDpi;

    std::function<HDESK(DWORD, BOOL, ACCESS_MASK)> open_input_desktop = ::OpenInputDesktop;
    std::function<HDC(HWND)> get_dc = ::GetDC;
    std::function<HGDIOBJ(HDC, HGDIOBJ)> select_object = ::SelectObject;
    std::function<BOOL(HDC, int, int, int, int, HDC, int, int, DWORD)> bit_blt = ::BitBlt;
    std::function<bool()> runs_under_wine = win32::runs_under_wine;
    std::function<BOOL(CURSORINFO*)> get_cursor_info = ::GetCursorInfo;
    std::function<BOOL(HICON, ICONINFO*)> get_icon_info = ::GetIconInfo;

    std::function<UINT(UINT, INPUT*, int)> send_input = ::SendInput;
    std::function<SHORT(int)> get_async_key_state = ::GetAsyncKeyState;
    std::function<SHORT(WCHAR, HKL)> vk_key_scan = ::VkKeyScanExW;
    std::function<BOOL(POINT*)> get_cursor_pos = ::GetCursorPos;
    std::function<HWND()> foreground_window = ::GetForegroundWindow;
    std::function<HWND(POINT)> window_from_point = ::WindowFromPoint;
    std::function<bool()> wheel_follows_focus = win32::wheel_follows_focus;
    std::function<std::optional<DWORD>(HWND)> integrity_of_window = win32::integrity_of_window;
    std::function<std::optional<DWORD>()> own_integrity = win32::integrity_of_this_process;

    std::function<BOOL(HWND)> open_clipboard = ::OpenClipboard;
};

} // namespace winio::win32
