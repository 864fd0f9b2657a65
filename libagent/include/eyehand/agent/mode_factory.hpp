// The factory of a mode: everything that the library needs to load the profiles of the mode, to run
// and resume it, and to show its runs. The built-in modes have factories; a program can add its
// own:
//
//     class SurveyFactory final : public agent::ModeFactory {
//     public:
//         std::string_view name() const override { return "survey"; }
//         void read(const agent::ProfileReader& reader, agent::Profile& profile) const override;
//         std::string write(const agent::Profile& profile) const override;
//         std::unique_ptr<agent::Mode> make(const agent::ModeContext& context) const override;
//     };
//
//     agent::ModeRegistry modes = agent::ModeRegistry::built_in();
//     modes.add(std::make_shared<SurveyFactory>());
//     agent::Agent agent(*desktop, model, agent::load_profile("survey_profile", modes));
//
// docs/agent.md explains how to write a mode.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/json_view.hpp"
#include "eyehand/agent/memory.hpp"
#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

struct Profile;

/// The source of the first reply of a mode that begins with one, and of annotations.
enum class Source {
    library, ///< the profile supplies the first reply, the library draws annotations
    client,  ///< the program supplies both: `RunControl::inject`, `RunControl::annotate`
};

/// A role that the model plays in a mode, and its tools.
struct RolePlan {
    std::string name{};  ///< unique within the mode; `Ask::role` and `Invoke::role` name it
    std::string phase{}; ///< the phase in which the role speaks; empty if the mode has no phases
    std::vector<ToolPresentation> tools{};
    bool acts = true;    ///< further tools of the profile or the caller are offered to this role
    bool offered = true; ///< false: the mode itself calls these tools; no request offers them
};

/// The tools of each role, by the role's name.
using ToolsByRole = std::map<std::string, Toolbox>;

/// Constant properties of a mode.
struct ModeTraits {
    /// The event that begins a turn. `reply`: a request and its reply belong to the turn that the
    /// reply begins.
    enum class TurnStart { request, reply };
    TurnStart turn_start = TurnStart::request;
    int first_screenshot = 1;   ///< the lowest number of a screenshot: 0 if one precedes turn 1
    bool takes_replies = false; ///< `RunControl::inject` can replace the model's reply
    /// The mode annotates its screenshots itself. If false, `Profile::executed_heat` adds annotations.
    bool annotates = false;
    /// `ModeState::reply` is set, so that a run directory can store each turn's screenshots and reply
    /// in files of their own (`LogLayout::flat`, `LogLayout::turn_dirs`).
    bool stores_replies = false;
    /// A screenshot that equals the one before is not stored again: both have the same file.
    bool equal_screenshots_share_file = false;
};

/// The input for making a mode. The references are valid only during the call.
struct ModeContext {
    const Profile& profile;
    const std::string& task;
    const ToolsByRole& tools;      ///< under the names that the profile gives them
    const MakeMemory& make_memory; ///< the caller's; may be empty
};

/// The members of a profile file, from which a mode reads its own settings.
class EYEHAND_AGENT_API ProfileReader {
public:
    class Source;
    explicit ProfileReader(const Source& source) : source_(source) {}

    /// The member of profile.json; nothing if it is missing or null. The view is valid during
    /// `ModeFactory::read`.
    [[nodiscard]] std::optional<JsonView> find(std::string_view member) const;
    /// The tools under "tools".
    [[nodiscard]] std::vector<ToolPresentation> tools() const;
    /// The prompt in the file that the member names. {{NAME}} is replaced by the profile's name for
    /// the tool NAME. The placeholders in `kept` stay, for the mode to fill in; any other
    /// placeholder is an error. Throws Error{bad_profile}.
    [[nodiscard]] std::string prompt(std::string_view member,
                                     std::span<const ToolPresentation> tools = {},
                                     std::span<const std::string_view> kept = {}) const;
    /// Throws Error{bad_profile}; the message names the file, the member and the reason ("is
    /// missing").
    [[noreturn]] void refuse(std::string_view member, std::string_view reason) const;

    /// For the built-in modes.
    [[nodiscard]] const Source& source() const { return source_; }

private:
    const Source& source_;
};

/// An entry of the registry. The functions must not depend on changing state: profiles share their
/// factory, also between threads. The defaults suit a mode with one role, "agent", a system prompt
/// and tools.
class EYEHAND_AGENT_API ModeFactory {
public:
    ModeFactory() = default;
    ModeFactory(const ModeFactory&) = delete;
    ModeFactory& operator=(const ModeFactory&) = delete;
    virtual ~ModeFactory();

    /// The "mode" of a profile: letters, digits and underscores.
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual ModeTraits traits() const { return {}; }

