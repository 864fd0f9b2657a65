// Detects an agent that repeats the same actions without effect.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <deque>
#include <optional>
#include <string>

namespace eyehand::agent {

/// A loop is the same action, or cycle of actions, repeated in succession while no screenshot after
/// the first time shows anything new. Calls that only look or report are not actions.
class LoopDetector {
public:
    /// `numbers`: those of the model, for `loop`; empty: 0 to 1000.
    explicit LoopDetector(LoopProfile rules = {}, std::optional<CoordinateConverter> numbers = {})
        : rules_(rules), numbers_(numbers) {}
    /// Records an action; the next `saw` reports its effect.
    void acted(const Action& action);
    /// Records a call that was refused before it had any effect: it needs no screenshot.
    void refused(const Action& action);
    /// Records a screenshot. `still`: it shows nothing new, so no action since the previous one had
    /// an effect.
    void saw(bool still);
    /// Another screenshot replaces the latest one.
    void revise(bool still);
    /// The repeated actions in words; nothing if there is no loop.
    [[nodiscard]] std::optional<std::string> loop() const;
    void reset();

private:
    struct Step {
        Action action;
        std::optional<bool> still;   ///< not set until the next screenshot
        bool of_latest_look = false; ///< `still` comes from the latest screenshot
    };
    void add(Step step);
    [[nodiscard]] bool repeats(std::size_t period) const;
    [[nodiscard]] std::string in_words(const Action& action) const;
    LoopProfile rules_;
    std::optional<CoordinateConverter> numbers_;
    std::deque<Step> steps_; ///< the newest ones, up to the maximum length of a loop
};

/// The action of a call; for a refused call, its tool and its unparsed arguments.
[[nodiscard]] Action as_tried(const Invoked& fact, const std::string& arguments);

/// The text for the model about its loop, and about the recovery.
[[nodiscard]] std::string words_on_loop(std::string_view loop);
[[nodiscard]] std::string words_on_loop(std::string_view loop, const Recovered& recovered);

} // namespace eyehand::agent
