#include "eyehand/winio/desktop.hpp"

#include "changed_variable.hpp"
#include "desktop_contract.hpp"
#include "test_window.hpp"
#include "x11/connection.hpp"
#include "x11/pointer_reader.hpp"

#include <cstdlib>
#include <string>

using namespace eyehand::winio;
using x11_tests::ChangedVariable;
using x11_tests::TestWindow;
using x11_tests::variable_or_empty;

TEST_CASE("the X11 desktop meets the contract of Desktop") {
    const auto desktop = open_desktop();
    desktop_contract::check(*desktop);
}

TEST_CASE("a window of the X11 desktop meets the contract of Windows") {
    const auto desktop = open_desktop();
    const TestWindow below(*desktop, "Window below");
    const TestWindow window(*desktop, "Window to work");
    desktop_contract::check_window(*desktop, "Window to work");
}

TEST_CASE("the X11 desktop meets the contract of Desktop with windows") {
    const auto desktop = open_desktop({.backend = "x11"});
    const TestWindow below(*desktop, "Window below");
    const TestWindow above(*desktop, "Window above");
    REQUIRE(desktop->windows()->list().front().title == "Window above");
    desktop_contract::check(*desktop);
    CHECK(desktop->windows()->list().front().title == "Window above");
    CHECK(desktop->windows()->list().front().foreground);
}

TEST_CASE("this build has only the back-end for X11") {
    CHECK(BackendRegistry::built_in().names() == std::vector<std::string>{"x11"});
}

TEST_CASE("the display that the options name is opened, regardless of the environment") {
    const std::string display = variable_or_empty("DISPLAY");
    const ChangedVariable variable("DISPLAY", ":4711");
    const auto desktop = open_desktop({.display = display});
    CHECK(desktop->displays().size() == 1);
    desktop->clipboard()->set_text("served by a second connection");
    CHECK(desktop->clipboard()->text() == "served by a second connection");
}

TEST_CASE("the error for a missing display from the options contains its name") {
    for (const char* display : {":4711", "nonsense"}) {
        try {
            (void)open_desktop({.display = display});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::no_display);
            CHECK_THAT(error.what(), ContainsSubstring("\"" + std::string(display) + "\""));
            CHECK_THAT(error.what(), !ContainsSubstring("DISPLAY"));
        }
    }
}

TEST_CASE("the screen is the only display, and the primary one") {
    const auto displays = open_desktop()->displays();
    REQUIRE(displays.size() == 1);
    CHECK(displays[0].bounds == Rect{0, 0, 1920, 1080});
    CHECK(displays[0].primary);
    CHECK(displays[0].id == "screen");
}

TEST_CASE("a busy pointer is recognized by its name") {
    const auto desktop = open_desktop();
    x11::Connection connection;
    REQUIRE(x11::start_xfixes(connection));
    // An invisible window above all others.
    const xcb_window_t window = xcb_generate_id(connection.get());
    const std::uint32_t unmanaged = 1;
    xcb_create_window(connection.get(), 0, window, connection.root(), 0, 0, 1920, 1080, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_OVERRIDE_REDIRECT,
                      &unmanaged);
    xcb_map_window(connection.get(), window);
    const auto show = [&](const std::string& name) {
        const xcb_pixmap_t shape = xcb_generate_id(connection.get());
        xcb_create_pixmap(connection.get(), 1, shape, connection.root(), 8, 8);
        const xcb_cursor_t cursor = xcb_generate_id(connection.get());
        xcb_create_cursor(connection.get(), cursor, shape, shape, 0, 0, 0, 0, 0, 0, 0, 0);
        xcb_xfixes_set_cursor_name(connection.get(), cursor,
                                   static_cast<std::uint16_t>(name.size()), name.data());
        xcb_change_window_attributes(connection.get(), window, XCB_CW_CURSOR, &cursor);
        // Returns when the server has executed the requests.
        (void)connection.take(xcb_query_pointer_reply,
                              xcb_query_pointer(connection.get(), connection.root()));
    };
    show("left_ptr");
    CHECK_FALSE(desktop->busy());
    for (const char* name : {"watch", "wait"}) {
        show(name);
        CHECK(desktop->busy());
    }
    show("progress");
    CHECK_FALSE(desktop->busy());
}

TEST_CASE("two desktops at the same time have separate connections") {
    const auto first = open_desktop();
    const InputEvent move = PointerMove{{77, 55}};
    {
        const auto second = open_desktop();
        REQUIRE(second->send({&move, 1}).complete());
    }
    CHECK(desktop_contract::eventually(
        [&] {
            return first->pointer() == Point{77, 55};
        },
        x11_tests::patience));
}

TEST_CASE("input arrives even if the desktop is closed at once") {
    const InputEvent move = PointerMove{{123, 234}};
    REQUIRE(open_desktop()->send({&move, 1}).complete());
    CHECK(open_desktop()->pointer() == Point{123, 234});
}
