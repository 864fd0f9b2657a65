// Parts of a profile's JSON that several modes share.
#pragma once

#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/chat.hpp"
#include "profile/members.hpp"
#include "profile/prompts.hpp"
#include "json/json.hpp"

#include <string>
#include <vector>

namespace eyehand::agent {

/// The source of a `ProfileReader`. The references must outlive it.
class ProfileReader::Source {
public:
    const Members& members;
    const Prompts& prompts;
};

/// The tools under "tools"; none if it is missing.
[[nodiscard]] std::vector<ToolPresentation> read_tools(const Members& members);
[[nodiscard]] json::array tools_json(const std::vector<ToolPresentation>& tools);

/// Reads "sampling"; absent members leave `into` unchanged.
void read_sampling(const Members& members, vlm::Sampling& into);
[[nodiscard]] json::object sampling_json(const vlm::Sampling& sampling);

[[nodiscard]] json::array texts_json(const std::vector<std::string>& texts);

} // namespace eyehand::agent
