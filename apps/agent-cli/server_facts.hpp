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

/// Of a conversation whose screenshots would fill the model's context: fewer of them. `screen` is
/// what the pictures show. Nothing where the profile's number is right, or nothing is known.
[[nodiscard]] std::optional<agent::Retention>
retention_for(const vlm::ServerInfo& server, const agent::Profile& profile, winio::Size screen);

} // namespace eyehand::cli
