// Notices that an agent does the same again and again and nothing comes of it.
#pragma once

#include "agent/mode.hpp"

#include <deque>
#include <optional>
#include <string>

namespace agent {

/// A loop is the same action three times running, or a cycle of two to four actions three times,
/// while no screenshot showed anything new. Positions count as the same within ten units. Calls that
/// only look or report are no actions.
class LoopDetector {
public:
    /// An action was tried; what it came to shows in the next `saw`.
    void acted(const Action& action);
    /// A screenshot; `still`: it shows nothing new.
    void saw(bool still);
    /// What is repeated, in words; nothing: no loop.
    [[nodiscard]] std::optional<std::string> loop() const;
    void reset();

private:
    struct Step {
        Action action;
        bool still = false;
    };
    [[nodiscard]] bool repeats(std::size_t period) const;
    std::deque<Step> steps_; // with a screenshot behind them
    std::optional<Action> pending_;
};

} // namespace agent
