// The parts of a visual reply as JSON, for logs.
#pragma once

#include "eyehand/agent/visual_reply.hpp"
#include "json/json.hpp"

namespace eyehand::agent {

[[nodiscard]] json::array actions_json(const std::vector<VisualAction>& actions);

} // namespace eyehand::agent
