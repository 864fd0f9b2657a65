// How fast agent-cli is, from outside: as its users run it, against a server that answers at once.
#pragma once

#include <vector>

namespace bench {

/// What the turns of a run cost besides the model and waiting for a stable screen, in milliseconds: each
/// one clicks, and looks at the whole primary display. Throws std::runtime_error where agent-cli fails,
/// as without a display.
[[nodiscard]] std::vector<double> turn_overheads_ms(int turns);

/// From starting agent-cli until its first request has arrived, in milliseconds. Throws as above.
[[nodiscard]] double first_request_ms();

[[nodiscard]] double median(std::vector<double> values);

} // namespace bench
