// execution_log.txt and main.log: the journal in readable form.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"

#include <string>

namespace eyehand::agent {

/// The readable entry, ending in a line break; empty for events that are not logged.
[[nodiscard]] std::string describe(const Event& event);

/// The line of main.log without its time, "INFO turn 3: REPLY after 812 ms ..."; empty for events
/// below `min`.
[[nodiscard]] std::string main_log_line(const Event& event, LogLevel min);

} // namespace eyehand::agent
