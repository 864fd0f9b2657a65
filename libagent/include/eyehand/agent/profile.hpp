// A profile: everything that makes one agent different from another, as data.
#pragma once

#include "eyehand/agent/annotation.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/agent/transcript.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/image_size.hpp"

#include <any>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// What becomes of an agent that goes round in circles: nothing; it is told; it is told after the desktop
/// was brought to where it can go on (`Recover`).
enum class LoopAnswer { none, tell, recover };

/// When an agent goes round in circles: it does the same again and again, and the screen shows nothing
/// new.
struct LoopProfile {
    LoopAnswer answer = LoopAnswer::none;
    int repetitions = 3; ///< of an action or a cycle of actions that make a loop, from 2
    int max_cycle = 4;   ///< actions, from 1
    int distance = 10;   ///< positions so near are the same: units of 0..1000 on each axis
    int cooldown = 3;    ///< turns before a loop is looked for again
};

/// How actions are done and the screen is looked at.
struct Pace {
    std::chrono::milliseconds capture_delay{0}; ///< before waiting for the screen to be stable
    std::chrono::milliseconds action_delay{0};  ///< between two actions without a look between them
    int drag_steps = 15;                        ///< of a drag's way
    std::chrono::milliseconds drag_step_delay{10}; ///< after each of them
    friend bool operator==(const Pace&, const Pace&) = default;
};

/// How a run directory's pictures and turns are laid out: screenshots/turn_0001.png; or a visual loop's
/// turn_0001_raw.png, turn_0001_annotated.png and turns.jsonl; or its turn_0001/screenshot_raw.png,
/// screenshot_annotated.png and vlm_output.json.
enum class LogLayout { screenshots, flat, turn_dirs };
enum class LogLevel { debug, info, warning, error };

struct LogProfile {
    LogLayout layout = LogLayout::screenshots;
    bool to_file = false; ///< main.log: a line an event
    LogLevel level = LogLevel::info;
    friend bool operator==(const LogProfile&, const LogProfile&) = default;
};

/// Which calls of a reply with more than one are carried out.
enum class SeveralCalls { first, none };

/// A profile folder holds profile.json and the prompt files it names. Unknown members are ignored,
/// so that newer profiles load in older versions; missing or wrong ones are errors that name file
/// and member. docs/profiles.md describes the files.
struct Profile {
    std::string name;
    std::string description;
    std::string mode =
        "conversation"; ///< "conversation", "team", "visual_loop" or the caller's own
    /// The mode's own settings, of the type that the mode defines: `TeamSettings`,
    /// `VisualLoopSettings`. Empty for a mode without settings of its own.
    std::any mode_settings{};
    /// Of the registry with which the profile was loaded; see `mode_of`.
    std::shared_ptr<const ModeFactory> mode_factory{};

    /// The mode's settings as a T; nullptr if they are of another type.
    template <class T>
    [[nodiscard]] T* settings() {
        return std::any_cast<T>(&mode_settings);
    }
    template <class T>
    [[nodiscard]] const T* settings() const {
        return std::any_cast<T>(&mode_settings);
    }

    /// The prompt, with {{NAME}} replaced by the face's name of the tool NAME. That of a visual loop
    /// has no tools but {{task}}, {{max_boxes}}, {{max_actions}} and {{extended_actions}}, which the
    /// mode fills in. Empty in a team, whose roles have prompts of their own.
    std::string system_prompt;
    /// The first user message; {{task}} is the task.
    std::string task_prompt = "{{task}}";
    std::vector<ToolPresentation> tools;

    std::string model;
    vlm::Sampling sampling;
    int max_turns = 10;                      ///< replies of the model, planning included
    std::chrono::milliseconds step_delay{0}; ///< a fixed pause before each exchange but the first
    winio::ImageSize image = winio::FitWithin{{1536, 864}}; ///< of screenshots
    bool screenshot_first = true; ///< show the screen before the first exchange
    Retention screenshots;
    Retention thinks;
    /// Of a conversation: when its words are more than this, the oldest exchanges go until they are
    /// half as many.
    std::size_t context_bytes = 200000;
    LoopProfile loops;
    SeveralCalls several_calls = SeveralCalls::first; ///< of a conversation; a team does the first
    std::string refused_call_error = "too_many_tool_calls"; ///< of those that are not carried out
    std::vector<std::string> extra_tools; ///< offered besides, under their registered names
    /// False: of the caller's own tools (`AgentOptions::custom_tools`) only those are offered that
    /// `tools` or `extra_tools` name.
    bool offer_custom_tools = true;
    /// The setting of that name where nobody says otherwise: "auto", "off" or empty, not said.
    std::string lmstudio_logs;

    ExecutedHeat executed_heat; ///< of screenshots: where the agent has acted
    BboxHeat bbox_heat;         ///< of screenshots of a visual loop: where the model looks
    /// False: actions are understood and told as done, but nothing reaches the desktop.
    bool physical_execution = true;
    Pace pace;
    LogProfile log;
};

/// The names of the built-in profiles.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::string> profile_names();
/// A built-in profile, or the one in a folder, of one of these modes. Throws Error{profile_not_found}
/// (naming those there are) and Error{bad_profile} (naming file, member and reason).
[[nodiscard]] EYEHAND_AGENT_API Profile load_profile(
    const std::string& name_or_folder, const ModeRegistry& modes = ModeRegistry::built_in());
/// The files of a built-in profile, or of one in a folder, by name: what makes a folder that
/// `load_profile` loads as the same profile. Throws as `load_profile` does.
[[nodiscard]] EYEHAND_AGENT_API std::map<std::string, std::string>
profile_files(const std::string& name_or_folder);
/// Parses a profile from its files' contents by name ("profile.json", ...).
[[nodiscard]] EYEHAND_AGENT_API Profile
parse_profile(const std::map<std::string, std::string>& files, const std::string& where,
              const ModeRegistry& modes = ModeRegistry::built_in());
/// The profile as it is in force, as JSON: what a run keeps.
[[nodiscard]] EYEHAND_AGENT_API std::string to_json(const Profile& profile);
/// What `to_json` wrote; its prompts are texts, not files. A profile of a mode that is not among
/// `modes` is loaded, too, and `to_json` returns it unchanged, so that its run can be shown; only
/// running it fails. Throws Error{bad_profile}, naming `where`.
[[nodiscard]] EYEHAND_AGENT_API Profile
profile_from_json(std::string_view json, const std::string& where,
                  const ModeRegistry& modes = ModeRegistry::built_in());
/// Throws Error{unknown_tool}, Error{duplicate_tool} or Error{bad_profile} when the profile cannot
/// have the tools that it wants, naming `where`, role and tool: what `Agent` refuses, but before there
/// is a desktop.
EYEHAND_AGENT_API void check_tools(const Profile& profile, const Toolbox& tools,
                                   const std::string& where);

} // namespace eyehand::agent
