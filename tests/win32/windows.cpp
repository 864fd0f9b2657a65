#include "test_window.hpp"

#include "eyehand/winio/error.hpp"
#include "win32/win32_desktop.hpp"

#include <future>
#include <memory>
#include <type_traits>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

RECT outer_rect(HWND window) {
    RECT rect{};
    REQUIRE(GetWindowRect(window, &rect));
    return rect;
}

// As on Windows 10 and later, with a wider border on the display right of x = 300.
std::optional<RECT> frame_within_border(HWND window) {
    RECT rect{};
    if (GetWindowRect(window, &rect) == 0) return std::nullopt;
    const LONG border = rect.left + 10 < 300 ? 7 : 10;
    return RECT{rect.left + border, rect.top, rect.right - border, rect.bottom - border};
}

struct Destroy {
    void operator()(HWND window) const { DestroyWindow(window); }
};
using OwnWindow = std::unique_ptr<std::remove_pointer_t<HWND>, Destroy>;

} // namespace

TEST_CASE("the list has a window's title, class, program, bounds and state") {
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
    CHECK(eventually([&] { return desktop->windows()->list().front().id == info.id; }));
}

TEST_CASE("focus brings a covered window to the foreground") {
    const auto desktop = open_desktop();
    const TestWindow below(*desktop);
    const TestWindow above(*desktop);
    REQUIRE_FALSE(below.info().foreground);
    desktop->windows()->apply({below.info().id, WindowAction::focus, {}});
    // A program comes to the top only when it handles its activation, and the other one may still be handling its own.
    CHECK(eventually([&] { return below.info().foreground; }));
    CHECK(eventually([&] { return desktop->windows()->list().front().id == below.info().id; }));
}

TEST_CASE("focus restores a minimized window") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    ShowWindow(reinterpret_cast<HWND>(window.info().id), SW_MINIMIZE);
    REQUIRE(eventually([&] { return window.info().state == WindowState::minimized; }));
    desktop->windows()->apply({window.info().id, WindowAction::focus, {}});
    CHECK(window.info().state == WindowState::normal);
    CHECK(window.info().foreground);
}

TEST_CASE("a window moves to the requested bounds") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Rect to{300, 220, 700, 500};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }));
    CHECK_THROWS_AS(desktop->windows()->apply({window.info().id, WindowAction::move, {}}), Error);
}

TEST_CASE("a window's bounds, also in moves, exclude its invisible border") {
    win32::SystemCalls system;
    system.visible_frame = frame_within_border;
    win32::Win32Desktop desktop(system);
    const TestWindow window(desktop, {200, 150});
    CHECK(window.info().bounds == Rect{207, 150, 640 - 14, 480 - 7});
    for (const Rect& to : {Rect{250, 220, 700, 500}, Rect{310, 210, 690, 490}}) {
        desktop.windows()->apply({window.info().id, WindowAction::move, to});
        CHECK(eventually([&] { return window.info().bounds == to; }));
    }
    const RECT outer = outer_rect(window.handle());
    CHECK(outer.left == 300);
    CHECK(outer.right == 1010);
    CHECK(outer.bottom == 710);
}

