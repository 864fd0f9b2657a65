// Notices that an agent does the same again and again and nothing comes of it.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <deque>
#include <optional>
#include <string>

namespace eyehand::agent {

/// A loop is the same action, or a cycle of actions, several times running, while no screenshot showed
/// anything new. Calls that only look or report are no actions.
class LoopDetector {
public:
    explicit LoopDetector(LoopProfile rules = {}) : rules_(rules) {}
    /// An action was tried; what it came to shows in the next `saw`.
    void acted(const Action& action);
    /// A call was refused before anything was done: that changes no screen, whoever looks.
    void refused(const Action& action);
    /// A screenshot; `still`: it shows nothing new, so nothing since the one before had an effect.
    void saw(bool still);
    /// What is repeated, in words; nothing: no loop.
    [[nodiscard]] std::optional<std::string> loop() const;
    void reset();

private:
    struct Step {
        Action action;
        std::optional<bool> still; ///< nobody has looked yet
    };
    void add(Step step);
    [[nodiscard]] bool repeats(std::size_t period) const;
    LoopProfile rules_;
    std::deque<Step> steps_; ///< the newest ones, as many as a loop can have
};

/// The call as one that was tried: a refused one, as it was written.
[[nodiscard]] Action as_tried(const Invoked& fact, const std::string& arguments);

/// What the model is told of its loop, and of what was done about it.
[[nodiscard]] std::string words_on_loop(std::string_view loop);
[[nodiscard]] std::string words_on_loop(std::string_view loop, const Recovered& recovered);

} // namespace eyehand::agent
