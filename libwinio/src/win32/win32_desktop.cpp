#include "win32/win32_desktop.hpp"

#include "win32/displays.hpp"
#include "win32/dpi_scope.hpp"
#include "win32/gdi_capturer.hpp"
#include "win32/launch.hpp"
#include "win32/open_desktop.hpp"
#include "win32/user_watch.hpp"

namespace eyehand::winio::win32 {

std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options) {
    return std::make_unique<Win32Desktop>(SystemCalls(), options.watchdog);
}

Win32Desktop::Win32Desktop(SystemCalls system, std::vector<std::string> watchdog)
    : system_(std::move(system)), watchdog_(std::move(watchdog)), lease_(watchdog_),
      input_(system_, lease_), windows_(system_), clipboard_(system_, lease_) {}

std::vector<Display> Win32Desktop::displays() { return win32::displays(system_); }

std::unique_ptr<Capturer> Win32Desktop::open_capturer(const CaptureOptions& options) {
    return std::make_unique<GdiCapturer>(system_, options);
}

SendReport Win32Desktop::send(std::span<const InputEvent> events) { return input_.send(events); }

std::optional<Point> Win32Desktop::pointer() {
    const DpiScope physical_pixels;
    POINT at{};
    if (!system_.get_cursor_pos(&at)) return std::nullopt;
    return Point{at.x, at.y};
}

std::chrono::milliseconds Win32Desktop::double_click_time() {
    return std::chrono::milliseconds{GetDoubleClickTime()};
}

std::unique_ptr<UserWatch> Win32Desktop::watch_user(const UserWatchOptions& options,
                                                    std::function<void(UserSignal)> call) {
    return std::make_unique<HelperUserWatch>(watchdog_, options, std::move(call));
}

void Win32Desktop::launch(const LaunchCommand& command) { win32::launch(command); }

// Not IDC_APPSTARTING, which only says that some program starts. Wine shows only its own program's pointer.
bool Win32Desktop::busy() {
    CURSORINFO info{};
    info.cbSize = sizeof info;
    if (system_.get_cursor_info(&info) && info.hCursor == LoadCursorW(nullptr, IDC_WAIT))
        return true;
    const HWND foreground = GetForegroundWindow();
    return foreground != nullptr && IsHungAppWindow(foreground);
}

} // namespace eyehand::winio::win32
