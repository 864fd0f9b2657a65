// A profile: everything that makes one agent different from another, as data.
#pragma once

#include "agent/tool.hpp"
#include "agent/transcript.hpp"
#include "vlm/chat.hpp"
#include "winio/picture_size.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent {

/// A profile folder holds profile.json and the prompt files it names. Unknown members are ignored,
/// so that newer profiles load in older versions; missing or wrong ones are errors that name file
/// and member.
struct Profile {
    std::string name;
    std::string description;
    std::string mode = "conversation"; ///< which state machine: only this one in this version

    /// The prompt, with {{NAME}} replaced by the face's name of the tool NAME.
    std::string system_prompt;
    /// The first user message; {{task}} is the task.
    std::string task_prompt = "{{task}}";
    std::vector<ToolFace> tools;

    std::string model;
    vlm::Sampling sampling;
    int max_steps = 10;                      ///< model exchanges
    std::chrono::milliseconds step_delay{0}; ///< a fixed pause before each exchange but the first
    winio::PictureSize image = winio::FitWithin{{1536, 864}}; ///< of screenshots
    bool screenshot_first = true; ///< show the screen before the first exchange
    Retention screenshots;
    Retention thinks;
};

/// The names of the built-in profiles.
[[nodiscard]] std::vector<std::string> profile_names();
/// A built-in profile, or the one in a folder. Throws Error{profile_not_found} (naming those there
/// are) and Error{bad_profile} (naming file, member and reason).
[[nodiscard]] Profile load_profile(const std::string& name_or_folder);
/// Parses a profile from its files' contents by name ("profile.json", ...).
[[nodiscard]] Profile parse_profile(const std::map<std::string, std::string>& files,
                                    const std::string& where);
/// The profile as it is in force, as JSON: what a run keeps.
[[nodiscard]] std::string to_json(const Profile& profile);

} // namespace agent
