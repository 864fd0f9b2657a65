// Descriptions of settings: what a value may be, and what users read about it. A component that has
// settings describes them, and a program collects them (eyehand::session, SettingRegistry).
#pragma once

#include <string_view>

namespace eyehand::agent {

/// What a setting's value may be.
enum class SettingKind {
    text,
    integer,
    number,  ///< any number
    seconds, ///< a number of them; run.json contains milliseconds
    boolean,
    list,       ///< texts: an array in a file, separated by commas in a variable
    image_size, ///< as `winio::parse_image_size` reads it
    crop,       ///< as `session::parse_crop` reads it
    prefix,     ///< the beginning of a file name
    choice,     ///< one of SettingSpec::choices
    secret,     ///< a key: read from the environment only, never shown
};

/// Describes a setting. Its environment variables are EYEHAND_ with its name or alias in upper case, and
/// `variable`; the first of these that is set counts. The texts must outlive the description.
struct SettingSpec {
    std::string_view name;
    SettingKind kind = SettingKind::text;
    std::string_view help{};          ///< one line for the user
    std::string_view default_value{}; ///< empty: unset, or the profile's value
    double min = 0;                   ///< of a number; the minimum length of a text
    double max = 0;
    std::string_view variable{}; ///< the name it had before there was Eyehand
    std::string_view alias{};    ///< an older name that files may use
    std::string_view choices{};  ///< of a choice, separated by |
};

} // namespace eyehand::agent
