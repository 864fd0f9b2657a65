// What the server tells of itself before a run, and what the run makes of it.
#pragma once

#include "settings.hpp"

#include "eyehand/vlm/probe.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::cli {

/// Asks what `vlm::probe` asks, but only what costs next to nothing, and for a moment only. Nothing
/// where the server does not tell: a run finds out by itself whether it can be asked.
[[nodiscard]] std::optional<vlm::ServerInfo> ask_server(const vlm::ClientOptions& client,
                                                        const std::string& model);

/// For run.json.
[[nodiscard]] std::vector<agent::Setting> settings_of(const vlm::ServerInfo& server);

/// Adapts the profile to the model's context. `screen` is the size of the area that screenshots show.
/// Returns false if nothing has changed: the profile fits, or the context is not known.
bool fit_profile(const vlm::ServerInfo& server, winio::Size screen, agent::Profile& profile);

} // namespace eyehand::cli
