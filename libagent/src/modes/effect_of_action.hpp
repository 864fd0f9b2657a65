// What an action has changed, as the screenshot after it shows.
#pragma once

#include "eyehand/agent/mode.hpp"

#include <optional>

namespace eyehand::agent {

/// Finds the effect of the latest action. Does not read a clock or the screen.
class EffectOfAction {
public:
    /// A call that has acted or failed: only the next screenshot shows its effect, unless the world
    /// has reported it.
    void invoked(const Invoked& fact) { is_awaited_ = fact.ok && fact.action.acts && !fact.effect; }
    /// No screenshot will show an effect.
    void forget() { is_awaited_ = false; }
    /// The effect that this screenshot, or the end of the wait before it, shows: `confirmed`,
    /// `no_visible_change`, or nothing if it is unknown, or has been shown.
    [[nodiscard]] std::optional<winio::ActionEffect> shown_by(const Observed& fact);

private:
    bool is_awaited_ = false;
};

} // namespace eyehand::agent
