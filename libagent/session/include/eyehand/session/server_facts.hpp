// Detects the capabilities of a server and adapts a run to them.
#pragma once

#include "eyehand/agent/error.hpp"
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

/// Queries a server about itself and its model, for at most 3 s in total and without a request to
/// the model. Returns nothing if the server does not answer: the run's first request then reports
/// the problem.
[[nodiscard]] EYEHAND_SESSION_API std::optional<vlm::ServerInfo>
ask_server(const vlm::ClientOptions& client, const std::string& model);

/// The only model of the server, or the only one that it has loaded; nothing if it lists none. Throws
/// agent::Error{bad_config}, which lists them, if it has several.
[[nodiscard]] EYEHAND_SESSION_API std::optional<std::string>
only_model(const vlm::ServerInfo& server);

/// The server, its model, context length and capabilities for run.json, with the source "probe".
[[nodiscard]] EYEHAND_SESSION_API std::vector<agent::Setting>
settings_of(const vlm::ServerInfo& server);

/// Adapts the profile to the model's context (`ModeFactory::fit_context`). `screen` is the size of
/// the area that screenshots show. Returns false if the profile is unchanged because it fits or the
/// context length is unknown.
EYEHAND_SESSION_API bool fit_profile(const vlm::ServerInfo& server, winio::Size screen,
                                     agent::Profile& profile);

} // namespace eyehand::session
