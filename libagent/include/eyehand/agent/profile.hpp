// A profile contains the prompts, tools, limits and other settings of an agent, as data.
#pragma once

#include "eyehand/agent/annotation.hpp"
#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/dialect.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/agent/transcript.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/image_size.hpp"

#include <any>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// What happens if the agent is in a loop: nothing; the model is told; or the desktop is recovered
/// (`Recover`) and the model is told.
enum class LoopAnswer { none, tell, recover };

/// Loop detection: a loop is the same action, or cycle of actions, repeated while the screen shows
/// nothing new.
struct LoopProfile {
    LoopAnswer answer = LoopAnswer::none;
    int repetitions = 3; ///< of an action or cycle that count as a loop, at least 2
    int max_cycle = 4;   ///< maximum length of a cycle in actions, at least 1
    int distance = 10;   ///< maximum distance of equal positions on each axis, in units of 0..1000
    int cooldown = 3;    ///< number of turns without detection after a loop
};

/// Delays of actions and screenshots.
struct Pace {
    std::chrono::milliseconds capture_delay{0};    ///< before waiting for a stable screen
    std::chrono::milliseconds action_delay{0};     ///< between actions that no screenshot separates
    int drag_steps = 15;                           ///< movements in a drag
    std::chrono::milliseconds drag_step_delay{10}; ///< after each movement
    std::chrono::milliseconds type_delay{0};       ///< between the characters of typed text
    friend bool operator==(const Pace&, const Pace&) = default;
};

/// The layout of screenshots and turns in a run directory: screenshots/turn_0001.png; or, for a
/// visual loop, turn_0001_raw.png, turn_0001_annotated.png and turns.jsonl; or, for a visual loop,
/// turn_0001/screenshot_raw.png, screenshot_annotated.png and vlm_output.json. With another
/// `Profile::image_format`, names end with .jpg or .webp.
enum class LogLayout { screenshots, flat, turn_dirs };
enum class LogLevel { debug, info, warning, error };

struct LogProfile {
    LogLayout layout = LogLayout::screenshots;
    bool to_file = false; ///< writes main.log, one line per event
    LogLevel level = LogLevel::info;
    friend bool operator==(const LogProfile&, const LogProfile&) = default;
};

/// Which calls are executed if a reply has several.
enum class SeveralCalls {
    first,
    none,
    all, ///< in their order, until one fails; the others then get the result that they were not
};

/// Whether tool calls that the model writes into the text of its reply are executed, instead of
/// calling tools through the server's interface. In any case, they must end the reply and must not be
/// quoted; after a native call, they are not executed for the rest of the run.
enum class TextToolCalls {
    never,
    if_not_native, ///< if the server is known not to support native calls of this model
    until_native,  ///< always, until the model's first native call
};

/// Whether the model is asked for the exact position of a target, in a crop of the screenshot at full
/// resolution, before it is clicked.
enum class Refine {
    off,
    on,    ///< each click
    small, ///< only on targets of at most `max_refined_size`
};
/// The largest shorter side of a small target, in pixels of the desktop.
inline constexpr int max_refined_size = 24;

/// A profile folder contains profile.json and the prompt files that it names. Unknown members are
/// ignored, so that newer profiles load in older versions; missing or wrong ones are errors that
/// name file and member. docs/profiles.md describes the files.
struct Profile {
    std::string name;
    std::string description;
    std::string mode =
        "conversation"; ///< "conversation", "team", "visual_loop" or the caller's own
    /// The mode's own settings, of the type that the mode defines: `TeamSettings`,
    /// `VisualLoopSettings`. Empty for a mode without settings of its own.
    std::any mode_settings{};
    /// From the registry with which the profile was loaded; see `mode_of`.
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

    /// The prompt, in which {{NAME}} has been replaced by the profile's name for the tool NAME.
    /// Placeholders of positions, such as {{range}}, stay: `make_mode` fills them in. The
    /// prompt of a visual loop has no tools, but the placeholders {{task}}, {{max_boxes}},
    /// {{max_actions}} and {{extended_actions}}, which the mode fills in. Empty in a team, whose
    /// roles have their own prompts.
    std::string system_prompt;
    /// The first user message; {{task}} stands for the task.
    std::string task_prompt = "{{task}}";
    std::vector<ToolPresentation> tools;

    std::string model;
    vlm::Sampling sampling;
    int max_turns = 10; ///< maximum number of turns, planning included
    /// A fixed pause before the screenshot of each turn, or before its request if the turn has no
    /// screenshot; not before the first request.
    std::chrono::milliseconds step_delay{0};
    winio::ImageSize image = winio::FitWithin{{1536, 864}}; ///< of screenshots
    /// Of screenshots. A format that this build does not support (WebP without libwebp) fails when the
    /// run begins, with winio::Error{not_supported}.
    winio::ImageFormat image_format = winio::PngOptions{};
    /// The numbers in which the model states and reads positions; empty: chosen by `model`
    /// (`resolve_coordinates`). Actions, marks and everything else in this library have 0 to 1000.
    std::optional<CoordinateConvention> coordinates{};
    /// Of a systematic error of the model in these numbers, as a calibration has measured it.
    std::optional<Correction> correction{};
    /// How the model states its actions. Other modes than a visual loop support every dialect.
    Dialect dialect = Dialect::native;
    bool screenshot_first = true; ///< of a conversation: the first request contains one
    Retention screenshots;
    Retention thinks;
    /// Maximum length of a conversation's text. When it is exceeded, the oldest turns are
    /// removed until half of it is left.
    std::size_t context_bytes = 200000;
    LoopProfile loops;
    /// Of a conversation, and of the acting role of a team, for which `none` is as `first`. Empty:
    /// `first`, or `all` with a dialect (`several_calls_of`).
    std::optional<SeveralCalls> several_calls{};
    /// Whether a screenshot is taken between the calls of a reply that act. The model does not receive
    /// it, but the targets of the next call are compared with it instead of with the model's.
    bool look_between_calls = false;
    /// Of a conversation: the model receives a screenshot after each reply whose calls act or wait, without
    /// asking for it. Empty: with a dialect (`looks_after_actions`).
    std::optional<bool> screenshot_after_actions{};
    /// Not for a visual loop.
    Refine refine = Refine::off;
    std::string refused_call_error = "too_many_tool_calls"; ///< error type of unexecuted calls
    TextToolCalls text_tool_calls = TextToolCalls::if_not_native;
    std::vector<std::string> extra_tools; ///< further tools to offer, by registered name
    /// False: of the caller's own tools (`AgentOptions::custom_tools`), only those are offered that
    /// `tools` or `extra_tools` name.
    bool offer_custom_tools = true;
    /// The default of the setting "lmstudio_logs": "auto" or "off"; empty: not specified.
    std::string lmstudio_logs;

