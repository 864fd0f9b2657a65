// Hot keys of the system.
#include "hot_key_contract.hpp"

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

TEST_CASE("a chord that another thread has registered is refused") {
    const auto desktop = open_desktop();
    const auto first = desktop->hot_key(*parse_chord("ctrl+alt+f9"), [] {});
    try {
        (void)desktop->hot_key(*parse_chord("ctrl+alt+f9"), [] {});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::input_refused);
    }
}