TEST_CASE("a window is opaque, unless it is layered with an opacity or has a region") {
    const auto desktop = open_desktop();
    // A window of this process: only its owner may set a region.
    const auto create = [](DWORD style) {
        return OwnWindow(CreateWindowExW(style, L"STATIC", L"Possibly transparent",
                                         WS_POPUP | WS_VISIBLE, 50, 60, 200, 100, nullptr, nullptr,
                                         nullptr, nullptr));
    };
    const auto opaque = [&] {
        const auto found =
            find_window(desktop->windows()->list(), {.title = "Possibly transparent"});
        REQUIRE(found.has_value());
        return found->opaque;
    };
    const Rect whole{50, 60, 200, 100};
    SECTION("an ordinary window") {
        const OwnWindow window = create(0);
        CHECK(opaque() == whole);
        SetWindowRgn(window.get(), CreateRectRgn(10, 10, 60, 40), FALSE);
        CHECK(opaque() == Rect{60, 70, 50, 30});
        SetWindowRgn(window.get(), CreateEllipticRgn(0, 0, 200, 100), FALSE);
        CHECK(opaque() == Rect{});
    }
    SECTION("a layered window") {
        const OwnWindow window = create(WS_EX_LAYERED);
        CHECK(opaque() == Rect{}); // each pixel has its opacity
        SetLayeredWindowAttributes(window.get(), 0, 255, LWA_ALPHA);
        CHECK(opaque() == whole);
        SetLayeredWindowAttributes(window.get(), 0, 254, LWA_ALPHA);
        CHECK(opaque() == Rect{});
        SetLayeredWindowAttributes(window.get(), RGB(1, 2, 3), 255, LWA_ALPHA | LWA_COLORKEY);
        CHECK(opaque() == Rect{});
    }
    SECTION("a window that mouse clicks go through, or whose program composes it") {
        const auto style = GENERATE(DWORD{WS_EX_TRANSPARENT}, DWORD{WS_EX_NOREDIRECTIONBITMAP});
        const OwnWindow window = create(style);
        CHECK(opaque() == Rect{});
    }
}

TEST_CASE("a move of a maximized window considers the border that it has afterwards") {
    win32::SystemCalls system;
    system.visible_frame = [](HWND window) {
        return IsZoomed(window) != 0 ? outer_rect(window) : frame_within_border(window);
    };
    win32::Win32Desktop desktop(system);
    const TestWindow window(desktop, {200, 150});
    ShowWindow(window.handle(), SW_MAXIMIZE);
    REQUIRE(eventually([&] { return window.info().state == WindowState::maximized; }));
    const Rect to{250, 230, 720, 510};
    desktop.windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }));
}

TEST_CASE("a window whose frame is unknown has the bounds of its rectangle") {
    win32::SystemCalls system;
    system.visible_frame = [](HWND) { return std::optional<RECT>(); };
    win32::Win32Desktop desktop(system);
    const TestWindow window(desktop, {200, 150});
    CHECK(window.info().bounds == Rect{200, 150, 640, 480});
}

TEST_CASE("a maximized window is listed as maximized, and moves to the requested bounds") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    ShowWindow(reinterpret_cast<HWND>(window.info().id), SW_MAXIMIZE);
    REQUIRE(eventually([&] { return window.info().state == WindowState::maximized; }));
    const Rect to{310, 230, 720, 510};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }));
    CHECK(window.info().state == WindowState::normal);
}

TEST_CASE("a window that was maximized and then minimized moves to the requested bounds") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    for (const int how : {SW_MAXIMIZE, SW_MINIMIZE})
        ShowWindow(reinterpret_cast<HWND>(window.info().id), how);
    REQUIRE(eventually([&] { return window.info().state == WindowState::minimized; }));
    const Rect to{310, 230, 720, 510};
    desktop->windows()->apply({window.info().id, WindowAction::move, to});
    CHECK(eventually([&] { return window.info().bounds == to; }));
    CHECK(window.info().state == WindowState::normal);
}

TEST_CASE("a window tells whether its program has higher rights") {
    const auto opened = open_desktop();
    const TestWindow window(*opened);
    const auto is_elevated = [&](std::optional<DWORD> theirs, std::optional<DWORD> ours) {
        win32::SystemCalls system;
        system.integrity_of_window = [=](HWND) { return theirs; };
        system.own_integrity = [=] { return ours; };
        win32::Win32Desktop desktop(system);
        const auto windows = desktop.windows()->list();
        const auto found = std::ranges::find(windows, window.info().id, &WindowInfo::id);
        REQUIRE(found != windows.end());
        return found->elevated;
    };
    constexpr DWORD medium = SECURITY_MANDATORY_MEDIUM_RID;
    constexpr DWORD high = SECURITY_MANDATORY_HIGH_RID;
    CHECK(is_elevated(high, medium));
    CHECK_FALSE(is_elevated(medium, medium));
    CHECK_FALSE(is_elevated(medium, high));
    CHECK_FALSE(is_elevated(std::nullopt, medium));
    CHECK_FALSE(is_elevated(high, std::nullopt));
}

