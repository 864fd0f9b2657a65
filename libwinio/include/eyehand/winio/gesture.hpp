// Gestures: pure functions that return a Plan, which `InputExecutor` executes.
//
//     for (const Plan& plan : {gesture::click({640, 360}), gesture::type("Zażółć\n"),
//                              gesture::press(*parse_chord("ctrl+s"))}) {
//         const ExecutionReport report = executor.execute(plan, stop);
//         if (!report.complete()) return report;
//     }
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/effect.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace eyehand::winio::gesture {

[[nodiscard]] EYEHAND_WINIO_API Plan move(Point to);
/// Moves to `at` and presses and releases the button `times` times in one batch (2: double-click).
/// Throws std::invalid_argument unless 1 <= times <= 3.
[[nodiscard]] EYEHAND_WINIO_API Plan click(Point at, Button button = Button::left, int times = 1);
/// Clicks at the position of the pointer.
[[nodiscard]] EYEHAND_WINIO_API Plan click_here(Button button = Button::left);
/// Moves to `at`, presses the button and releases it after `time`.
[[nodiscard]] EYEHAND_WINIO_API Plan press_and_hold(Point at, std::chrono::milliseconds time,
                                                    Button button = Button::left);

struct DragOptions {
    Button button = Button::left;
    int steps = 15; ///< number of moves along the whole path, at least one for each segment
    /// Wait after the press and each move: programs that poll the pointer miss faster drags.
    std::chrono::milliseconds step_wait{10};
};
/// Presses at `from`, moves along a straight line, releases at `to`. Throws std::invalid_argument
/// if `steps` is less than 1.
[[nodiscard]] EYEHAND_WINIO_API Plan drag(Point from, Point to, const DragOptions& options = {});
/// The same along a path. The steps are distributed over the segments by length, and the pointer
/// moves to each corner. Throws std::invalid_argument if `steps` is less than 1 or `path` has fewer
/// than two points.
[[nodiscard]] EYEHAND_WINIO_API Plan drag_along(std::span<const Point> path,
                                                const DragOptions& options = {});
/// Moves to `at` and turns the wheel; positive `notches` scroll up (or right).
[[nodiscard]] EYEHAND_WINIO_API Plan scroll(Point at, int notches, Axis axis = Axis::vertical);
/// Presses all keys of the chord in order and releases them in the opposite order, in one batch.
[[nodiscard]] EYEHAND_WINIO_API Plan press(const KeyChord& chord);
/// Does `what` while the chord's keys are held: holding(*parse_chord("ctrl"), click(at)). If `what`
/// begins and ends with a batch of input, the keys are pressed and released within these batches.
[[nodiscard]] EYEHAND_WINIO_API Plan holding(const KeyChord& keys, Plan what);
/// Types UTF-8 text: CR LF, LF and CR are one Enter each, a tab is the Tab key, and everything else
/// is typed as Unicode. Batches contain at most 100 events, which other agents found safe.
/// With a `wait`, each character is a batch of its own, and `wait` passes between two of them.
/// Throws std::invalid_argument for invalid UTF-8 and NUL; `typing_problem` is a check that does
/// not throw.
[[nodiscard]] EYEHAND_WINIO_API Plan type(std::string_view utf8,
                                          std::chrono::milliseconds wait = {});
/// Copies the text to the clipboard, presses `chord` (usually Ctrl+V), gives the program
/// `time_to_read`, and restores the clipboard (see ClipboardRestore). Throws std::invalid_argument
/// for invalid UTF-8 and NUL.
[[nodiscard]] EYEHAND_WINIO_API Plan
paste(std::string_view utf8, const KeyChord& chord = {{NamedKey::ctrl, U'v'}},
      std::chrono::milliseconds time_to_read = std::chrono::milliseconds{300});
/// Explains why `utf8` cannot be typed; empty if it can.
[[nodiscard]] EYEHAND_WINIO_API std::string typing_problem(std::string_view utf8);

} // namespace eyehand::winio::gesture
