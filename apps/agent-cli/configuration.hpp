// Collects the settings of a run from the user's file, environment and flags.
#pragma once

#include "eyehand/session/config.hpp"
#include "eyehand/winio/keys.hpp"
#include "settings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace eyehand::cli {

/// The settings of the libraries, those of the panel included.
[[nodiscard]] const session::SettingRegistry& setting_registry();

/// The name of the file that is found in the working directory.
inline constexpr const char* found_file = "eyehand.json";
/// The text of a file with settings; nothing if it does not exist. Throws UsageError if it cannot be
/// read.
[[nodiscard]] std::optional<std::string> read_settings_file(const std::string& file);

/// Defaults, the file and the environment. Without `file`, it is the file that EYEHAND_CONFIG
/// names, otherwise eyehand.json in the working directory, if it exists. Unless the user named the
/// file (`file`, or EYEHAND_CONFIG with an absolute path) or trusts it, its settings that require
/// trust are ignored, with a warning on standard error.
[[nodiscard]] session::Config configuration(const std::optional<std::string>& file);
/// The same with flags on top.
[[nodiscard]] session::Config configuration(const ViewFlags& flags);
[[nodiscard]] session::Config configuration(const EndpointFlags& flags);
[[nodiscard]] session::Config configuration(const RunFlags& flags,
                                            const std::vector<session::ConfigEntry>& scenario = {});

/// Adds the flags of the page that shows a run.
void add_panel_flags(session::Config& config, const PanelFlags& flags);
void add_limit_flags(session::Config& config, const LimitFlags& flags);
/// `key_file` is empty if the flag is not given.
void add_journal_flag(session::Config& config, const std::string& key_file);
/// `chord` is empty if the flag is not given.
void add_hand_flags(session::Config& config, const HandFlags& flags);
/// The keys that stop a run; empty if no keys do. Throws UsageError for anything else than a chord.
[[nodiscard]] HandSettings hand_settings(const session::Config& config);
/// The content of the journal's key file without line breaks at its end; empty if no file is
/// configured. Throws UsageError if it cannot be read or is too short.
[[nodiscard]] std::string journal_key(const session::Config& config);
void add_guard_flags(session::Config& config, const GuardFlags& flags);
/// Adds the flags about redaction to `config`, whose list they extend.
void add_redaction_flags(session::Config& config, const RedactionFlags& flags);
/// Adds the flags that choose the area of the desktop.
void add_area_flags(session::Config& config, const ViewFlags& flags);

/// Loads the profile that `config` names, and adds its values. A relative folder, also in a
/// settings file, starts at the working directory.
[[nodiscard]] agent::Profile add_profile(session::Config& config);

/// The value of an entry for the user; without the query of an endpoint, which may contain a key.
[[nodiscard]] std::string shown_value(const session::ConfigEntry& entry);

/// The settings of the client.
[[nodiscard]] vlm::ClientOptions client_options(const session::Config& config);

} // namespace eyehand::cli