TEST_CASE("the process of a window is opened once, although the windows are listed again") {
    const auto opened = open_desktop();
    const TestWindow window(*opened);
    const WindowId id = window.info().id;
    int reads = 0;
    win32::SystemCalls system;
    system.integrity_of_window = [&](HWND handle) {
        if (handle == reinterpret_cast<HWND>(id)) ++reads;
        return win32::integrity_of_window(handle);
    };
    win32::Win32Desktop desktop(system);
    const auto listed = [&] {
        const auto windows = desktop.windows()->list();
        const auto found = std::ranges::find(windows, id, &WindowInfo::id);
        REQUIRE(found != windows.end());
        return *found;
    };
    const WindowInfo first = listed();
    CHECK_FALSE(first.process.empty());
    const WindowInfo second = listed();
    CHECK(second.process == first.process);
    CHECK(second.process_id == first.process_id);
    CHECK(reads == 1);
}

TEST_CASE("a window with higher rights cannot be moved or closed, and the error names the cause") {
    win32::SystemCalls system;
    system.own_integrity = [] { return std::optional<DWORD>(SECURITY_MANDATORY_MEDIUM_RID); };
    system.integrity_of_window = [](HWND) {
        return std::optional<DWORD>(SECURITY_MANDATORY_HIGH_RID);
    };
    win32::Win32Desktop desktop(system);
    const TestWindow window(desktop); // brings it to the foreground, which the system may allow
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
    CHECK(window.answers());
    CHECK_FALSE(window.exits_within(0s));
    CHECK(window.info().bounds == before);
    // The destructor cannot close it either.
    PostMessageW(reinterpret_cast<HWND>(window.info().id), WM_CLOSE, 0, 0);
    CHECK(window.exits_within(desktop_contract::patience));
}

