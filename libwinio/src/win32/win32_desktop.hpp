// The desktop of this session.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "win32/input_sender.hpp"
#include "win32/system_calls.hpp"
#include "win32/system_clipboard.hpp"
#include "win32/window_list.hpp"

namespace eyehand::winio::win32 {

/// Its destructor releases keys and buttons that `send` pressed and did not release.
class Win32Desktop final : public Desktop {
public:
    /// `watchdog`: as in DesktopOptions. Throws Error{launch_failed}.
    explicit Win32Desktop(SystemCalls system = {}, std::vector<std::string> watchdog = {});
    std::vector<Display> displays() override;
    /// The capturer refers to this desktop, which must outlive it.
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override;
    [[nodiscard]] SendReport send(std::span<const InputEvent> events) override;
    std::optional<Point> pointer() override;
    void launch(const LaunchCommand& command) override;
    bool busy() override;
    void renew_hold() override { lease_.renew(); }
    std::unique_ptr<UserWatch> watch_user(const UserWatchOptions& options,
                                          std::function<void(UserSignal)> call) override;
    std::chrono::milliseconds double_click_time() override;
    Windows* windows() noexcept override { return &windows_; }
    Clipboard* clipboard() noexcept override { return &clipboard_; }

private:
    SystemCalls system_;
    std::vector<std::string> watchdog_;
    HoldLease lease_;
    InputSender input_;
    WindowList windows_;
    SystemClipboard clipboard_;
};

} // namespace eyehand::winio::win32
