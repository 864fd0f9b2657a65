// execution_log.txt: the journal in words.
#pragma once

#include "agent/event.hpp"

#include <string>

namespace agent {

/// The entry for people, ending in a line break; empty where there is nothing to tell them.
[[nodiscard]] std::string describe(const Event& event);

} // namespace agent