TEST_CASE("a window that does not come to the foreground is input_refused or input_not_permitted") {
    const auto real = open_desktop();
    const TestWindow window(*real);
    for (const DWORD theirs :
         {DWORD{SECURITY_MANDATORY_MEDIUM_RID}, DWORD{SECURITY_MANDATORY_HIGH_RID}}) {
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

TEST_CASE("focusing a window that hangs does not hang this program") {
    const auto desktop = open_desktop();
    TestWindow hanging(*desktop);
    const TestWindow above(*desktop);
    const WindowId id = hanging.info().id;
    hanging.hang();
    const auto focus = [&]() -> std::error_code {
        try {
            desktop->windows()->apply({id, WindowAction::focus, {}});
            return {};
        } catch (const Error& error) {
            return error.code();
        }
    };
    auto focusing = std::async(std::launch::async, focus);
    const bool returned =
        focusing.wait_for(desktop_contract::patience) == std::future_status::ready;
    hanging.go_on();
    CHECK(returned);
    CHECK(focusing.get() == errc::input_refused);
}

TEST_CASE("input is not shared with a hanging program, nor for a hanging window") {
    const auto real = open_desktop();
    const TestWindow window(*real);
    const TestWindow other(*real);
    const HWND target = window.handle();
    const HWND foreground = other.handle();
    for (const HWND hanging : {HWND{nullptr}, target, foreground}) {
        std::vector<DWORD> attached;
        win32::SystemCalls system;
        system.foreground_window = [=] { return foreground; };
        system.is_hung_app_window = [=](HWND asked) -> BOOL { return asked == hanging; };
        system.attach_thread_input = [&](DWORD, DWORD to, BOOL attach) -> BOOL {
            if (attach != FALSE) attached.push_back(to);
            return TRUE;
        };
        win32::Win32Desktop desktop(system);
        CHECK_THROWS_AS(desktop.windows()->apply({window.info().id, WindowAction::focus, {}}),
                        Error);
        if (hanging == nullptr)
            CHECK(attached == std::vector{GetWindowThreadProcessId(foreground, nullptr)});
        else
            CHECK(attached.empty());
    }
}

TEST_CASE("password fields are the visible edit controls that hide their text") {
    const auto desktop = open_desktop();
    const OwnWindow window(CreateWindowExW(0, L"STATIC", L"Login", WS_POPUP | WS_VISIBLE, 50, 60,
                                           300, 200, nullptr, nullptr, nullptr, nullptr));
    const auto add = [&](const wchar_t* name, DWORD style, int y) {
        return CreateWindowExW(0, name, L"", WS_CHILD | style, 10, y, 100, 20, window.get(),
                               nullptr, nullptr, nullptr);
    };
    add(L"EDIT", WS_VISIBLE, 10);
    const HWND field = add(L"EDIT", WS_VISIBLE | ES_PASSWORD, 40);
    add(L"EDIT", ES_PASSWORD, 70);                 // hidden
    add(L"BUTTON", WS_VISIBLE | ES_PASSWORD, 100); // the style has another meaning
    const WindowId id{reinterpret_cast<std::uintptr_t>(window.get())};
    const auto fields = [&] { return desktop->windows()->password_fields(); };
    SetForegroundWindow(window.get());
    SetFocus(field);
    CHECK(fields() == std::vector{PasswordField{id, {60, 100, 100, 20}, true}});
    SetFocus(window.get());
    CHECK(fields() == std::vector{PasswordField{id, {60, 100, 100, 20}, false}});
    ShowWindow(window.get(), SW_MINIMIZE);
    CHECK(fields().empty());
}

TEST_CASE("Notepad can be launched, waited for, focused, moved and closed") {
    const auto desktop = open_desktop();
    Windows& windows = *desktop->windows();
    const WindowQuery notepad{.window_class = "Notepad", .process = "notepad.exe"};
    REQUIRE_FALSE(find_window(windows.list(), notepad));
    desktop->launch({"notepad"});
    const WindowInfo window = wait_for_window(windows, notepad, desktop_contract::patience);
    CHECK(window.process_id != 0);
    const auto now = [&] { return find_window(windows.list(), notepad); };
    windows.apply({window.id, WindowAction::focus, {}});
    CHECK(now()->foreground);
    const Rect to{100, 80, 500, 300};
    windows.apply({window.id, WindowAction::move, to});
    CHECK(eventually([&] { return now()->bounds == to; }));
    windows.apply({window.id, WindowAction::close, {}});
    CHECK(eventually([&] { return !now(); }));
    CHECK_THROWS_AS(wait_for_window(windows, notepad, 0s), Error);
}

TEST_CASE("closing a window ends its program, and the window is no longer found") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const WindowId id = window.info().id;
    desktop->windows()->apply({id, WindowAction::close, {}});
    CHECK(window.exits_within(desktop_contract::patience));
    try {
        desktop->windows()->apply({id, WindowAction::focus, {}});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::window_not_found);
    }
}

TEST_CASE("the control at a point is the innermost child window") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const WindowId id = window.info().id;
    const Rect button = rect_of(window.state().button_a);
    const Rect area = rect_of(window.state().area);
    Windows& windows = *desktop->windows();
    CHECK(windows.control_at(id, {button.x + 5, button.y + 5}) == button);
    CHECK(windows.control_at(id, {area.right() - 1, area.y}) == area);
    CHECK_FALSE(windows.control_at(id, {area.right() + 5, area.y + 5})); // the window itself
    CHECK_FALSE(windows.control_at(id, {0, 0}));
    CHECK_FALSE(windows.control_at(WindowId{1}, {button.x + 5, button.y + 5}));
}

TEST_CASE("the control of a window that does not respond is known at once") {
    const auto desktop = open_desktop();
    TestWindow window(*desktop);
    const Rect button = rect_of(window.state().button_b);
    window.hang();
    CHECK(desktop->windows()->control_at(window.info().id, {button.x + 5, button.y + 5}) == button);
    window.go_on();
}
