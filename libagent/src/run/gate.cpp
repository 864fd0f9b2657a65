#include "run/gate.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

/// A screen that changes during each approval must not ask forever.
constexpr int max_requests = 3;

/// What receives an effect.
struct Receiver {
    std::optional<winio::WindowId> window{};
    bool is_password_field = false;
    friend bool operator==(const Receiver&, const Receiver&) = default;
};

/// What an approval is for.
struct Approved {
    std::string rule;
    std::vector<Receiver> receivers;
    friend bool operator==(const Approved&, const Approved&) = default;
};

Receiver receiver_of(const GuardedEffect& effect) {
    if (!effect.window) return {};
    return {effect.window->id, effect.window->kind == WindowKind::password};
}

Approved approved_by(const GuardVerdict& verdict, const GuardedAction& action) {
    Approved it{verdict.rule, {}};
    for (const GuardedEffect& effect : action.effects) it.receivers.push_back(receiver_of(effect));
    return it;
}

const char* decider_of(const Approval& approval) {
    return approval.channel == no_user_channel ? "unattended" : "user";
}

} // namespace

Gate::Answer Gate::permit(const std::function<GuardedAction()>& action, ApprovalRequest request,
                          const std::function<Time()>& now) {
    std::optional<Approved> approved;
    std::string channel;
    for (int requests = 0;; ++requests) {
        latest_ = action();
        const GuardVerdict verdict = guard_.judge(latest_, now());
        if (verdict.decision == Decision::allow) return {{true, verdict.rule, "rule", {}}, {}};
        if (verdict.decision == Decision::deny)
            return {{false, verdict.rule, "rule", {}}, verdict.reason};
        if (approved == approved_by(verdict, latest_))
            return {{true, verdict.rule, "user", channel}, {}};
        if (approvals_ == Approvals::unattended)
            return {{false, verdict.rule, "unattended", {}}, verdict.reason};
        if (requests == max_requests)
            return {{false, verdict.rule, "rule", {}},
                    "The windows at the target changed during each approval."};
        request.rule = verdict.rule;
        request.reason = verdict.reason;
        const Approval approval =
            tape_.answer(answers::approval, [&] { return control_.request_approval(request); });
        channel = approval.channel;
        if (!approval.granted)
            return {{false, verdict.rule, decider_of(approval), channel}, approval.reason};
        approved = approved_by(verdict, latest_);
    }
}

Gate::Answer Gate::confirm(ApprovalRequest request) {
    if (approvals_ == Approvals::unattended)
        return {{false, request.rule, "unattended", {}}, request.reason};
    const Approval approval =
        tape_.answer(answers::approval, [&] { return control_.request_approval(request); });
    return {{approval.granted, request.rule, decider_of(approval), approval.channel},
            approval.reason};
}

} // namespace eyehand::agent
