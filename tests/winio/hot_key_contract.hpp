// What a hot key does on every system.
#pragma once

#include "catch.hpp"
#include "eventually.hpp"

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/keys.hpp"

#include <atomic>

namespace hot_key_contract {

using namespace eyehand::winio;

inline void press(Desktop& desktop, const char* chord) {
    for (const Step& step : gesture::press(*parse_chord(chord)).steps)
        REQUIRE(desktop.send(std::get<Batch>(step.effect)).complete());
}

/// Another chord comes before, so that a call for it would be counted.
inline void check_presses(Desktop& desktop) {
    std::atomic<int> presses = 0;
    const auto key = desktop.hot_key(*parse_chord("ctrl+alt+pause"), [&] { ++presses; });
    press(desktop, "pause");
    press(desktop, "ctrl+pause");
    press(desktop, "ctrl+alt+shift+pause");
    press(desktop, "ctrl+alt+pause");
    CHECK(test::eventually([&] { return presses == 1; }));
    press(desktop, "ctrl+alt+pause");
    CHECK(test::eventually([&] { return presses >= 2; }));
    CHECK(presses == 2);
}

/// A press that comes later proves that an earlier one has been read.
inline void check_two_keys(Desktop& desktop) {
    std::atomic<int> first = 0;
    std::atomic<int> second = 0;
    const auto last = desktop.hot_key(*parse_chord("ctrl+alt+f8"), [&] { ++second; });
    {
        const auto key = desktop.hot_key(*parse_chord("ctrl+alt+f7"), [&] { ++first; });
        press(desktop, "ctrl+alt+f7");
        CHECK(test::eventually([&] { return first == 1; }));
    }
    press(desktop, "ctrl+alt+f7");
    press(desktop, "ctrl+alt+f8");
    CHECK(test::eventually([&] { return second == 1; }));
    CHECK(first == 1);
}

inline void check_chords(Desktop& desktop) {
    for (const char* chord : {"ctrl+alt", "ctrl+a+b"}) {
        INFO(chord);
        try {
            (void)desktop.hot_key(*parse_chord(chord), [] {});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::not_supported);
        }
    }
}

} // namespace hot_key_contract
