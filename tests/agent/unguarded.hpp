// Options of an agent, for tests of something else than its guard.
#pragma once

#include "eyehand/agent/agent.hpp"

namespace test {

inline eyehand::agent::AgentOptions unguarded() {
    eyehand::agent::AgentOptions options;
    options.guard = eyehand::agent::Guard(eyehand::agent::GuardLevel::off);
    return options;
}

} // namespace test
