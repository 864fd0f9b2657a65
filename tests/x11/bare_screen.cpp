// A screen without a window manager.
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "test_window.hpp"
#include "x11/connection.hpp"

using namespace eyehand::winio;
using x11_tests::TestWindow;

TEST_CASE("a screen without a window manager meets the contract of Desktop", "[unmanaged]") {
    const auto desktop = open_desktop();
    desktop_contract::check(*desktop);
}

TEST_CASE("without a window manager, windows can be focused, moved and closed", "[unmanaged]") {
    const auto desktop = open_desktop();
    const TestWindow below(*desktop, "Window below");
    const TestWindow window(*desktop, "Window to work");
    desktop_contract::check_window(*desktop, "Window to work");
}

TEST_CASE("without a window manager, the windows of the screen are listed, the topmost first",
          "[unmanaged]") {
    const auto desktop = open_desktop();
    const TestWindow first(*desktop, "First");
    const TestWindow second(*desktop, "Second", {.size = {250, 150}});
    const auto windows = desktop->windows()->list();
    REQUIRE(windows.size() == 2);
    CHECK(windows[0].title == "Second");
    CHECK(windows[0].bounds == Rect{0, 0, 250, 150});
    CHECK(windows[0].foreground);
    CHECK(windows[1].title == "First");
    CHECK_FALSE(windows[1].foreground);
}

TEST_CASE("moving a window that stays at its place is an error", "[unmanaged]") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Stubborn");
    const WindowId id = window.info().id;
    // A client that redirects all requests to place windows must execute them, and this client does
    // not.
    const x11::Connection redirecting_client;
    const std::uint32_t events = XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT;
    xcb_change_window_attributes(redirecting_client.get(), redirecting_client.root(),
                                 XCB_CW_EVENT_MASK, &events);
    redirecting_client.synchronize();
    try {
        desktop->windows()->apply({id, WindowAction::move, {100, 120, 300, 200}});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::input_refused);
        CHECK_THAT(error.what(), ContainsSubstring("Stubborn"));
    }
}
