// Turns that a run gets back because the screen, not the model, was the reason for a refusal.
#pragma once

namespace eyehand::agent {

/// Counts refused calls that use up no turn.
class FreeTurns {
public:
    /// Returns 1 if the refused call uses up no turn, otherwise 0: a screen that keeps changing must
    /// not make a run endless.
    [[nodiscard]] int grant() { return granted_ < max_granted ? (++granted_, 1) : 0; }

private:
    static constexpr int max_granted = 20;
    int granted_ = 0;
};

} // namespace eyehand::agent
