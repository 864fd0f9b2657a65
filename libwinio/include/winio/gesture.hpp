// Gestures: pure functions from what is meant to the Plan that does it. `Hands` carries plans out.
//
//     for (const Plan& plan : {gesture::click({640, 360}), gesture::type("Zażółć\n"),
//                              gesture::press(*parse_chord("ctrl+s"))}) {
//         const HandsReport report = hands.carry_out(plan, stop);
//         if (!report.complete()) return report;
//     }
#pragma once

#include "winio/effect.hpp"

#include <string_view>

namespace winio::gesture {

[[nodiscard]] Plan move(Point to);
/// Moves to `at` and presses and releases the button `times` times in one batch (2: double-click).
/// Throws std::invalid_argument unless 1 <= times <= 3.
[[nodiscard]] Plan click(Point at, Button button = Button::left, int times = 1);
/// Clicks where the pointer is.
[[nodiscard]] Plan click_here(Button button = Button::left);
/// Presses at `from`, moves along a straight line in `steps` equal parts, releases at `to`, waiting
/// `step_wait` after each move (programs that poll the pointer miss faster drags).
[[nodiscard]] Plan drag(Point from, Point to, int steps = 15,
                        std::chrono::milliseconds step_wait = std::chrono::milliseconds{10});
/// Moves to `at` and turns the wheel; positive `notches` scroll up (or right).
[[nodiscard]] Plan scroll(Point at, int notches, Axis axis = Axis::vertical);
/// Presses all keys of the chord in order and releases them in the opposite order, in one batch.
[[nodiscard]] Plan press(const KeyChord& chord);
/// Types UTF-8 text: CR LF, LF and CR are one Enter each, a tab is the Tab key, all else is typed
/// as Unicode. Batches hold at most 100 events (a bound the reference systems found safe). Throws
/// std::invalid_argument for invalid UTF-8 and NUL; see `typing_problem` for a check that does not
/// throw.
[[nodiscard]] Plan type(std::string_view utf8);
/// Why `utf8` cannot be typed, in words; empty when it can.
[[nodiscard]] std::string typing_problem(std::string_view utf8);

} // namespace winio::gesture
