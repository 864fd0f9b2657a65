#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "test_window.hpp"
#include "x11/process_name.hpp"
#include "x11/x11_desktop.hpp"

#include <sys/wait.h>
#include <unistd.h>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::patience;
using x11_tests::TestWindow;

namespace {

std::vector<std::string> titles(Desktop& desktop) {
    std::vector<std::string> found;
    for (const WindowInfo& window : desktop.windows()->list()) found.push_back(window.title);
    return found;
}

/// Requests a window state from the window manager (EWMH).
void add_state(x11::X11Desktop& desktop, WindowId window, const char* state,
               const char* second = nullptr) {
    x11::Connection own;
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = static_cast<xcb_window_t>(window);
    event.type = own.atom("_NET_WM_STATE");
    event.data.data32[0] = 1; // add
    event.data.data32[1] = own.atom(state);
    if (second != nullptr) event.data.data32[2] = own.atom(second);
    xcb_send_event(own.get(), 0, desktop.connection().root(),
                   XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                   reinterpret_cast<const char*>(&event));
}

void minimize(x11::X11Desktop& desktop, WindowId window) {
    x11::Connection own;
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = static_cast<xcb_window_t>(window);
    event.type = own.atom("WM_CHANGE_STATE");
    event.data.data32[0] = 3; // IconicState
    xcb_send_event(own.get(), 0, desktop.connection().root(),
                   XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                   reinterpret_cast<const char*>(&event));
}

} // namespace

TEST_CASE("a window is described by its properties") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Zażółć 世界", {.size = {400, 300}});
    const WindowInfo info = window.info();
    CHECK(info.window_class == "EyehandTest");
    CHECK(info.process == "eyehand-x11-window");
    CHECK(info.process_id != 0);
    CHECK(info.process_id != static_cast<std::uint32_t>(getpid()));
    CHECK(info.state == WindowState::normal);
    CHECK(info.foreground);
    // The bounds include the window manager's frame.
    CHECK(info.bounds.width >= 400);
    CHECK(info.bounds.height > 300);
}

TEST_CASE("a process of root has higher rights than one of another user") {
    constexpr uid_t other = 65534;
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(other) != 0) _exit(2);
        const bool is_right = x11::has_higher_rights(1) &&
                              !x11::has_higher_rights(static_cast<std::uint32_t>(getpid()));
        _exit(is_right ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    CHECK_FALSE(x11::has_higher_rights(0x7FFFFFFF)); // does not exist
}

TEST_CASE("windows are listed with the topmost first") {
    const auto desktop = open_desktop();
    const TestWindow first(*desktop, "First");
    const TestWindow second(*desktop, "Second");
    CHECK(titles(*desktop) == std::vector<std::string>{"Second", "First"});
    desktop->windows()->apply({first.info().id, WindowAction::focus, {}});
    CHECK(titles(*desktop) == std::vector<std::string>{"First", "Second"});
    CHECK(first.info().foreground);
    CHECK_FALSE(second.info().foreground);
}

TEST_CASE("a maximized window is listed as maximized, and is normal after a move") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Large");
    const WindowId id = window.info().id;
    add_state(desktop, id, "_NET_WM_STATE_MAXIMIZED_VERT", "_NET_WM_STATE_MAXIMIZED_HORZ");
    CHECK(eventually([&] { return window.info().state == WindowState::maximized; }, patience));
    const Rect to{100, 150, 500, 350};
    desktop.windows()->apply({id, WindowAction::move, to});
    CHECK(window.info().state == WindowState::normal);
    CHECK(eventually([&] { return window.info().bounds == to; }, patience));
}

TEST_CASE("a window that covers the whole screen can be moved") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Whole screen");
    const WindowId id = window.info().id;
    add_state(desktop, id, "_NET_WM_STATE_FULLSCREEN");
    const Rect screen{0, 0, 1920, 1080};
    CHECK(eventually([&] { return window.info().bounds == screen; }, patience));
    const Rect to{120, 140, 500, 350};
    desktop.windows()->apply({id, WindowAction::move, to});
    CHECK(window.info().bounds == to);
}

