// execution_log.txt and main.log: the journal in words.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"

#include <string>

namespace eyehand::agent {

/// The entry for people, ending in a line break; empty where there is nothing to tell them.
[[nodiscard]] std::string describe(const Event& event);

/// The line of main.log without its time, "INFO turn 3: REPLY after 812 ms ..."; empty for what is less
/// than `min`.
[[nodiscard]] std::string main_log_line(const Event& event, LogLevel min);

} // namespace eyehand::agent
