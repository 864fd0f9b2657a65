// Watches the screen between a screenshot and the action that is based on it.
//
//     ScreenState seen;
//     capture_state(*desktop, *capturer, area.bounds(), seen);
//     ScreenWatch watch; // keeps its memory from turn to turn
//     watch.start(seen, Clock::now());
//     while (!answered) {
//         capture_state(*desktop, *capturer, area.bounds(), now);
//         watch.note(now, Clock::now());
//         if (watch.changed()) ... // the model reasons about an outdated screen
//         wait(watch_interval(cost_of_the_capture));
//     }
//
// `check_target` decides directly before the action whether its target still looks as it did.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/effect.hpp"
#include "eyehand/winio/screen_state.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace eyehand::winio {

// ---- the watch ----------------------------------------------------------------------------------

/// Finds out whether the screen has changed since a moment, except where it changes by itself.
///
/// A cell of 8 by 8 pixels changes by itself (a clock, a video, a spinner) if it, or a neighbor, has
/// changed at least four times during the watches of the last 30 seconds, until it pauses for longer
/// than three times its longest gap. (A program that shows a splash screen and then its content
/// changes a cell two or three times.) If such cells cover more than half of the area, they count as
/// changes.
///
/// Does not read a clock: the caller passes increasing times. Not thread-safe.
class EYEHAND_WINIO_API ScreenWatch {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Starts a watch: later states are compared with `seen`, which is copied. What is known about
    /// cells that change by themselves remains if the area is the same. Carets are recognized at this
    /// DPI (`changed_regions`).
    void start(const ScreenState& seen, Time now, int dpi = 96);
    /// Records the present state. Call it only between `start` and the next input.
    void note(const ScreenState& state, Time now);

    /// The regions that differ from the start of the watch (desktop pixels), once nothing that
    /// counts has changed for 300 ms; empty otherwise. A region counts if it has at least four
    /// connected cells. If only the windows differ (another set of windows, another foreground window,
    /// or other bounds of that window), the bounds of those windows.
    [[nodiscard]] const std::vector<Rect>& changed() const { return changed_; }
    /// The same regions without the wait until nothing changes.
    [[nodiscard]] std::vector<Rect> differing() const;
    /// When the screen first differed in this watch in a way that counts; empty if it has not.
    [[nodiscard]] std::optional<Time> first_change() const { return first_change_; }
    /// The cells that changed by themselves at the latest `note`, as regions in desktop pixels.
    [[nodiscard]] std::vector<Rect> ambient() const;

private:
    using Changes = std::vector<Time>; ///< of a cell, oldest first

    ScreenState seen_;
    ScreenState latest_;
    std::vector<Changes> cells_;        ///< row by row
    std::optional<Time> noted_;         ///< the latest `note`, of this watch or an earlier one
    bool noted_now_ = false;            ///< in this watch
    bool moved_ = false;                ///< a cell has changed in this watch
    std::optional<Time> first_change_;  ///< that counts
    std::optional<Time> latest_change_; ///< the same
    int dpi_ = 96;
    std::vector<Rect> changed_;
};

/// The wait until the next look of a watch: at least 100 ms, and long enough that looks take at most
/// 3 % of a processor's time.
[[nodiscard]] EYEHAND_WINIO_API std::chrono::milliseconds
watch_interval(std::chrono::microseconds cost_of_a_look);

// ---- the target of an action --------------------------------------------------------------------

/// What is different at the target of an action.
enum class StaleReason {
    appearance, ///< the surroundings of the target look different
    window,     ///< another window is at the target, or the window no longer exists
    foreground, ///< another window has the keyboard focus, or its program has opened a new window
};
/// "appearance", "window", "foreground".
[[nodiscard]] EYEHAND_WINIO_API std::string_view to_string(StaleReason reason) noexcept;

struct StaleTarget {
    StaleReason reason = StaleReason::appearance;
    std::vector<Rect>
        rects{}; ///< the surroundings, or the window that is there now; desktop pixels
};

/// How to compare.
struct TargetCheck {
    /// Compare pixels and new windows, too. Switch it off after another action since `seen`: its
    /// reaction may have changed them.
    bool complete = true;
    /// After a click on a window of this process since `seen`: of the windows at the target and in the
    /// foreground, only one that another process has opened since `seen` is another window.
    std::optional<std::uint32_t> clicked_process{};
    std::vector<Rect> ignored{};    ///< regions that change by themselves; desktop pixels
    std::optional<Point> pointer{}; ///< where the pointer has rested since `seen`
    int dpi = 96;                   ///< of the display with the target
};

/// Compares the target of `plan` in two states. Returns nothing if the action may proceed.
///
/// - Clicks and drags: the window at each target must be the same, and its surroundings must look
///   the same: nine by seven cells of 8 pixels (at 96 DPI), clipped to the window. A cell differs if
///   more than 1/32 of its pixels differ by more than 24 in a channel. The target is stale if at
///   least 1/8 of the cells, or any of the nine cells in the middle, differ. If the pointer rests in
///   the surroundings, only the nine count (tooltips). Carets are ignored.
/// - Wheel: the window at the target must be the same.
/// - Keyboard: the foreground window must be the same, and its process must not have opened a new
///   window with a title (tooltips and shadows have none). Titles are not compared.
/// - Window commands: the window must still exist with the same process.
/// - Pointer moves, waits and launches are never stale.
///
/// What is unknown in either state is not compared.
[[nodiscard]] EYEHAND_WINIO_API std::optional<StaleTarget>
check_target(const ScreenState& seen, const ScreenState& now, const Plan& plan,
             const TargetCheck& how = {});

} // namespace eyehand::winio
