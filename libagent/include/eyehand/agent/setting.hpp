// Descriptions of settings: the allowed values and the help text. A component describes its
// settings, and a program collects the descriptions (session::SettingRegistry).
#pragma once

#include <string_view>

namespace eyehand::agent {

/// The type of a setting's value.
enum class SettingKind {
    text,
    integer,
    number,  ///< any number
    seconds, ///< any number; run.json contains milliseconds
    boolean,
    list,       ///< texts: an array in a file; separated by commas in a variable
    image_size, ///< as `winio::parse_image_size` reads it
    crop,       ///< as `session::parse_crop` reads it
    prefix,     ///< the beginning of a file name
    choice,     ///< one of SettingSpec::choices, in any case
    secret,     ///< a key: read only from the environment, never shown
    color,      ///< as `winio::parse_rgba` reads it
    object,     ///< a JSON object, which may contain keys: only the names of its members are shown
    stops,      ///< of a gradient: JSON such as [[0, "rgba(255,140,0,0.75)"], [1, "#ff640000"]]
};

/// Whether a file that the user neither named nor trusts may set a setting. Such a file may come from
/// another person, together with the folder that contains it.
enum class SettingTrust {
    required,     ///< no: the default
    not_required, ///< yes: at worst, a run is slower, its requests are larger or its results worse
};

/// Describes a setting. Its environment variables are EYEHAND_NAME, EYEHAND_ALIAS (both in upper
/// case) and `variable`; the first one that is set counts. The texts must outlive the description.
struct SettingSpec {
    std::string_view name;
    SettingKind kind = SettingKind::text;
    std::string_view help{};          ///< one line for the user
    std::string_view default_value{}; ///< empty: unset, or the profile's value
    double min = 0;                   ///< minimum of a number, minimum length of a text
    double max = 0;
    std::string_view variable{}; ///< an older environment variable, such as LMSTUDIO_MODEL
    std::string_view alias{};    ///< an older name that files may use
    std::string_view choices{};  ///< of a choice, separated by |
    SettingTrust trust = SettingTrust::required;
};

} // namespace eyehand::agent
