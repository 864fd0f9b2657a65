// Limits of a run besides the number of its turns (`Profile::max_turns`).
//
//     agent::AgentOptions options;
//     options.limits.max_time = std::chrono::minutes(30);
//     options.limits.max_tokens = 500'000;
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace eyehand::agent {

/// A run that reaches a limit ends with Outcome::steps_used_up at its next safe point; the reason of
/// its end names the limit. A limit covers all parts of a resumed run. Limits that are not set do not
/// exist.
struct RunLimits {
    /// The duration, including pauses and waits for the user, but not the time between the parts of a
    /// resumed run. At the limit a wait for the model, the screen or the user ends within 100 ms; an
    /// action that has started completes first.
    std::optional<std::chrono::milliseconds> max_time{};
    /// Tokens of requests and replies, as the server counts them. The actions of the reply that
    /// exceeds the limit are not carried out.
    std::optional<std::int64_t> max_tokens{};
    /// The run ends when it has acted more often within 60 s.
    std::optional<int> max_actions_per_minute{};
    /// Size of the run's files in bytes, as far as the store knows it (`RunStore::size`).
    std::optional<std::uint64_t> max_bytes{};
};

} // namespace eyehand::agent
