// The system functions whose refusals matter, in a table: tests put their own in, to have a capture
// refused, a batch half taken or a target elevated. Everything else calls the system directly.
#pragma once

#include <windows.h>

#include <functional>
#include <optional>
#include <vector>

namespace eyehand::winio::win32 {

/// The integrity level of the process that owns a window; nothing where it cannot be told.
[[nodiscard]] std::optional<DWORD> integrity_of_window(HWND window);
/// The level up to which this process may work windows.
[[nodiscard]] std::optional<DWORD> integrity_of_this_process();
/// True when the system lets this process send no message to the window, because the window's
/// program has higher rights (UIPI). Posts a message to it that means nothing to anybody.
[[nodiscard]] bool refuses_messages(HWND window);
/// What is to be seen of the window in physical pixels: without the border of some pixels that
/// Windows 10 and later keep for resizing, invisible, on the left, right and bottom. Nothing where
/// the window manager does not tell.
[[nodiscard]] std::optional<RECT> visible_frame(HWND window);
/// Windows 10 keeps windows of suspended apps and other virtual desktops "visible" but cloaked.
[[nodiscard]] bool is_cloaked(HWND window);
[[nodiscard]] std::vector<HMONITOR> monitors();
/// 96 is 100 %.
[[nodiscard]] int dpi_of_monitor(HMONITOR monitor);
/// True where the user has chosen that the wheel turns what has the keyboard's focus, not what is
/// under the pointer (Windows 10 and later).
[[nodiscard]] bool wheel_follows_focus();
[[nodiscard]] bool runs_under_wine();
/// Wine only. Returns once what came of earlier input has come back from the X server, as far as that can be told.
void let_reports_arrive();
/// Wine only. To move X's pointer Wine grabs it for a moment: of that its desktop hears, with the
/// place where the pointer was before, and passes it on as a move, if that was on a window
/// (`from_window`). The window where it is now passes on that. Returns once both have come back after
/// the move that was sent with `mark` as its extra information, or after a quarter of a second; false
/// when the pointer is not where that move went.
[[nodiscard]] bool let_pointer_arrive(ULONG_PTR mark, bool from_window);

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
    std::function<bool(ULONG_PTR, bool)> let_pointer_arrive = win32::let_pointer_arrive;
    std::function<void()> let_reports_arrive = win32::let_reports_arrive;
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