TEST_CASE("a window that is maximized in only one direction can be moved") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Tall");
    const WindowId id = window.info().id;
    add_state(desktop, id, "_NET_WM_STATE_MAXIMIZED_VERT");
    CHECK(eventually([&] { return window.info().bounds.height == 1080; }, patience));
    const Rect to{130, 150, 500, 350};
    desktop.windows()->apply({id, WindowAction::move, to});
    CHECK(window.info().bounds == to);
}

TEST_CASE("a minimized window is listed as minimized, and is restored when it is focused") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Small");
    const WindowId id = window.info().id;
    minimize(desktop, id);
    CHECK(eventually([&] { return window.info().state == WindowState::minimized; }, patience));
    desktop.windows()->apply({id, WindowAction::focus, {}});
    CHECK(window.info().state == WindowState::normal);
    CHECK(window.info().foreground);
}

TEST_CASE("the width and height of a window must be positive") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Not empty");
    try {
        desktop->windows()->apply({window.info().id, WindowAction::move, {0, 0, 0, 10}});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::input_refused);
    }
}

TEST_CASE("the area of a window is its visible part") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Area", {.color = "00ff00"});
    const Rect bounds{-100, 200, 400, 300};
    desktop->windows()->apply({window.info().id, WindowAction::move, bounds});
    CHECK(window.info().bounds == bounds);
    const WorkArea area = choose_area(*desktop, {.window = WindowQuery{.title = "Area"}});
    CHECK(area.bounds() == Rect{0, 200, 300, 300});
    const auto capturer = desktop->open_capturer({.pointer = false});
    for (const Rect& captured : {area.bounds(), bounds}) {
        Frame frame;
        const auto is_green = [&](Point at) {
            const Color color = frame.pixels.at(at.x - captured.x, at.y - captured.y);
            return color.red == 0 && color.green == 255 && color.blue == 0;
        };
        CHECK(eventually(
            [&] {
                capturer->capture(captured, frame);
                return is_green({5, 350}) && is_green({250, 350});
            },
            patience));
        CHECK(frame.pixels.size() == captured.size());
        if (captured.contains(Point{-5, 350})) CHECK_FALSE(is_green({-5, 350}));
    }
}

TEST_CASE("the control at a point is the innermost child window") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Parent");
    const WindowInfo info = window.info();
    x11::Connection own;
    const auto add_child = [&](xcb_window_t parent, std::int16_t x, std::int16_t y) {
        const xcb_window_t child = xcb_generate_id(own.get());
        xcb_create_window(own.get(), XCB_COPY_FROM_PARENT, child, parent, x, y, 100, 40, 0,
                          XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, nullptr);
        xcb_map_window(own.get(), child);
        return child;
    };
    const xcb_window_t outer = add_child(static_cast<xcb_window_t>(info.id), 50, 60);
    add_child(outer, 10, 10);
    // The server answers after it has handled the requests before.
    const auto origin = own.take(xcb_translate_coordinates_reply,
                                 xcb_translate_coordinates(own.get(), outer, own.root(), 0, 0));
    REQUIRE(origin);
    const Point at{origin->dst_x, origin->dst_y};
    Windows& windows = *desktop->windows();
    CHECK(windows.control_at(info.id, {at.x + 5, at.y + 5}) == Rect{at.x, at.y, 100, 40});
    // A child is clipped to its parent, but has all of its bounds.
    CHECK(windows.control_at(info.id, {at.x + 15, at.y + 15}) ==
          Rect{at.x + 10, at.y + 10, 100, 40});
    CHECK_FALSE(windows.control_at(info.id, {at.x + 105, at.y + 5}));
    CHECK_FALSE(windows.control_at(WindowId{1}, at));
}
