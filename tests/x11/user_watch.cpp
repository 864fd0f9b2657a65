// The signals of the user, also while another program has grabbed the keyboard.
#include "hand.hpp"
#include "user_watch_contract.hpp"
#include "x11/connection.hpp"

#include <xcb/xcb.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

using namespace eyehand::winio;
namespace contract = user_watch_contract;

namespace {

/// All windows on the screen, also the one that is never shown of each connection of the back-end.
std::set<xcb_window_t> windows_of(const x11::Connection& server) {
    const auto tree =
        server.take(xcb_query_tree_reply, xcb_query_tree(server.get(), server.root()));
    REQUIRE(tree);
    const xcb_window_t* const first = xcb_query_tree_children(tree.get());
    return {first, first + xcb_query_tree_children_length(tree.get())};
}

} // namespace

TEST_CASE("a stop key counts the presses of its chord, and of no other") {
    contract::check_stop_key(*open_desktop());
}

TEST_CASE("a watch of the user ends with its object, and leaves others") {
    contract::check_two_watches(*open_desktop());
}

TEST_CASE("the end of a watch that the caller destroys is not reported") {
    contract::check_end_by_caller(*open_desktop());
}

TEST_CASE("a watch of the user reports that its connection to the server is lost") {
    const auto desktop = open_desktop();
    const x11::Connection other;
    const std::set<xcb_window_t> others = windows_of(other);
    contract::Counts counts(*desktop, nullptr);
    std::vector<xcb_window_t> of_the_watch;
    std::ranges::set_difference(windows_of(other), others, std::back_inserter(of_the_watch));
    REQUIRE(of_the_watch.size() == 1);
    xcb_kill_client(other.get(), of_the_watch.front());
    other.synchronize();
    CHECK(counts.reaches(UserSignal::watch_ended, 1));
}

TEST_CASE("a stop key is one key with modifiers") { contract::check_chords(*open_desktop()); }

TEST_CASE("a stop key works while another program has grabbed the keyboard") {
    const auto desktop = open_desktop();
    const x11::Connection other;
    const auto grab = other.take(xcb_grab_keyboard_reply,
                                 xcb_grab_keyboard(other.get(), 0, other.root(), XCB_CURRENT_TIME,
                                                   XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC));
    REQUIRE(grab);
    REQUIRE(grab->status == XCB_GRAB_STATUS_SUCCESS);
    contract::Counts counts(*desktop, "ctrl+alt+pause");
    contract::press(*desktop, "ctrl+alt+pause");
    CHECK(counts.reaches(UserSignal::stop_key, 1));
}

TEST_CASE("input through XTEST is not the user's") {
    contract::check_input_of_program(*open_desktop(), {300, 300});
}

TEST_CASE("input from the devices of the server is the user's") {
    x11_tests::Hand hand;
    contract::check_input_of_user(*open_desktop(), hand.functions(), {300, 300});
}

TEST_CASE("the user holds Escape") {
    x11_tests::Hand hand;
    contract::check_escape(*open_desktop(), hand.functions());
}

TEST_CASE("the user moves the pointer into a corner") {
    x11_tests::Hand hand;
    contract::check_corner(*open_desktop(), hand.functions());
}
