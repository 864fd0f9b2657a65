// What a run is set to, in layers: defaults, the profile, a file, the environment, a scenario,
// flags. The later layer counts, and every value keeps the place it came from.
//
//     agent::Config config = agent::default_config();
//     config.add(agent::parse_config(text, "eyehand.json"));
//     config.add(agent::config_from_variables(read_variable));
//     config.add(agent::config_from_flag("model", "--model", "qwen3-vl-8b-instruct"));
//     config.text("model");           // "qwen3-vl-8b-instruct"
//     config.find("model")->source;   // "--model"
#pragma once

#include "agent/profile.hpp"
#include "agent/run.hpp"
#include "winio/desktop.hpp"
#include "winio/geometry.hpp"
#include "winio/picture_size.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent {

/// What a setting's value may be.
enum class SettingKind {
    text,
    whole,   ///< a whole number
    number,  ///< any number
    seconds, ///< a number of them; run.json tells milliseconds
    truth,   ///< true or false
    names,   ///< texts: an array in a file, separated by commas in a variable
    picture, ///< as winio::parse_picture_size reads it
    crop,    ///< as parse_crop reads it
    prefix,  ///< a file name's beginning
    word,    ///< one of SettingSpec::choices
    secret,  ///< a key: from the environment only, and shown to nobody
};

/// Describes a setting. Its variables are EYEHAND_ and its name in upper case, and `variable`.
struct SettingSpec {
    std::string_view name;
    SettingKind kind = SettingKind::text;
    std::string_view what{};      ///< for people
    std::string_view otherwise{}; ///< the default; empty: none, or the profile's
    double least = 0;             ///< of a number; of a text its least length
    double most = 0;
    std::string_view variable{}; ///< the name it had before there was Eyehand
    std::string_view also{};     ///< another name for it in files, from that time
    std::string_view choices{};  ///< of a word, separated by |
};

/// All settings, in the order in which they are shown.
[[nodiscard]] std::span<const SettingSpec> setting_specs();
/// By name or the other name; nullptr when there is no such setting.
[[nodiscard]] const SettingSpec* find_setting(std::string_view name);
/// The name that differs least from `name`: what was meant, probably.
[[nodiscard]] std::string_view nearest_setting(std::string_view name);
/// "EYEHAND_MAX_STEPS" for "max_steps".
[[nodiscard]] std::string variable_of(const SettingSpec& setting);

/// Of kind whole: std::int64_t; number, seconds: double; truth: bool; names: std::vector; all
/// others: std::string.
using ConfigValue = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;
/// As people write it. The value of a secret is "set".
[[nodiscard]] std::string to_string(const SettingSpec& setting, const ConfigValue& value);

/// In the order in which they count: the last most.
enum class ConfigLayer { standard, profile, file, environment, scenario, flag };

struct ConfigEntry {
    const SettingSpec* setting = nullptr;
    ConfigValue value{};
    ConfigLayer layer = ConfigLayer::standard;
    std::string source{}; ///< "default", "profile", "eyehand.json:3", "LMSTUDIO_MODEL", "--model"
};

/// Values by setting. Of two entries for one setting the one of the later layer counts, in one
/// layer the one that was added last.
class Config {
public:
    void add(ConfigEntry entry);
    void add(const std::vector<ConfigEntry>& entries);
    /// nullptr when nobody has said anything.
    [[nodiscard]] const ConfigEntry* find(std::string_view name) const;
    /// Of settings that have a value; of kind text, picture, crop, prefix, word or secret ...
    [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
    [[nodiscard]] std::optional<int> whole(std::string_view name) const;
    [[nodiscard]] std::optional<double> number(std::string_view name) const; ///< or seconds
    [[nodiscard]] std::optional<std::chrono::milliseconds> duration(std::string_view name) const;
    [[nodiscard]] bool truth(std::string_view name) const; ///< false when nobody has said anything
    [[nodiscard]] std::vector<std::string> names(std::string_view name) const;
    /// What is set, in the order of `setting_specs`.
    [[nodiscard]] const std::vector<ConfigEntry>& entries() const { return entries_; }

private:
    std::vector<ConfigEntry> entries_;
};

// All of these throw Error{bad_config} that names the place, what is there, and what it must be or
// which name is nearest.

[[nodiscard]] Config default_config();
/// Reads a file's text: a JSON object with settings as members; comments and trailing commas are
/// allowed, null is as if left out. `where` names it in errors and sources.
[[nodiscard]] std::vector<ConfigEntry> parse_config(std::string_view text,
                                                    const std::string& where);
/// Reads all variables of settings through `read`, for which an empty variable is none. `present`
/// are the names of all variables there are, where they are known: one that begins with EYEHAND_
/// and looks like a setting misspelt is an error, too.
[[nodiscard]] std::vector<ConfigEntry> config_from_variables(
    const std::function<std::optional<std::string>(const std::string& name)>& read,
    std::span<const std::string> present = {});
/// `name` must be a setting.
[[nodiscard]] ConfigEntry config_from_flag(std::string_view name, const std::string& flag,
                                           const std::string& text);
/// What a profile sets.
[[nodiscard]] std::vector<ConfigEntry> config_of(const Profile& profile);

/// "x1,y1,x2,y2" from 0 to 1000, with x1 < x2 and y1 < y2.
[[nodiscard]] std::optional<winio::NormBox> parse_crop(std::string_view text);

/// The size of pictures, and where it comes from: `image`; `capture_width` and `capture_height` if both
/// are above 0, else `capture_scale_percent` if that is, where a later layer sets these; its width and
/// height where a later layer sets these, exactly so where `image_exact` says it.
struct PictureSetting {
    winio::PictureSize size{};
    std::string source{};
};
[[nodiscard]] PictureSetting picture_setting(const Config& config);
/// The part of the desktop that `display`, `window` and `crop` choose. A window and a display
/// exclude each other: that of the later layer counts.
[[nodiscard]] winio::AreaChoice area_setting(const Config& config);

/// Puts what counts more than the profile into it.
void apply(const Config& config, Profile& profile);
/// For run.json: each effective value with its source, durations in milliseconds ("timeout_ms"),
/// the endpoint without its query, of a display and a window the one that counts. Throws
/// Error{bad_config} as `area_setting` does.
[[nodiscard]] std::vector<Setting> effective_settings(const Config& config);
/// The way back: what `effective_settings` kept, with the sources of then, in the layer below
/// flags. Settings that this version does not know, and secrets, are left out.
/// Throws Error{bad_config}, naming `where`.
[[nodiscard]] std::vector<ConfigEntry> config_from_settings(std::span<const Setting> settings,
                                                            const std::string& where);
/// How the screenshots of a run are named. `screenshot_start` is the number of turn 1's; a team
/// looks before that, and counts from 0 where it would be -1.
[[nodiscard]] ScreenshotNames screenshot_names(const Config& config, const Profile& profile);

} // namespace agent
