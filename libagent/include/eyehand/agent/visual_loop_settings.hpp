// The settings of the mode "visual_loop", in which only the model's own observation and the
// annotated screenshot pass from one turn to the next.
//
//     agent::Profile profile = agent::load_profile("story");
//     profile.settings<agent::VisualLoopSettings>()->limits.actions = 4;
#pragma once

#include "eyehand/agent/visual_reply.hpp"

#include <string>

namespace eyehand::agent {

struct VisualLoopSettings {
    std::string boot{}; ///< replaces the model's first reply; empty: the client injects it
    VisualLimits limits{};
    std::string extended_prompt{}; ///< for {{extended_actions}} in the system prompt, if enabled
    bool structured =
        true; ///< requests replies that match a JSON schema, as long as the server accepts one
};

} // namespace eyehand::agent
