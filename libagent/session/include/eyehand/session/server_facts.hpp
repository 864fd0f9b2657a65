// What a run does with what a server says about itself.
#pragma once

#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/winio/geometry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::session {

/// Asks a server about itself and its model, for at most 3 s in all, with questions that cost next to
/// nothing. Nothing if the server does not answer: the run's first request meets the problem, too, and
/// reports it.
[[nodiscard]] EYEHAND_SESSION_API std::optional<vlm::ServerInfo>
ask_server(const vlm::ClientOptions& client, const std::string& model);

/// For run.json, with the source "probe": server, served model, context, abilities.
[[nodiscard]] EYEHAND_SESSION_API std::vector<agent::Setting>
settings_of(const vlm::ServerInfo& server);

/// Adapts the profile to the model's context (`ModeFactory::fit_context`). `screen` is the size of the
/// area that screenshots show. Returns false if nothing has changed: the profile fits, or the context
/// is not known.
EYEHAND_SESSION_API bool fit_profile(const vlm::ServerInfo& server, winio::Size screen,
                                     agent::Profile& profile);

} // namespace eyehand::session
