// Wraps a mode so that its screenshots show where the agent has acted.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace eyehand::agent {

/// Returns the commands of the inner mode, with the places of the latest actions as the annotation
/// of each screenshot. Each turn with a successful action is an entry of the trail, also if the
/// action has no place.
class HeatedMode final : public Mode {
public:
    HeatedMode(std::unique_ptr<Mode> inner, int trail_turns);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }
    void revise(const Observed& seen) override { inner_->revise(seen); }

private:
    void add(const Invoked& fact);

    std::unique_ptr<Mode> inner_;
    std::size_t trail_turns_;
    std::deque<std::vector<Mark>> trail_; ///< the latest first
    int latest_turn_ = -1;                ///< the turn of the trail's first entry
};

/// Returns the profile with an explanation of the heat in the prompt of the role that receives
/// screenshots.
[[nodiscard]] Profile with_heat_explained(Profile profile);

} // namespace eyehand::agent
