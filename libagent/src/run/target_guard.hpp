// Refuses actions that the model decided on an outdated screenshot.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/screen_watch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace eyehand::agent {

/// Compares the target of an action with the latest screenshot. Does not read a clock or the screen.
///
/// The first action since a screenshot is compared with the screenshot completely. What the agent's
/// own actions change is what the model intends, and may come at any time; so a later action is
/// compared like this:
///
/// - What was different at its target already directly before the first action, and still is, is not
///   the agent's doing: the action is refused.
/// - The windows are compared with those directly before the latest action. Another window at the
///   target, or with the keyboard focus, is refused, except after an action that may cause it: after
///   a click, only a window that another program has opened is refused; after Enter, a shortcut, a
///   double-click, a drag or a launch, none is.
class TargetGuard {
public:
    /// A new screenshot. `toggling`: where it changed while it was waited for; desktop pixels.
    void on_screenshot(std::vector<winio::Rect> toggling);
    /// The agent has carried out `plan`; `refuses` begins to count anew. `before`: the windows
    /// directly before; empty if they are unknown.
    void on_action(const winio::Plan& plan,
                   const std::optional<std::vector<winio::WindowInfo>>& before);
    /// A tool has acted without a plan.
    void on_unknown_action();
    /// The screen directly before the latest action; call it before the next one.
    void before_another_action(const winio::ScreenState& before);
    /// Whether the agent has acted since the latest screenshot.
    [[nodiscard]] bool has_acted() const { return own_.latest.has_value(); }

    /// Compares with `seen`, the screen at the latest screenshot; returns nothing if the action may
    /// proceed. `ambient`: regions that change by themselves; `dpi`: of the display with the target.
    [[nodiscard]] std::optional<winio::StaleTarget>
    compare(const winio::ScreenState& seen, const winio::ScreenState& now, const winio::Plan& plan,
            std::vector<winio::Rect> ambient, int dpi) const;
    /// Whether the action is refused, and counts the refusal. The third time at the same target (for
    /// the keyboard: in front of the same window) for the same reason it is carried out: the model
    /// has seen the target each time, and decides the same.
    [[nodiscard]] bool refuses(const winio::StaleTarget& stale, const winio::Plan& plan);

private:
    /// Since the screenshot.
    struct OwnActions {
        std::vector<winio::Point> pointed_at; ///< what is below the pointer may look different
        std::optional<winio::Expectation> latest;
        std::optional<std::vector<winio::WindowInfo>> windows; ///< directly before the latest one
        std::optional<std::uint32_t> process;    ///< of the window that the latest one clicked
        std::optional<winio::ScreenState> first; ///< directly before the first one
    };
    struct Refused {
        winio::StaleReason reason{};
        winio::Point target;
        std::vector<winio::Rect> window; ///< for the keyboard
        int times = 0;
    };

    /// Compares the windows with those directly before the latest action.
    [[nodiscard]] std::optional<winio::StaleTarget> compare_windows(const winio::ScreenState& now,
                                                                    const winio::Plan& plan,
                                                                    winio::TargetCheck how) const;

    std::vector<winio::Rect> toggling_;
    OwnActions own_;
    std::optional<Refused> refused_; ///< since the latest action
};

} // namespace eyehand::agent
