// The one place through which every effect of a run passes: asks the guard, and the user if the guard
// requires approval.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/run_port.hpp"
#include "replay/desktop_tape.hpp"

#include <functional>
#include <string>
#include <vector>

namespace eyehand::agent {

/// The channel of an approval that is not a decision of the user, because no user could be asked.
inline constexpr const char* no_user_channel = "unattended";

class Gate {
public:
    using Time = Guard::Time;

    Gate(Guard guard, Approvals approvals, RunPort& control, DesktopTape& tape)
        : guard_(std::move(guard)), approvals_(approvals), control_(control), tape_(tape) {}

    struct Answer {
        GuardRecord record;
        std::string reason; ///< of the rule, or the user's; may be empty
    };
    /// Judges the action, which `action` returns with its present surroundings: an approval may take
    /// minutes, so the action is judged again after it. `request` is completed and passed to the user.
    /// Denied if the run stops meanwhile.
    [[nodiscard]] Answer permit(const std::function<GuardedAction()>& action,
                                ApprovalRequest request, const std::function<Time()>& now);
    /// Asks the user whether an action may be carried out although the model's server has reservations
    /// about it, at every level of the guard.
    [[nodiscard]] Answer confirm(ApprovalRequest request);
    /// Whether each of these effects reaches a window that the latest permitted action reaches in the
    /// same way, with the pointer or with the keyboard. True for what cannot be known.
    [[nodiscard]] bool covers(const std::vector<GuardedEffect>& effects) const {
        return agent::covers(latest_, effects);
    }
    /// Whether everything is allowed; then `permit` need not be called.
    [[nodiscard]] bool is_open() const { return guard_.level() == GuardLevel::off; }
    /// Records that the latest permitted action is carried out.
    void carried_out(Time now) { guard_.carried_out(latest_, now); }

private:
    Guard guard_;
    Approvals approvals_;
    RunPort& control_;
    DesktopTape& tape_;
    GuardedAction latest_;
};

} // namespace eyehand::agent
