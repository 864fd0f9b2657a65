// Gathers the settings of a run from where users put them: a file, the environment, flags.
#pragma once

#include "eyehand/session/config.hpp"
#include "settings.hpp"

#include <vector>

namespace eyehand::cli {

/// The settings of the libraries, those of the panel included.
[[nodiscard]] const session::SettingRegistry& setting_registry();

/// Defaults, the file and the environment. Without `file` it is the one EYEHAND_CONFIG names, else
/// eyehand.json in the working directory where there is one.
[[nodiscard]] session::Config configuration(const std::optional<std::string>& file);
/// The same with flags on top.
[[nodiscard]] session::Config configuration(const ViewFlags& flags);
[[nodiscard]] session::Config configuration(const EndpointFlags& flags);
[[nodiscard]] session::Config configuration(const RunFlags& flags,
                                            const std::vector<session::ConfigEntry>& scenario = {});

/// Adds the flags of the page that shows a run.
void add_panel_flags(session::Config& config, const PanelFlags& flags);
/// Adds the flags that choose the part of the desktop.
void add_area_flags(session::Config& config, const ViewFlags& flags);

/// Loads the profile that `config` names, and adds what it sets. A folder that a file names is
/// looked for from the working directory, as everywhere.
[[nodiscard]] agent::Profile add_profile(session::Config& config);

/// How the server is asked.
[[nodiscard]] vlm::ClientOptions client_options(const session::Config& config);

} // namespace eyehand::cli
