// The settings of a run, in layers: defaults, the profile, a file, the environment, a scenario,
// flags. A later layer overrides an earlier one, and every value keeps its source.
//
//     session::Config config = session::default_config();
//     config.add(session::parse_config(text, "eyehand.json"));
//     config.add(session::config_from_variables(read_variable));
//     config.add(session::config_from_flag("model", "--model", "qwen3-vl-8b-instruct"));
//     config.text("model");           // "qwen3-vl-8b-instruct"
//     config.find("model")->source;   // "--model"
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/setting.hpp"
#include "eyehand/export.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/image_size.hpp"
#include "eyehand/winio/redaction.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace eyehand::session {

/// The settings of a program. A value; copies are independent.
///
///     session::SettingRegistry settings;            // the settings of this library
///     settings.add(panel::setting_specs());         // and of the panel
///     session::Config config = session::default_config(settings);
class EYEHAND_SESSION_API SettingRegistry {
public:
    /// Contains the settings of the server, the agent, the desktop and the run directory.
    SettingRegistry();
    /// A shared registry, for programs without settings of their own.
    [[nodiscard]] static const SettingRegistry& built_in();

    /// Throws std::invalid_argument if a name or an alias is taken.
    void add(std::span<const agent::SettingSpec> settings);
    /// All settings, in the order in which they are shown.
    [[nodiscard]] std::span<const agent::SettingSpec> all() const { return *settings_; }
    /// By name or alias; nullptr for an unknown name.
    [[nodiscard]] const agent::SettingSpec* find(std::string_view name) const;
    /// The name that differs least from `name`, for messages.
    [[nodiscard]] std::string_view nearest(std::string_view name) const;

private:
    /// Entries of a configuration point into it.
    std::shared_ptr<const std::vector<agent::SettingSpec>> settings_;
};

/// "EYEHAND_MAX_TURNS" for "max_turns".
[[nodiscard]] EYEHAND_SESSION_API std::string variable_of(const agent::SettingSpec& setting);

/// Of kind integer: std::int64_t; number, seconds: double; boolean: bool; list: std::vector; all
/// others: std::string.
using ConfigValue = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;
/// The value as the user writes it; "set" for a secret.
[[nodiscard]] EYEHAND_SESSION_API std::string to_string(const agent::SettingSpec& setting,
                                                        const ConfigValue& value);

/// Ascending precedence: the last layer overrides all others.
enum class ConfigLayer { defaults, profile, file, environment, scenario, flag };

struct ConfigEntry {
    /// Belongs to a registry, which must outlive the entry and must not gain settings meanwhile. A
    /// `Config` keeps its own registry.
    const agent::SettingSpec* setting = nullptr;
    ConfigValue value{};
    ConfigLayer layer = ConfigLayer::defaults;
    std::string source{}; ///< "default", "profile", "eyehand.json:3", "LMSTUDIO_MODEL", "--model"
};

/// Values by setting. Of two entries for one setting, the one of the later layer counts; within a
/// layer, the one that was added last.
class EYEHAND_SESSION_API Config {
public:
    explicit Config(SettingRegistry settings = SettingRegistry::built_in())
        : settings_(std::move(settings)) {}
    [[nodiscard]] const SettingRegistry& settings() const { return settings_; }
    void add(ConfigEntry entry);
    void add(const std::vector<ConfigEntry>& entries);
    /// Adds the entries of a file that the user neither named nor trusts. Those whose setting requires
    /// trust have no effect and are `ignored`.
    void add_untrusted(const std::vector<ConfigEntry>& entries);
    /// nullptr if the setting is unset.
    [[nodiscard]] const ConfigEntry* find(std::string_view name) const;
    /// Typed access to the value; nothing if the setting is unset. `text` is for the kinds text,
    /// image_size, crop, prefix, choice, color, object, stops (JSON) and secret.
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<int> integer(std::string_view name) const;
    [[nodiscard]] std::optional<double> number(std::string_view name) const; ///< or of kind seconds
    [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view name) const;
    [[nodiscard]] bool boolean(std::string_view name) const; ///< false if the setting is unset
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
    /// All set values, in the order of the registry.
    [[nodiscard]] const std::vector<ConfigEntry>& entries() const { return entries_; }
    /// Entries without an effect, in the order of their addition, to show them to the user.
    [[nodiscard]] const std::vector<ConfigEntry>& ignored() const { return ignored_; }

private:
    [[nodiscard]] std::size_t place_of(std::string_view name) const;
    SettingRegistry settings_;
    std::vector<ConfigEntry> entries_;
    std::vector<ConfigEntry> ignored_;
};

