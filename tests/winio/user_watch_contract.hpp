// What `Desktop::watch_user` does on every system.
#pragma once

#include "catch.hpp"
#include "eventually.hpp"

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/keys.hpp"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace user_watch_contract {

using namespace eyehand::winio;

/// Input that the system does not take for a program's.
struct Hand {
    std::function<void(NamedKey, Press)> key;
    std::function<void()> click;
    std::function<void(Point)> move; ///< from anywhere else
};

/// Counts the signals of a watch.
class Counts {
public:
    Counts(Desktop& desktop, const char* stop_key)
        : watch_(desktop.watch_user(
              {.stop_key = stop_key == nullptr ? std::nullopt : parse_chord(stop_key)},
              [this](UserSignal signal) { ++of(signal); })) {}
    [[nodiscard]] std::atomic<int>& of(UserSignal signal) {
        return counts_.at(static_cast<std::size_t>(signal));
    }
    [[nodiscard]] bool reaches(UserSignal signal, int count) {
        return test::eventually([&] { return of(signal) >= count; });
    }

private:
    std::array<std::atomic<int>, static_cast<std::size_t>(UserSignal::watch_ended) + 1> counts_{};
    std::unique_ptr<UserWatch> watch_; ///< ends first
};

inline void press(Desktop& desktop, const char* chord) {
    for (const Step& step : gesture::press(*parse_chord(chord)).steps)
        REQUIRE(desktop.send(std::get<Batch>(step.effect)).complete());
}

/// Another chord comes before, so that a signal for it would be counted.
inline void check_stop_key(Desktop& desktop) {
    Counts counts(desktop, "ctrl+alt+pause");
    press(desktop, "pause");
    press(desktop, "ctrl+pause");
    press(desktop, "ctrl+alt+shift+pause");
    press(desktop, "ctrl+alt+pause");
    CHECK(counts.reaches(UserSignal::stop_key, 1));
    press(desktop, "ctrl+alt+pause");
    CHECK(counts.reaches(UserSignal::stop_key, 2));
    CHECK(counts.of(UserSignal::stop_key) == 2);
}

/// A press that comes later proves that an earlier one has been read.
inline void check_two_watches(Desktop& desktop) {
    Counts last(desktop, "ctrl+alt+f8");
    int presses = 0;
    {
        Counts first(desktop, "ctrl+alt+f7");
        press(desktop, "ctrl+alt+f7");
        CHECK(first.reaches(UserSignal::stop_key, 1));
        presses = first.of(UserSignal::stop_key);
    }
    press(desktop, "ctrl+alt+f7");
    press(desktop, "ctrl+alt+f8");
    CHECK(last.reaches(UserSignal::stop_key, 1));
    CHECK(presses == 1);
}

/// The destructor of a watch waits for its calls, so a report of its end would have arrived.
inline void check_end_by_caller(Desktop& desktop) {
    std::atomic<int> ends = 0;
    {
        const auto watch = desktop.watch_user({}, [&](UserSignal signal) {
            if (signal == UserSignal::watch_ended) ++ends;
        });
    }
    CHECK(ends == 0);
}

inline void check_chords(Desktop& desktop) {
    for (const char* chord : {"ctrl+alt", "ctrl+a+b"}) {
        INFO(chord);
        try {
            (void)desktop.watch_user({.stop_key = parse_chord(chord)}, [](UserSignal) {});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::not_supported);
        }
    }
}

/// The stop key proves that everything before it has been read.
inline void check_input_of_program(Desktop& desktop, Point place) {
    Counts counts(desktop, "ctrl+alt+f7");
    const Batch input{PointerMove{place}, ButtonChange{Button::left, Press::down},
                      ButtonChange{Button::left, Press::up},
                      KeyChange{NamedKey::shift, Press::down},
                      KeyChange{NamedKey::shift, Press::up}};
    REQUIRE(desktop.send(input).complete());
    press(desktop, "ctrl+alt+f7");
    CHECK(counts.reaches(UserSignal::stop_key, 1));
    CHECK(counts.of(UserSignal::input) == 0);
}

inline void check_input_of_user(Desktop& desktop, const Hand& hand, Point place) {
    const std::function<void()> inputs[]{
        [&] {
            hand.key(NamedKey::shift, Press::down);
            hand.key(NamedKey::shift, Press::up);
        },
        [&] { hand.click(); },
        [&] {
            hand.move(place);
            hand.move({place.x + 40, place.y});
        },
    };
    for (const auto& by_hand : inputs) {
        Counts counts(desktop, nullptr);
        by_hand();
        CHECK(counts.reaches(UserSignal::input, 1));
        CHECK(counts.of(UserSignal::stop_key) == 0);
    }
}

inline void check_escape(Desktop& desktop, const Hand& hand) {
    Counts counts(desktop, nullptr);
    hand.key(NamedKey::escape, Press::down);
    CHECK(counts.reaches(UserSignal::escape, 1));
    hand.key(NamedKey::escape, Press::up);
    CHECK(counts.of(UserSignal::corner) == 0);
}

inline void check_corner(Desktop& desktop, const Hand& hand) {
    const Rect bounds = desktop.displays().front().bounds;
    Counts counts(desktop, nullptr);
    hand.move({bounds.x + bounds.width / 2, bounds.y + bounds.height / 2});
    hand.move({bounds.x + bounds.width - 1, bounds.y + bounds.height - 1});
    CHECK(counts.reaches(UserSignal::corner, 1));
    CHECK(counts.of(UserSignal::escape) == 0);
}

} // namespace user_watch_contract
