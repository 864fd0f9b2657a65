// Measures agent-cli as a separate process, against a server that answers at once.
#pragma once

#include <vector>

namespace bench {

/// The times of a run's turns without the model and the wait for a stable screen, in milliseconds.
/// Each turn clicks and captures the whole primary display. Throws std::runtime_error if agent-cli
/// fails, for example without a display.
[[nodiscard]] std::vector<double> turn_overheads_ms(int turns);

/// The time from the start of agent-cli until its first request arrives, in milliseconds. Throws
/// like `turn_overheads_ms`.
[[nodiscard]] double first_request_ms();

[[nodiscard]] double median(std::vector<double> values);

} // namespace bench