    ExecutedHeat executed_heat; ///< shows on screenshots where the agent has acted
    BboxHeat bbox_heat;         ///< shows on screenshots of a visual loop where the model looks
    /// False: actions are validated and reported as done, but do not reach the desktop.
    bool physical_execution = true;
    Pace pace;
    LogProfile log;
};

/// The names of the built-in profiles.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::string> profile_names();
/// Loads a built-in profile, or the one in a folder, whose mode must be in `modes`. Throws
/// Error{profile_not_found} (naming the built-in profiles) and Error{bad_profile} (naming file,
/// member and reason).
[[nodiscard]] EYEHAND_AGENT_API Profile load_profile(
    const std::string& name_or_folder, const ModeRegistry& modes = ModeRegistry::built_in());
/// The files of a built-in profile, or of one in a folder, by name. `load_profile` loads a folder
/// with these files as the same profile. Throws as `load_profile` does.
[[nodiscard]] EYEHAND_AGENT_API std::map<std::string, std::string>
profile_files(const std::string& name_or_folder);
/// Parses a profile from the contents of its files, by name ("profile.json", ...). `where` names
/// the profile in errors.
[[nodiscard]] EYEHAND_AGENT_API Profile
parse_profile(const std::map<std::string, std::string>& files, const std::string& where,
              const ModeRegistry& modes = ModeRegistry::built_in());
/// The profile as JSON, with all changes, as a run stores it.
[[nodiscard]] EYEHAND_AGENT_API std::string to_json(const Profile& profile);
/// Reads the output of `to_json`, whose prompts are texts, not files. A profile whose mode is not
/// in `modes` is also loaded, and `to_json` returns it unchanged, so that its run can be shown;
/// only running it fails. Throws Error{bad_profile}, naming `where`.
[[nodiscard]] EYEHAND_AGENT_API Profile
profile_from_json(std::string_view json, const std::string& where,
                  const ModeRegistry& modes = ModeRegistry::built_in());
/// `Profile::several_calls`, or its default.
[[nodiscard]] EYEHAND_AGENT_API SeveralCalls several_calls_of(const Profile& profile);
/// `Profile::screenshot_after_actions`, or its default.
[[nodiscard]] EYEHAND_AGENT_API bool looks_after_actions(const Profile& profile);
/// How a model states positions, as a calibration has measured it.
struct MeasuredPositions {
    CoordinateConvention convention = CoordinateConvention::norm1000;
    std::optional<Correction> correction{};
};
/// How the convention of a profile was chosen.
struct CoordinateChoice {
    CoordinateConvention convention = CoordinateConvention::norm1000;
    std::string
        reason{}; ///< for users: "the profile", "the prompts", "the calibration", "the family
                  ///< Gemini", "default"
};
/// Sets `coordinates`, if it is empty: the convention of `measured`, otherwise that of the family of
/// `model` (coordinates.hpp), and norm1000 if the family is unknown. It is also norm1000 if a prompt or a
/// description of the profile contains the number 1000, which says that its author has decided (built-in
/// profiles have placeholders instead). If the convention then is that of `measured`, its correction is
/// set, unless the profile has one.
///
/// For conventions in pixels, also sets `image` to an exact size for screenshots of
/// `area`, not larger than `image` so far and, for model pixels, unchanged by the model's processor: so
/// the numbers in prompts stay valid if the area changes its size. An exact size stays as it is.
/// `Agent` calls it before a run. Throws std::invalid_argument for an empty area.
EYEHAND_AGENT_API CoordinateChoice
resolve_coordinates(Profile& profile, winio::Size area,
                    const std::optional<MeasuredPositions>& measured = std::nullopt);
/// Converts positions for the model of a profile whose coordinates are resolved. Empty if they are
/// 0 to 1000, as everywhere in this library, without a correction.
[[nodiscard]] EYEHAND_AGENT_API std::optional<CoordinateConverter>
coordinate_converter(const Profile& profile);
/// How the model's processor resizes images: that of its family, otherwise the usual one for model
/// pixels. Empty: not known.
[[nodiscard]] EYEHAND_AGENT_API std::optional<ImageProcessor>
image_processor(const Profile& profile);
/// Checks the tools of the profile as `Agent` does, but without a desktop. Throws
/// Error{unknown_tool}, Error{duplicate_tool} or Error{bad_profile}, naming `where`, role and tool.
EYEHAND_AGENT_API void check_tools(const Profile& profile, const Toolbox& tools,
                                   const std::string& where);

} // namespace eyehand::agent
