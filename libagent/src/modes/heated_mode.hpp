// Any mode whose screenshots show where the agent has acted.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace eyehand::agent {

/// What the mode inside says, with the places of the latest actions as the annotation of each look. The
/// trail goes by actions: those of one turn, as far as the desktop took them, are an entry, also where
/// they have no place.
class HeatedMode final : public Mode {
public:
    HeatedMode(std::unique_ptr<Mode> inner, int trail_turns);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    void add(const Invoked& fact);

    std::unique_ptr<Mode> inner_;
    std::size_t trail_turns_;
    std::deque<std::vector<Mark>> trail_; ///< the latest first
    int latest_turn_ = -1;                ///< of the trail's first entry
};

/// The profile, whose prompts tell those that see screenshots what the heat is.
[[nodiscard]] Profile with_heat_explained(Profile profile);

} // namespace eyehand::agent
