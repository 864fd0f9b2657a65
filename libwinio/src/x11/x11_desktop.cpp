#include "x11/x11_desktop.hpp"

#include "x11/displays.hpp"
#include "x11/launch.hpp"
#include "x11/open_desktop.hpp"
#include "x11/pointer_reader.hpp"
#include "x11/screen_capturer.hpp"
#include "x11/user_watch.hpp"

namespace eyehand::winio::x11 {

std::unique_ptr<Desktop> open_desktop(const DesktopOptions& options) {
    return std::make_unique<X11Desktop>(options.display, options.watchdog);
}

X11Desktop::X11Desktop(const std::string& display, std::vector<std::string> watchdog)
    : launch_display_(display), connection_(display), lease_(std::move(watchdog), display),
      input_(connection_, lease_), windows_(connection_), clipboard_(connection_, lease_) {}

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

void X11Desktop::launch(const LaunchCommand& command) { x11::launch(command, launch_display_); }

std::unique_ptr<UserWatch> X11Desktop::watch_user(const UserWatchOptions& options,
                                                  std::function<void(UserSignal)> call) {
    return std::make_unique<RawInputWatch>(connection_.display(), options, std::move(call));
}

bool X11Desktop::busy() {
    if (!has_xfixes_) has_xfixes_ = start_xfixes(connection_);
    if (!*has_xfixes_) return false;
    const auto reply = connection_.take(xcb_xfixes_get_cursor_image_and_name_reply,
                                        xcb_xfixes_get_cursor_image_and_name(connection_.get()));
    return reply && is_busy_pointer(pointer_name(*reply));
}

} // namespace eyehand::winio::x11
