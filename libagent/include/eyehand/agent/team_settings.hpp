// The settings of the mode "team": a lead plans without seeing the screen, a worker acts on
// screenshots.
//
//     agent::Profile profile = agent::load_profile("commander");
//     profile.settings<agent::TeamSettings>()->review_interval = 3;
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace eyehand::agent {

/// A role of a team.
struct TeamRole {
    std::string name{};          ///< "commander"
    std::string phase{};         ///< the phase in which it speaks: "EVALUATION"
    std::string system_prompt{}; ///< with the names of tools filled in
    std::vector<ToolPresentation> tools{};
    vlm::Sampling sampling{};
};

/// What happens if it is the worker's turn and the lead has not given it instructions.
enum class WithoutBrief { fail, skip };

struct TeamSettings {
    TeamRole lead{};
    TeamRole worker{};
    int review_interval = 5; ///< the lead reviews in turns that are multiples of it
    std::vector<std::string> review_statuses{"DONE", "BLOCKED"}; ///< such a report causes a review
    int compression_threshold = 8;    ///< active actions from which memory has to be compressed
    std::size_t plan_bytes = 500;     ///< maximum length of the plan in a context
    bool plan_ellipsis = false;       ///< "..." marks a plan that was cut
    std::size_t context_bytes = 8000; ///< maximum length of a context without the system prompt
    WithoutBrief without_brief = WithoutBrief::fail;
    bool first_plan = false;        ///< turn 1 must result in a brief
    bool previous_action = false;   ///< the worker's context contains its previous action
    bool review_completion = false; ///< the lead confirms a completion before the run ends
};

} // namespace eyehand::agent
