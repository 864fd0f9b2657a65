// Hot keys, also while another program has grabbed the keyboard.
#include "hot_key_contract.hpp"
#include "x11/connection.hpp"

#include <xcb/xcb.h>

using hot_key_contract::press;

using namespace eyehand::winio;

TEST_CASE("a hot key counts the presses of its chord, and of no other") {
    const auto desktop = open_desktop();
    hot_key_contract::check_presses(*desktop);
}

TEST_CASE("a hot key ends with its object, and leaves others") {
    const auto desktop = open_desktop();
    hot_key_contract::check_two_keys(*desktop);
}

TEST_CASE("a hot key is one key with modifiers") {
    const auto desktop = open_desktop();
    hot_key_contract::check_chords(*desktop);
}

TEST_CASE("a hot key works while another program has grabbed the keyboard") {
    const auto desktop = open_desktop();
    const x11::Connection other;
    const auto grab = other.take(xcb_grab_keyboard_reply,
                                 xcb_grab_keyboard(other.get(), 0, other.root(), XCB_CURRENT_TIME,
                                                   XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC));
    REQUIRE(grab);
    REQUIRE(grab->status == XCB_GRAB_STATUS_SUCCESS);
    std::atomic<int> presses = 0;
    const auto key = desktop->hot_key(*parse_chord("ctrl+alt+pause"), [&] { ++presses; });
    press(*desktop, "ctrl+alt+pause");
    CHECK(test::eventually([&] { return presses == 1; }));
}
