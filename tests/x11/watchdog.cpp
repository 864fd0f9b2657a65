// What remains pressed if a program ends, is stopped or hangs.
#include "../watchdog/watchdog_contract.hpp"
#include "x11/connection.hpp"

#include "catch.hpp"

#include <xcb/xcb.h>

using namespace eyehand::winio;
using x11::Connection;

namespace {

bool state_has(const Connection& connection, unsigned mask) {
    const auto reply = connection.take(xcb_query_pointer_reply,
                                       xcb_query_pointer(connection.get(), connection.root()));
    REQUIRE(reply);
    return (reply->mask & mask) != 0;
}

watchdog_contract::Keys keys_of(const Connection& connection) {
    return {
        .shift_is_down = [&] { return state_has(connection, XCB_MOD_MASK_SHIFT); },
        .left_is_down = [&] { return state_has(connection, XCB_BUTTON_MASK_1); },
    };
}

} // namespace

TEST_CASE("a watchdog releases what a killed program holds") {
    const Connection connection;
    watchdog_contract::check_kill(keys_of(connection));
}

TEST_CASE("a watchdog releases what a stopped program holds, and the program knows it") {
    const Connection connection;
    watchdog_contract::check_suspension(keys_of(connection));
}

TEST_CASE("a watchdog releases what a program holds that hangs") {
    const Connection connection;
    watchdog_contract::check_hang(keys_of(connection));
}

TEST_CASE("a watchdog restores the clipboard if a program is killed that pastes") {
    const auto desktop = open_desktop();
    watchdog_contract::check_killed_paste(*desktop);
}

TEST_CASE("a watchdog restores the clipboard if a program that pastes is suspended") {
    const auto desktop = open_desktop();
    watchdog_contract::check_suspended_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user has copied during a paste") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_during_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user copies before the program has replaced it") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_before_paste(*desktop);
}

TEST_CASE("a watchdog leaves what the user copies before the program does anything more") {
    const auto desktop = open_desktop();
    watchdog_contract::check_copy_directly_after_paste(*desktop);
}

TEST_CASE("a drag of agent-cli is released when agent-cli is killed") {
    const Connection connection;
    watchdog_contract::check_killed_drag(keys_of(connection));
}

TEST_CASE("a drag of agent-cli is released when agent-cli is stopped, and fails afterwards") {
    const Connection connection;
    watchdog_contract::check_suspended_drag(keys_of(connection));
}
