// The checks of a run, which must succeed on any machine, and its measurements.
#pragma once

#include "scenario_run.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace reaction {

/// Returns the violations; none of the checks depends on the speed of the machine.
///
/// - *Decided on the displayed view*: no other view was visible when the latest capture before a press
///   began. A program can always change between that capture and the press.
/// - *Noticed while thinking*: if a view became visible while the model thought, and stayed, and the
///   watch then looked twice at least 300 ms apart before the first delta, the request was superseded
///   (within the library's limits: two requests of a turn; half of the median reply time). Not checked
///   with the clock, because the watch waits until nothing changes.
/// - *Ended as expected*: the run is completed, the window shows the last view, and each press arrived
///   in the view on which it was decided (or one that became visible after the latest capture).
[[nodiscard]] std::vector<std::string> violations(const RunRecord& run);

/// An action that should have led to the next view, and the screenshot after it.
struct Effect {
    std::chrono::milliseconds wait{}; ///< until the screenshot
    /// Whether the screenshot shows the reaction; empty if the scenario has none.
    std::optional<bool> shown{};
    /// Whether a screenshot 1.8 s after the press would have shown it, by the window's log.
    std::optional<bool> shown_after_fixed_wait{};
};

struct Measures {
    std::vector<Effect> effects;
    int superseded = 0; ///< requests that were sent again
    int refused = 0;    ///< presses that were refused because of a stale target
    int presses = 0;
    int late_changes = 0; ///< presses that arrived in a view that appeared after the latest capture
    std::chrono::microseconds max_gap{}; ///< the longest time from a capture to its press
};
[[nodiscard]] Measures measure(const RunRecord& run);

inline constexpr std::chrono::milliseconds fixed_wait{1800};

} // namespace reaction
