// The built-in modes. Each folder defines its own function; mode_factory.cpp registers it.
#pragma once

#include "eyehand/agent/mode_factory.hpp"

#include <memory>

namespace eyehand::agent {

[[nodiscard]] std::shared_ptr<const ModeFactory> conversation_factory();
[[nodiscard]] std::shared_ptr<const ModeFactory> team_factory();
[[nodiscard]] std::shared_ptr<const ModeFactory> visual_loop_factory();

} // namespace eyehand::agent
