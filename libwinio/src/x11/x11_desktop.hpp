// The desktop of an X11 session.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "x11/clipboard.hpp"
#include "x11/connection.hpp"
#include "x11/input_sender.hpp"
#include "x11/window_list.hpp"

namespace eyehand::winio::x11 {

class X11Desktop final : public Desktop {
public:
    /// Connects to the display with this name; if it is empty, to the display that the environment
    /// names. `watchdog`: as in DesktopOptions. Throws Error{no_display}, Error{not_supported} and
    /// Error{launch_failed}.
    explicit X11Desktop(const std::string& display = {}, std::vector<std::string> watchdog = {});
    std::vector<Display> displays() override;
    /// The capturer refers to this desktop, which must outlive it.
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override;
    [[nodiscard]] SendReport send(std::span<const InputEvent> events) override;
    std::optional<Point> pointer() override;
    void launch(const LaunchCommand& command) override;
    bool busy() override;
    std::unique_ptr<UserWatch> watch_user(const UserWatchOptions& options,
                                          std::function<void(UserSignal)> call) override;
    void renew_hold() override { lease_.renew(); }
    Windows* windows() noexcept override { return &windows_; }
    Clipboard* clipboard() noexcept override { return &clipboard_; }

    [[nodiscard]] const Connection& connection() const { return connection_; }

private:
    std::string launch_display_; ///< for programs that `launch` starts; empty: the environment's
    Connection connection_;
    HoldLease lease_;
    InputSender input_;
    WindowList windows_;
    SelectionClipboard clipboard_;
    std::optional<bool> has_xfixes_{}; ///< once it was needed
};

} // namespace eyehand::winio::x11
