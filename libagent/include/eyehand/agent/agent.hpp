// An agent works on a desktop with a model, as a profile describes it.
//
//     auto desktop = winio::open_desktop();
//     vlm::OpenAiClient model({.endpoint = "http://localhost:1234"});
//     agent::Agent agent(*desktop, model, agent::load_profile("observer"));
//     auto run = agent::RunDirectory::create("runs");
//     agent::RunControl control;
//     const agent::RunFinished result = agent.run("Open Notepad and type hello.", run, control);
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/memory.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_limits.hpp"
#include "eyehand/agent/secrets.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/reaction.hpp"
#include "eyehand/winio/redaction.hpp"
#include "eyehand/winio/settle.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// Whether a user can answer approval requests (`RunControl::resolve`).
enum class Approvals {
    unattended, ///< no user: actions that need approval are denied, and the model is told so
    user,       ///< the run waits for the user's answer
};

/// What a run does when the screen changes while the model thinks.
enum class Watch {
    /// The screen is not watched: actions are based on the screenshot, however old it is.
    off,
    /// The target of each action is compared with the screenshot directly before the action. If it
    /// differs, the call is refused (`stale_target`) and the model receives a new screenshot. A
    /// screenshot that is older than a second is compared before the request, too.
    check,
    /// In addition, a request is canceled and sent again with a new screenshot if the screen has
    /// changed and become stable before the first text or tool call of the reply, at most twice per
    /// screenshot. Choose it if the server stops when a client disconnects
    /// (`vlm::ServerInfo::stops_on_disconnect`).
    resend,
};
/// "off", "check", "resend".
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(Watch watch) noexcept;

struct AgentOptions {
    winio::AreaChoice area{};          ///< the part of the desktop that the agent sees and acts on
    winio::SettleOptions settle{};     ///< before each screenshot
    winio::ReactionOptions reaction{}; ///< before the first screenshot after an action
    Watch watch = Watch::check;
    std::vector<std::string> with{}; ///< registered names of tools to offer besides the profile's
    /// The caller's own tools. They are offered to the roles that act, unless the profile restricts
    /// them (`Profile::offer_custom_tools`). The model of a visual loop calls them as actions.
    Toolbox custom_tools{};
    std::vector<Setting> settings{}; ///< for run.json
    ScreenshotNames screenshot_names{};
    MakeMemory make_memory{};             ///< makes the memory of a team; empty: TeamMemory
    Source first_reply = Source::library; ///< client: the profile may have no first reply
    Source annotation = Source::library;
    /// Decides which actions are carried out, and which ones need approval. It judges calls whose tool
    /// returns a plan, the recovery from loops, the reading of the clipboard, and programs as tools. It
    /// cannot judge a tool of the caller that acts without a plan, unless the tool asks
    /// (`ToolContext::permit`).
    Guard guard{};
    Approvals approvals = Approvals::unattended;
    /// Makes the hashes of the journal HMACs, so that a line cannot be changed unnoticed without
    /// the key (journal.hpp). Empty: without a key.
    std::string journal_key{};
    /// What the model may type but not read.
    Secrets secrets{};
    /// What is black in the screenshots of the requests and in the files of the run.
    winio::Redaction redaction{};
    /// The same for the windows of the agent itself: those of this process, its terminal, and the
    /// pages of its panel and reports. Has no effect on a desktop that does not list its windows.
    bool redact_own_windows = true;
    RunLimits limits{}; ///< besides the number of turns
    /// Records what the desktop and the model's server answer, and the input that the desktop receives,
    /// for a replay (replay.hpp). The recording is in the run's store; it contains redacted captures of
    /// the complete area, the titles of all windows except those of `redaction`, and no secrets.
    bool record_desktop = false;
    winio::CaptureOptions capture{}; ///< how screenshots are captured
    /// Environment variables of this process to hide from the programs that tools start.
    std::vector<std::string> hidden_variables = key_variables();
};

/// The tools that `Agent` offers: those of each role under the profile's names, and the caller's
/// tools for the roles that act. Throws the same errors for tools as the constructor of `Agent`.
[[nodiscard]] EYEHAND_AGENT_API ToolsByRole tools_by_role(const Toolbox& tools,
                                                          const Profile& profile,
                                                          const AgentOptions& options = {});

/// Desktop and model must outlive the agent. Runs on the caller's thread; not thread-safe. Unless
/// `AgentOptions::watch` is off, requests with a screenshot call the model on a second thread, one at
/// a time, while the run's thread watches the screen.
class EYEHAND_AGENT_API Agent {
public:
    /// The profile may name the tools in `tools` and the caller's own. Throws Error{unknown_tool}
    /// if it names another tool, Error{duplicate_tool} for two tools of the same name,
    /// Error{bad_profile} for a profile that cannot run (such as a visual loop without a first
    /// reply), and std::invalid_argument for an empty crop, or if windows are to be redacted on a
    /// desktop that does not list them.
    Agent(winio::Desktop& desktop, vlm::ChatModel& model, Profile profile,
          const Toolbox& tools = built_in_tools(), AgentOptions options = {});

    /// With resolved coordinates (`resolve_coordinates`): pass this one to a panel.
    [[nodiscard]] const Profile& profile() const { return profile_; }

    /// Works on the task until it is done, the turns or a limit are used up, something fails or the control
    /// stops the run. Failures of the desktop and the model are outcomes, not exceptions. Throws
    /// Error{empty_task}, Error{task_too_long} and Error{bad_profile} if the profile cannot run with
    /// this task, Error{run_exists} if the store already contains a run,
    /// Error{journal_failed} if the store cannot be written, and any other exception that a tool or
    /// the model throws; before it rethrows, it closes the run's files as failed.
    RunFinished run(const std::string& task, RunStore& store, const RunControl& control,
                    Observer* observer = nullptr);
    /// The same with several observers, which are called in this order.
    RunFinished run(const std::string& task, RunStore& store, const RunControl& control,
                    std::span<Observer* const> observers);

    /// Continues the run of a store after an interruption or a crash: restores the mode from the
    /// facts in the journal. The profile must be the stored one (`load_run`); otherwise the mode
    /// may not reach its previous state. `remarks`, and tools that are no longer offered, are
    /// written to the journal. An action that may have happened is not repeated: the model is asked
    /// to look first. Throws the same errors as `run`, except `empty_task` and `run_exists`; Error{run_over} if the
    /// run is completed, Error{run_locked} while another process works on it, Error{bad_run} if the
    /// journal is missing or a screenshot does not match it, and Error{journal_corrupt}.
    RunFinished resume(RunStore& store, const RunControl& control, Observer* observer = nullptr,
                       std::vector<std::string> remarks = {});
    /// The same with several observers, which are called in this order.
    RunFinished resume(RunStore& store, const RunControl& control,
                       std::span<Observer* const> observers, std::vector<std::string> remarks = {});

private:
    class Session;
    winio::Desktop& desktop_;
    vlm::ChatModel& model_;
    Profile profile_;
    ToolsByRole tools_;
    AgentOptions options_;
};

} // namespace eyehand::agent
