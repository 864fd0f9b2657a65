// The built-in modes. The folder of each mode defines its function; mode_factory.cpp registers the
// modes.
#pragma once

#include "eyehand/agent/mode_factory.hpp"

#include <memory>

namespace eyehand::agent {

[[nodiscard]] std::shared_ptr<const ModeFactory> conversation_factory();
[[nodiscard]] std::shared_ptr<const ModeFactory> team_factory();
[[nodiscard]] std::shared_ptr<const ModeFactory> visual_loop_factory();

} // namespace eyehand::agent
