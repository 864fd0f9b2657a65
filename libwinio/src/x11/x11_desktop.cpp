#include "x11/x11_desktop.hpp"

#include "x11/displays.hpp"
#include "x11/launch.hpp"
#include "x11/screen_capturer.hpp"

namespace eyehand::winio {
namespace x11 {

X11Desktop::X11Desktop() : input_(connection_), windows_(connection_), clipboard_(connection_) {}

std::vector<Display> X11Desktop::displays() {
    connection_.discard_events();
    return x11::displays(connection_);
}

std::unique_ptr<Capturer> X11Desktop::open_capturer(const CaptureOptions& options) {
    return std::make_unique<ScreenCapturer>(connection_, options);
}

SendReport X11Desktop::send(std::span<const InputEvent> events) { return input_.send(events); }

std::optional<Point> X11Desktop::pointer() {
    const auto reply = connection_.take(xcb_query_pointer_reply,
                                        xcb_query_pointer(connection_.get(), connection_.root()));
    if (!reply || reply->same_screen == 0) return std::nullopt;
    return Point{reply->root_x, reply->root_y};
}

void X11Desktop::launch(const LaunchCommand& command) { x11::launch(command); }

// Programs decide for themselves: GTK and Qt take 400 ms, Wine 500, xterm 250. The longest is the
// one after which no program takes two clicks for one.
std::chrono::milliseconds X11Desktop::double_click_time() { return std::chrono::milliseconds{500}; }

} // namespace x11

std::unique_ptr<Desktop> open_desktop() { return std::make_unique<x11::X11Desktop>(); }

} // namespace eyehand::winio
