// A table of the system functions whose refusals matter. Tests replace entries to simulate a
// refused capture, a partially accepted batch or an elevated target. All other code calls the
// system directly.
#pragma once

#include <windows.h>

#include <functional>
#include <optional>
#include <vector>

namespace eyehand::winio::win32 {

/// The integrity level of the process that owns a window; empty if unknown.
[[nodiscard]] std::optional<DWORD> integrity_of_window(HWND window);
/// The maximum integrity level of windows that this process may control.
[[nodiscard]] std::optional<DWORD> integrity_of_this_process();
/// Whether the system refuses messages from this process to the window, because the window's
/// program has higher rights (UIPI). Posts a message without meaning to the window.
[[nodiscard]] bool refuses_messages(HWND window);
/// The visible frame of the window in physical pixels, without the invisible resize border of
/// Windows 10 and later on the left, right and bottom. Empty if the window manager does not provide
/// it.
[[nodiscard]] std::optional<RECT> visible_frame(HWND window);
/// On Windows 10, windows of suspended apps and on other virtual desktops are "visible" but
/// cloaked.
[[nodiscard]] bool is_cloaked(HWND window);
[[nodiscard]] std::vector<HMONITOR> monitors();
/// 96 is 100 %.
[[nodiscard]] int dpi_of_monitor(HMONITOR monitor);
/// Whether the user has chosen that the wheel scrolls the window with the keyboard focus, not the
/// window under the pointer (Windows 10 and later).
[[nodiscard]] bool wheel_follows_focus();
[[nodiscard]] bool runs_under_wine();
/// Called while a function waits for the system, at least about every 50 ms, the interval of the
/// heartbeats to the watchdog.
using WhileWaiting = std::function<void()>;
/// Wine only. Returns after the X server's reports of earlier input have arrived, as far as that
/// can be determined.
void let_reports_arrive(const WhileWaiting& call);
/// Wine only. To move X's pointer, Wine grabs it for a moment. The Wine desktop receives an event
/// for the grab with the old position and, if that was on a window (`from_window`), forwards it as
/// a move. The window at the new position forwards the new position. Returns after both have
/// arrived following the move that was sent with `mark` as its extra information, or after 250 ms.
/// Returns false if the pointer is not at the target of that move.
[[nodiscard]] bool let_pointer_arrive(ULONG_PTR mark, bool from_window, const WhileWaiting& call);

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
    std::function<bool(ULONG_PTR, bool, const WhileWaiting&)> let_pointer_arrive =
        win32::let_pointer_arrive;
    std::function<void(const WhileWaiting&)> let_reports_arrive = win32::let_reports_arrive;
    std::function<BOOL(POINT*)> get_cursor_pos = ::GetCursorPos;
    std::function<HWND()> foreground_window = ::GetForegroundWindow;
    std::function<BOOL(HWND)> is_hung_app_window = ::IsHungAppWindow;
    std::function<BOOL(DWORD, DWORD, BOOL)> attach_thread_input = ::AttachThreadInput;
    std::function<HWND(POINT)> window_from_point = ::WindowFromPoint;
    std::function<bool()> wheel_follows_focus = win32::wheel_follows_focus;
    std::function<std::optional<DWORD>(HWND)> integrity_of_window = win32::integrity_of_window;
    std::function<std::optional<DWORD>()> own_integrity = win32::integrity_of_this_process;

    std::function<bool(HWND)> refuses_messages = win32::refuses_messages;
    std::function<std::optional<RECT>(HWND)> visible_frame = win32::visible_frame;

    std::function<BOOL(HWND)> open_clipboard = ::OpenClipboard;
};

} // namespace eyehand::winio::win32
