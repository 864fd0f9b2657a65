// The reaction of a desktop to an action: what to expect, and how long to wait for it.
//
// A program often reacts late: a menu, a dialog or a new page can appear up to seconds after a click, and meanwhile only
// the clicked control looks different (its feedback). `Settler::wait_for_reaction` distinguishes the two:
//
//     BeforeAction before;
//     prepare_reaction(desktop, *capturer, area.bounds(), plan, before);
//     executor.execute(plan, stop);
//     before.acted = std::chrono::steady_clock::now();
//     Reacted look = settler.wait_for_reaction(desktop, *capturer, before, {}, stop);
//     if (look.end == ReactionEnd::no_reaction) ...
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/screen_state.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// What an action is expected to change. docs/winio.md, "Reactions", has a table of all rules.
enum class Expectation {
    nothing, ///< a pointer move, a wait, a copy: only a stable screen
    text,    ///< typed text: any change is the reaction; 300 ms without one
    paste,   ///< any change is the reaction; up to `reaction_timeout` without one
    scroll,  ///< any change is the reaction; 400 ms without one
    click,   ///< a change of the control is feedback; the wait then continues for
             ///< `feedback_timeout`
    command, ///< Enter, a shortcut, a double-click, a drag: a change of a control is feedback; the
             ///< wait continues until `reaction_timeout`
    launch,  ///< another set of windows or another window in the foreground; up to
             ///< `launch_timeout` without one
};

/// The expectation of a plan: of a launch or a window command if it has one, otherwise of a drag, a
/// double-click, a click, a turn of the wheel, or the last key or character that it presses.
[[nodiscard]] EYEHAND_WINIO_API Expectation expectation_of(const Plan& plan);

/// How a wait for a reaction ended.
enum class ReactionEnd {
    reacted,      ///< the screen reacted and became stable
    local_only,   ///< only a control changed, and then nothing more happened
    no_reaction,  ///< nothing changed
    busy_timeout, ///< the desktop was still busy after `busy_timeout`
    timeout,      ///< the screen did not become stable within `SettleOptions::timeout`
};

/// "reacted", "local_only", "no_reaction", "busy_timeout", "timeout".
[[nodiscard]] EYEHAND_WINIO_API std::string_view to_string(ReactionEnd end) noexcept;

/// Limits of a wait for a reaction; `max()`: unlimited.
struct ReactionOptions {
    /// From the end of the action until the first change that counts; a stable screen then ends the
    /// wait.
    std::chrono::milliseconds reaction_timeout{1000};
    /// After a click that changes only a control: from the end of the action, and 100 ms less from
    /// the first and from the latest change.
    std::chrono::milliseconds feedback_timeout{400};
    /// From the end of the action until a window of a launched program appears.
    std::chrono::milliseconds launch_timeout{5000};
    /// From the end of the action, or from the begin of the wait if that is later, while the desktop
    /// is busy. 0: `Desktop::busy` is ignored.
    std::chrono::milliseconds busy_timeout{5000};
};

/// Waits only for a stable screen, as `Settler::wait` does: for tests on a desktop in memory, whose
/// programs react at once.
inline constexpr ReactionOptions no_reaction_wait{
    std::chrono::milliseconds{0}, std::chrono::milliseconds{0}, std::chrono::milliseconds{0},
    std::chrono::milliseconds{0}};

/// The desktop directly before an action. The area of `frame` is the one that is watched.
struct BeforeAction : ScreenState {
    Expectation expectation = Expectation::nothing; ///< of the action
    std::optional<Point> target{}; ///< the last point at which the plan aims; desktop pixels
    int dpi = 96;                  ///< of the display with the target
    /// File name of the program of the window at the target, or, for the keyboard, of the window with
    /// the focus; empty if unknown.
    std::string process{};
    /// The bounds of the child window at the target, if it is at most a quarter of its window.
    std::optional<Rect> control{};
    /// The end of the action; set by the caller after it.
    std::chrono::steady_clock::time_point acted{};
};

/// Captures what the reaction to `plan` is compared with, into `before`, whose memory is reused.
/// Call it directly before the plan is executed. Throws what `capturer`, `Desktop::displays` and
/// `Desktop::pointer` throw; windows that cannot be listed are not compared.
EYEHAND_WINIO_API void prepare_reaction(Desktop& desktop, Capturer& capturer, const Rect& area,
                                        const Plan& plan, BeforeAction& before);

/// Whether the windows differ in a way that is a reaction: another set of windows, another foreground window, or other
/// bounds or another title of a window that is in the foreground in both.
[[nodiscard]] EYEHAND_WINIO_API bool windows_reacted(const std::vector<WindowInfo>& before,
                                                     const std::vector<WindowInfo>& after);

/// Whether the set of windows or the foreground window differs.
[[nodiscard]] EYEHAND_WINIO_API bool are_other_windows(const std::vector<WindowInfo>& before,
                                                       const std::vector<WindowInfo>& after);

/// How much of the screen an action has changed.
enum class Extent {
    nothing,
    /// The control at the target and at most one other control, each at most 400 by 64 pixels at 96
    /// DPI; or a single region of that size elsewhere; or, without a target, two of them anywhere. If
    /// the bounds of the control are known, its size does not matter.
    local,
    wide, ///< more than that
};

/// Classifies changed regions (desktop pixels, whole cells of 8 by 8). Regions at most 8 pixels
/// apart belong together. `control`: see BeforeAction.
[[nodiscard]] EYEHAND_WINIO_API Extent extent_of(const std::vector<Rect>& changed,
                                                 std::optional<Point> target, int dpi,
                                                 std::optional<Rect> control = std::nullopt);

} // namespace eyehand::winio