// The following functions throw agent::Error{bad_config}. The message contains the place, the wrong
// value, and the requirement or the nearest name.

[[nodiscard]] EYEHAND_SESSION_API Config
default_config(const SettingRegistry& settings = SettingRegistry::built_in());
/// Reads the text of a file: a JSON object whose members are settings. Comments and trailing commas
/// are allowed; a null member counts as unset. `where` names the file in errors and sources. Pass the
/// result to `Config::add` if the user named or trusts the file, otherwise to
/// `Config::add_untrusted`.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry>
parse_config(std::string_view text, const std::string& where,
             const SettingRegistry& settings = SettingRegistry::built_in());
/// Reads the variables of all settings through `read`; an empty variable counts as unset. `present`
/// contains the names of all existing variables, if they are known: a name that begins with
/// EYEHAND_ and looks like a misspelled setting is an error, too.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry> config_from_variables(
    const std::function<std::optional<std::string>(const std::string& name)>& read,
    std::span<const std::string> present = {},
    const SettingRegistry& settings = SettingRegistry::built_in());
/// The value of a command-line flag. `name` must be a setting.
[[nodiscard]] EYEHAND_SESSION_API ConfigEntry
config_from_flag(std::string_view name, const std::string& flag, const std::string& text,
                 const SettingRegistry& settings = SettingRegistry::built_in());
/// The settings that a profile contains.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry> config_of(const agent::Profile& profile);

/// "x1,y1,x2,y2" from 0 to 1000, with x1 < x2 and y1 < y2.
[[nodiscard]] EYEHAND_SESSION_API std::optional<winio::NormBox> parse_crop(std::string_view text);

/// The size of screenshots and its source. `image` gives the size. In a later layer than `image`,
/// `capture_width` and `capture_height` (if both are above 0) or else `capture_scale_percent` (if
/// above 0) replace it, and `image_width` and `image_height` replace one side. `image_exact` makes
/// the size exact.
struct ImageSizeSetting {
    winio::ImageSize size{};
    std::string source{};
};
[[nodiscard]] EYEHAND_SESSION_API ImageSizeSetting image_size_setting(const Config& config);
/// The format of screenshots: `image_format` (`chosen` instead, if it is set) with `image_quality`.
/// The quality of the profile does not count for a format of a later layer. Throws
/// agent::Error{bad_config} for a format that this build does not support, and for a quality of PNG,
/// unless a later layer chooses PNG.
[[nodiscard]] EYEHAND_SESSION_API winio::ImageFormat
image_format_setting(const Config& config,
                     const std::optional<winio::ImageFormat>& chosen = std::nullopt);
/// The part of the desktop that `display`, `window` and `crop` select. A window and a display
/// exclude each other: the one of the later layer counts. Throws agent::Error{bad_config} if both
/// are in the same layer.
[[nodiscard]] EYEHAND_SESSION_API winio::AreaChoice area_setting(const Config& config);

/// What `redact` keeps out of screenshots. Throws agent::Error{bad_config} for an invalid element.
[[nodiscard]] EYEHAND_SESSION_API winio::Redaction redaction_setting(const Config& config);

/// Applies the settings of layers after the profile to `profile`. The caller must check that the
/// program has a panel if `annotate` requires one.
EYEHAND_SESSION_API void apply(const Config& config, agent::Profile& profile);
/// For run.json: each effective value with its source, durations in milliseconds ("timeout_ms"),
/// the endpoint without its query, and only the effective one of display and window. Throws
/// agent::Error{bad_config} as `area_setting` does.
[[nodiscard]] EYEHAND_SESSION_API std::vector<agent::Setting>
effective_settings(const Config& config);
/// The inverse of `effective_settings`: the stored values with their original sources, in the layer
/// below flags. Skips secrets, objects and settings that this version does not know. Throws
/// agent::Error{bad_config}; the message names `where`.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry>
config_from_settings(std::span<const agent::Setting> kept_settings, const std::string& where,
                     const SettingRegistry& settings = SettingRegistry::built_in());
/// The file names of a run's screenshots. `screenshot_start` is the number of the screenshot of
/// turn 1. A team takes a screenshot before turn 1; its number is never below 0.
[[nodiscard]] EYEHAND_SESSION_API agent::ScreenshotNames
screenshot_names(const Config& config, const agent::Profile& profile);

} // namespace eyehand::session
