#include "test_window.hpp"

#include "winio/error.hpp"

using namespace winio;
using namespace std::chrono_literals;

TEST_CASE("the list tells a window's title, class, program, place and state") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, {200, 150});
    const WindowInfo info = window.info();
    CHECK(info.title == "Eyehand test window ąé世");
    CHECK(info.window_class == "EyehandTestWindow");
    CHECK(info.process == "eyehand-test-window.exe");
    CHECK(info.bounds == Rect{200, 150, 640, 480});
    CHECK(info.foreground);
    CHECK(info.state == WindowState::normal);
    CHECK(eventually([&] { return desktop->windows()->list().front().id == info.id; }, 5s));
}

TEST_CASE("focus brings a covered window to the foreground") {
    const auto desktop = open_desktop();
    const TestWindow below(*desktop);
    const TestWindow above(*desktop);
    REQUIRE_FALSE(below.info().foreground);
    desktop->windows()->apply({below.info().id, WindowAction::focus, {}});
    CHECK(below.info().foreground);
    // A program comes to the top when it handles its activation.
    CHECK(eventually([&] { return desktop->windows()->list().front().id == below.info().id; }, 5s));
}

TEST_CASE("focus restores a minimised window") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    ShowWindow(reinterpret_cast<HWND>(window.info().id), SW_MINIMIZE);
    REQUIRE(eventually([&] { return window.info().state == WindowState::minimised; }, 5s));
    desktop->windows()->apply({window.info().id, WindowAction::focus, {}});
    CHECK(window.info().state == WindowState::normal);
    CHECK(window.info().foreground);
}

TEST_CASE("a window moves to where it is sent") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Rect to{300, 220, 700, 500};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }, 5s));
    CHECK_THROWS_AS(desktop->windows()->apply({window.info().id, WindowAction::move, {}}), Error);
}

TEST_CASE("a closed window's program ends and the window is not found any more") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const WindowId id = window.info().id;
    desktop->windows()->apply({id, WindowAction::close, {}});
    CHECK(window.exits_within(5s));
    try {
        desktop->windows()->apply({id, WindowAction::focus, {}});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::window_not_found);
    }
}
