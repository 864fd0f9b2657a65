// Refuses actions that the model decided on an outdated screenshot.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/screen_watch.hpp"

#include <optional>
#include <vector>

namespace eyehand::agent {

/// Compares the target of an action with the latest screenshot. Does not read a clock or the screen.
class TargetGuard {
public:
    /// A new screenshot. `toggling`: where it changed while it was waited for; desktop pixels.
    void on_screenshot(std::vector<winio::Rect> toggling) {
        toggling_ = std::move(toggling);
        own_action_.reset();
        moved_to_.reset();
    }
    /// The agent has acted; `refuses` begins to count anew.
    void on_action(winio::Expectation expected) {
        if (expected != winio::Expectation::nothing) own_action_ = expected;
        refused_.reset();
    }
    /// The agent has moved the pointer, and what is below it may look different.
    void on_move(winio::Point to) { moved_to_ = to; }
    /// A tool has acted without a plan.
    void on_unknown_action() { own_action_ = winio::Expectation::command; }
    /// Whether the agent has acted since the latest screenshot.
    [[nodiscard]] bool has_acted() const { return own_action_.has_value(); }

    /// Compares with `seen`, the screen at the latest screenshot; returns nothing if the action may
    /// proceed. After an action that may have opened or closed windows, further actions without a
    /// new screenshot are not compared: what has changed is what the model intended. `ambient`:
    /// regions that change by themselves; `dpi`: of the display with the target.
    [[nodiscard]] std::optional<winio::StaleTarget>
    compare(const winio::ScreenState& seen, const winio::ScreenState& now, const winio::Plan& plan,
            std::vector<winio::Rect> ambient, int dpi) const;
    /// Whether the action is refused, and counts the refusal. The third time at the same target (for
    /// the keyboard: in front of the same window) for the same reason it is carried out: the model
    /// has seen the target each time, and decides the same.
    [[nodiscard]] bool refuses(const winio::StaleTarget& stale, const winio::Plan& plan);

private:
    struct Refused {
        winio::StaleReason reason{};
        winio::Point target;
        std::vector<winio::Rect> window; ///< for the keyboard
        int times = 0;
    };

    std::vector<winio::Rect> toggling_;
    std::optional<winio::Expectation> own_action_; ///< the latest one since the screenshot
    std::optional<winio::Point> moved_to_;         ///< since the screenshot
    std::optional<Refused> refused_;               ///< since the latest action
};

} // namespace eyehand::agent
