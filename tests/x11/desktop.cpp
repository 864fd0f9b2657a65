#include "eyehand/winio/desktop.hpp"

#include "changed_variable.hpp"
#include "desktop_contract.hpp"
#include "test_window.hpp"
#include "x11/connection.hpp"
#include "x11/pointer_reader.hpp"

#include <cstdlib>
#include <cstring>

using namespace eyehand::winio;
using x11_tests::ChangedVariable;
using x11_tests::TestWindow;

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
    const std::string display = getenv("DISPLAY");
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
    x11::Connection connection({});
    REQUIRE(x11::start_xfixes(connection));
    const auto show = [&](const char* name, std::uint16_t glyph) {
        const xcb_font_t font = xcb_generate_id(connection.get());
        xcb_open_font(connection.get(), font, 6, "cursor");
        const xcb_cursor_t cursor = xcb_generate_id(connection.get());
        xcb_create_glyph_cursor(connection.get(), cursor, font, font, glyph, glyph + 1, 0, 0, 0,
                                65535, 65535, 65535);
        xcb_xfixes_set_cursor_name(connection.get(), cursor,
                                   static_cast<std::uint16_t>(std::strlen(name)), name);
        xcb_change_window_attributes(connection.get(), connection.root(), XCB_CW_CURSOR, &cursor);
        xcb_flush(connection.get());
        (void)connection.take(xcb_query_pointer_reply,
                              xcb_query_pointer(connection.get(), connection.root()));
    };
    constexpr std::uint16_t left_ptr = 68; // of the cursor font
    constexpr std::uint16_t watch = 150;
    show("left_ptr", left_ptr);
    CHECK_FALSE(desktop->busy());
    show("watch", watch);
    CHECK(desktop->busy());
    show("left_ptr", left_ptr);
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
