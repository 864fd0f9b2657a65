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
    /// Throws Error{no_display} and Error{not_supported}.
    X11Desktop();
    std::vector<Display> displays() override;
    /// The capturer refers to this desktop, which must outlive it.
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override;
    [[nodiscard]] SendReport send(std::span<const InputEvent> events) override;
    std::optional<Point> pointer() override;
    void launch(const LaunchCommand& command) override;
    std::chrono::milliseconds double_click_time() override;
    Windows* windows() noexcept override { return &windows_; }
    Clipboard* clipboard() noexcept override { return &clipboard_; }

    [[nodiscard]] const Connection& connection() const { return connection_; }

private:
    Connection connection_;
    InputSender input_;
    WindowList windows_;
    SelectionClipboard clipboard_;
};

} // namespace eyehand::winio::x11
