// A screen without a window manager.
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "test_window.hpp"
#include "x11/connection.hpp"

using namespace eyehand::winio;
using x11_tests::TestWindow;

namespace {

/// A client with the properties of a window manager (EWMH) whose active window is always the same one.
class NamingManager {
public:
    explicit NamingManager(WindowId active) {
        set(connection_.root(), "_NET_SUPPORTING_WM_CHECK", XCB_ATOM_WINDOW,
            {connection_.window()});
        set(connection_.window(), "_NET_SUPPORTING_WM_CHECK", XCB_ATOM_WINDOW,
            {connection_.window()});
        set(connection_.root(), "_NET_SUPPORTED", XCB_ATOM_ATOM,
            {connection_.atom("_NET_ACTIVE_WINDOW")});
        set(connection_.root(), "_NET_ACTIVE_WINDOW", XCB_ATOM_WINDOW, {handle(active)});
        connection_.synchronize();
    }
    ~NamingManager() {
        for (const char* name :
             {"_NET_SUPPORTING_WM_CHECK", "_NET_SUPPORTED", "_NET_ACTIVE_WINDOW"})
            xcb_delete_property(connection_.get(), connection_.root(), connection_.atom(name));
        connection_.synchronize();
    }
    NamingManager(const NamingManager&) = delete;
    NamingManager& operator=(const NamingManager&) = delete;

    /// In WM_HINTS (ICCCM).
    void set_input_hint(WindowId window, bool input) const {
        constexpr std::uint32_t input_is_stated = 1;
        set(handle(window), "WM_HINTS", XCB_ATOM_WM_HINTS,
            {input_is_stated, input ? 1U : 0U, 0, 0, 0, 0, 0, 0, 0});
        connection_.synchronize();
    }
    void focus(WindowId window) const {
        xcb_set_input_focus(connection_.get(), XCB_INPUT_FOCUS_POINTER_ROOT, handle(window),
                            XCB_CURRENT_TIME);
        connection_.synchronize();
    }

private:
    static xcb_window_t handle(WindowId window) {
        return static_cast<xcb_window_t>(static_cast<std::uintptr_t>(window));
    }
    void set(xcb_window_t window, const char* name, xcb_atom_t type,
             const std::vector<std::uint32_t>& values) const {
        xcb_change_property(connection_.get(), XCB_PROP_MODE_REPLACE, window,
                            connection_.atom(name), type, 32,
                            static_cast<std::uint32_t>(values.size()), values.data());
    }

    mutable x11::Connection connection_;
};

} // namespace

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

TEST_CASE("a window that a manager calls active has the focus only if the server agrees",
          "[unmanaged]") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Named");
    const TestWindow focused(*desktop, "Focused");
    const WindowId id = window.info().id;
    // This client calls itself a manager, and names a window that does not have the focus.
    const NamingManager manager(id);
    try {
        desktop->windows()->apply({id, WindowAction::focus, {}});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::input_refused);
        CHECK_THAT(error.what(), ContainsSubstring("Named"));
    }
    manager.set_input_hint(id, false); // a window that takes no keys
    CHECK_NOTHROW(desktop->windows()->apply({id, WindowAction::focus, {}}));
    manager.set_input_hint(id, true);
    CHECK_THROWS_AS(desktop->windows()->apply({id, WindowAction::focus, {}}), Error);
    manager.focus(id);
    CHECK_NOTHROW(desktop->windows()->apply({id, WindowAction::focus, {}}));
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
