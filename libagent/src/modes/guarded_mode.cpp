#include "modes/guarded_mode.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::agent {
namespace {

constexpr int max_denied = 5;

} // namespace

bool GuardedMode::ends() const { return denied_ >= max_denied && !inner_->finished(); }

Command GuardedMode::next() const {
    if (!ends()) return inner_->next();
    return Finish{
        Outcome::refused,
        fmt::format("the guard denied {} actions in a row (the latest by the rule \"{}\"); to "
                    "allow such actions, add your own rule, or run with a user who can "
                    "approve them",
                    denied_, rule_)};
}

void GuardedMode::apply(const Fact& fact) {
    const auto* invoked = std::get_if<Invoked>(&fact);
    if (invoked != nullptr && invoked->guard) {
        const GuardRecord& record = *invoked->guard;
        denied_ = record.allowed || record.decider == "user" ? 0 : denied_ + 1;
        rule_ = record.rule;
    }
    inner_->apply(fact);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

} // namespace eyehand::agent
