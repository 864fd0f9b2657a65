#include "run/gate.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace eyehand::agent {
namespace {

/// A screen that changes during each approval must not ask forever.
constexpr int max_requests = 3;

/// What an approval is for.
struct Approved {
    std::string rule;
    std::vector<std::optional<winio::WindowId>> windows;
    friend bool operator==(const Approved&, const Approved&) = default;
};

std::optional<winio::WindowId> window_of(const GuardedEffect& effect) {
    return effect.window ? std::optional(effect.window->id) : std::nullopt;
}

Approved approved_by(const GuardVerdict& verdict, const GuardedAction& action) {
    Approved it{verdict.rule, {}};
    for (const GuardedEffect& effect : action.effects) it.windows.push_back(window_of(effect));
    return it;
}

bool by_keyboard(EffectKind kind) { return kind == EffectKind::key || kind == EffectKind::text; }

} // namespace

bool Gate::covers(const std::vector<GuardedEffect>& effects) const {
    return std::ranges::all_of(effects, [&](const GuardedEffect& effect) {
        return !effect.window_known ||
               std::ranges::any_of(latest_.effects, [&](const GuardedEffect& judged) {
                   return by_keyboard(judged.kind) == by_keyboard(effect.kind) &&
                          (!judged.window_known || window_of(judged) == window_of(effect));
               });
    });
}

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
        const Approval approval = control_.request_approval(request);
        channel = approval.channel;
        if (!approval.granted) return {{false, verdict.rule, "user", channel}, approval.reason};
        approved = approved_by(verdict, latest_);
    }
}

} // namespace eyehand::agent
