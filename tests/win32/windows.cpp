#include "test_window.hpp"

#include "win32/win32_desktop.hpp"
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
    CHECK(info.process_id == GetProcessId(window.process()));
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

TEST_CASE("a maximised window tells so, and moves to where it is sent") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    ShowWindow(reinterpret_cast<HWND>(window.info().id), SW_MAXIMIZE);
    REQUIRE(eventually([&] { return window.info().state == WindowState::maximised; }, 5s));
    const Rect to{310, 230, 720, 510};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }, 5s));
    CHECK(window.info().state == WindowState::normal);
}

TEST_CASE("a window minimised while it was maximised moves to where it is sent") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    for (const int how : {SW_MAXIMIZE, SW_MINIMIZE})
        ShowWindow(reinterpret_cast<HWND>(window.info().id), how);
    REQUIRE(eventually([&] { return window.info().state == WindowState::minimised; }, 5s));
    const Rect to{310, 230, 720, 510};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }, 5s));
    CHECK(window.info().state == WindowState::normal);
}

TEST_CASE("a window with higher rights is neither moved nor closed, and that is said") {
    win32::SystemCalls system;
    system.own_integrity = [] { return std::optional<DWORD>(SECURITY_MANDATORY_MEDIUM_RID); };
    system.integrity_of_window = [](HWND) {
        return std::optional<DWORD>(SECURITY_MANDATORY_HIGH_RID);
    };
    win32::Win32Desktop desktop(system);
    const TestWindow window(desktop); // brought to the foreground: that the system may allow
    const Rect before = window.info().bounds;
    for (const WindowAction action : {WindowAction::move, WindowAction::close}) {
        try {
            desktop.windows()->apply({window.info().id, action, {300, 220, 700, 500}});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::input_not_permitted);
            CHECK_THAT(error.what(), ContainsSubstring("Eyehand test window") &&
                                         ContainsSubstring("higher rights"));
        }
    }
    CHECK(window.info().bounds == before);
    CHECK_FALSE(window.exits_within(0s));
    // The destructor cannot close it either.
    PostMessageW(reinterpret_cast<HWND>(window.info().id), WM_CLOSE, 0, 0);
    CHECK(window.exits_within(5s));
}

TEST_CASE("a window that does not come to the foreground is refused, or not permitted") {
    const auto real = open_desktop();
    const TestWindow window(*real);
    for (const DWORD theirs : {SECURITY_MANDATORY_MEDIUM_RID, SECURITY_MANDATORY_HIGH_RID}) {
        win32::SystemCalls system;
        system.foreground_window = []() -> HWND { return nullptr; };
        system.own_integrity = [] { return std::optional<DWORD>(SECURITY_MANDATORY_MEDIUM_RID); };
        system.integrity_of_window = [theirs](HWND) { return std::optional<DWORD>(theirs); };
        win32::Win32Desktop desktop(system);
        try {
            desktop.windows()->apply({window.info().id, WindowAction::focus, {}});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == (theirs == SECURITY_MANDATORY_HIGH_RID ? errc::input_not_permitted
                                                                         : errc::input_refused));
        }
    }
}

TEST_CASE("Notepad can be launched, waited for, focused, moved and closed") {
    const auto desktop = open_desktop();
    Windows& windows = *desktop->windows();
    const WindowQuery notepad{.window_class = "Notepad", .process = "notepad.exe"};
    REQUIRE_FALSE(find_window(windows.list(), notepad));
    desktop->launch({"notepad"});
    const WindowInfo window = wait_for_window(windows, notepad, 20s);
    CHECK(window.process_id != 0);
    const auto now = [&] { return find_window(windows.list(), notepad); };
    windows.apply({window.id, WindowAction::focus, {}});
    CHECK(now()->foreground);
    const Rect to{100, 80, 500, 300};
    windows.apply({window.id, WindowAction::move, to});
    CHECK(eventually([&] { return now()->bounds == to; }, 5s));
    windows.apply({window.id, WindowAction::close, {}});
    CHECK(eventually([&] { return !now(); }, 10s));
    CHECK_THROWS_AS(wait_for_window(windows, notepad, 0s), Error);
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
