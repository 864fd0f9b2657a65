// Wraps a mode so that a run ends if the guard denies one action after the other.
#pragma once

#include "eyehand/agent/mode.hpp"

#include <memory>
#include <string>

namespace eyehand::agent {

/// Returns the commands of the inner mode. After five calls that the guard has denied, without an
/// allowed one between them, the run ends as refused: the model cannot go on, or does not give up.
/// Denials by the user do not count, because the user can end the run.
class GuardedMode final : public Mode {
public:
    explicit GuardedMode(std::unique_ptr<Mode> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return ends() || inner_->finished(); }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }
    void revise(const Observed& seen) override { inner_->revise(seen); }

private:
    [[nodiscard]] bool ends() const;

    std::unique_ptr<Mode> inner_;
    int denied_ = 0;   ///< since the latest allowed call
    std::string rule_; ///< of the latest denial
};

} // namespace eyehand::agent