    // ---- the profile ----------------------------------------------------------------------------

    /// The member of profile.json that holds the mode's own settings.
    [[nodiscard]] virtual std::string_view section() const { return name(); }
    /// Members of a profile that this mode does not use; they are not written.
    [[nodiscard]] virtual std::vector<std::string_view> unused_members() const { return {}; }
    /// Reads the mode's own settings. Name, model and sampling are already in `profile`; all other
    /// common members are read afterwards. The default reads `system_prompt` and `tools`. Throws
    /// Error{bad_profile} (`ProfileReader::refuse`).
    virtual void read(const ProfileReader& reader, Profile& profile) const;
    /// The mode's section as a JSON object, from which `read` restores the settings; empty: the
    /// mode has no settings of its own. It contains prompts as texts, not as names of files.
    [[nodiscard]] virtual std::string write(const Profile& profile) const;

    /// The sampling settings that a setting of the user (such as --temperature) overrides.
    [[nodiscard]] virtual std::vector<vlm::Sampling*> samplings(Profile& profile) const;
    /// The prompts, in which `make_mode` fills in the placeholders of positions
    /// (`CoordinateConverter::filled_in`). The default: system prompt and task prompt.
    [[nodiscard]] virtual std::vector<std::string*> prompts(Profile& profile) const;
    /// The prompt of the role that receives screenshots.
    [[nodiscard]] virtual std::string& screenshot_prompt(Profile& profile) const;
    /// Settings of the mode that a run can override, by the setting's name, and their values in this
    /// profile as text ("true", "false" for a boolean one).
    [[nodiscard]] virtual std::map<std::string, std::string> options(const Profile& profile) const;
    /// Sets an option; an empty value resets it. Throws Error{bad_config} with the reason.
    virtual void set_option(Profile& profile, std::string_view name,
                            const std::string& value) const;
    /// Adapts the profile to a model whose context has `context_tokens`, of which each screenshot
    /// takes `image_tokens`. Returns false if nothing has changed, which is the default.
    virtual bool fit_context(Profile& profile, int image_tokens, int context_tokens) const;

    // ---- the run --------------------------------------------------------------------------------

    /// The default: "agent" with `Profile::tools`.
    [[nodiscard]] virtual std::vector<RolePlan> roles(const Profile& profile) const;
    /// Throws Error{bad_profile} if the profile cannot run. `first_reply` is the source of the first
    /// reply, for modes that begin with one.
    virtual void check(const Profile& profile, Source first_reply) const;
    /// Makes the mode in its initial state. Throws Error{task_too_long} and Error{bad_profile}.
    [[nodiscard]] virtual std::unique_ptr<Mode> make(const ModeContext& context) const = 0;

    /// Derives the state that front ends show from an event, for journals from before `StateChanged`
    /// events and for members that these events do not contain. `state` is the state
    /// before the event; before the first event, it is `initial_state`.
    virtual void derive_state(const Profile& profile, const Event& event, ModeState& state) const;
    [[nodiscard]] virtual ModeState initial_state(const Profile& profile) const;
};

/// The modes of a program; pass it to the functions that load profiles and runs. Copies share the
/// factories. Not thread-safe while modes are added.
class EYEHAND_AGENT_API ModeRegistry {
public:
    /// Contains no modes.
    ModeRegistry() = default;
    /// Contains "conversation", "team" and "visual_loop".
    [[nodiscard]] static const ModeRegistry& built_in();

    /// Throws std::invalid_argument if `mode` is null, or its name is empty or already registered.
    void add(std::shared_ptr<const ModeFactory> mode);
    /// nullptr if no mode has this name.
    [[nodiscard]] std::shared_ptr<const ModeFactory> find(std::string_view name) const;
    /// In the order in which they were added.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    std::vector<std::shared_ptr<const ModeFactory>> modes_;
};

/// The factory of a profile's mode: the one with which the profile was loaded, or the built-in mode
/// that `Profile::mode` names. Throws Error{bad_profile} if no mode has this name.
[[nodiscard]] EYEHAND_AGENT_API const ModeFactory& mode_of(const Profile& profile);
/// Makes the mode. If `Profile::executed_heat` is enabled and the mode does not annotate
/// screenshots, wraps it so that its screenshots are annotated. The placeholders of positions in its
/// prompts are filled in for `Profile::coordinates`. Clicks are refined as `Profile::refine` says. Tool
/// calls that the model wrote as text reach the mode only as `Profile::text_tool_calls` allows it.
[[nodiscard]] EYEHAND_AGENT_API std::unique_ptr<Mode> make_mode(const ModeContext& context);

} // namespace eyehand::agent
