// An agent: a desktop to work, a model to ask, a profile to follow.
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
#include "eyehand/agent/memory.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/model.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/settle.hpp"

#include <span>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Which actions require approval (`RunControl::resolve`). Only what a tool does by way of
/// the desktop is an action; programs as tools ask for themselves.
enum class Approve { never, always };

struct AgentOptions {
    winio::AreaChoice area{};        ///< the part of the desktop to see and to touch
    winio::SettleOptions settle{};   ///< before each screenshot
    std::vector<std::string> with{}; ///< tools offered besides the profile's, by registered name
    /// The caller's own tools. They are offered to the roles that act, unless the profile restricts
    /// them (`Profile::offer_custom_tools`). A visual loop offers no tools and rejects them.
    Toolbox custom_tools{};
    std::vector<Setting> settings{}; ///< for run.json
    ScreenshotNames screenshot_names{};
    MakeMemory make_memory{};             ///< of a team; not set: TeamMemory
    Source first_reply = Source::library; ///< outside: only where the profile has none
    Source annotation = Source::library;
    Approve approve = Approve::never;
};

/// The tools of each role of the profile's mode, under the profile's names, with the caller's tools for
/// the roles that act: what `Agent` offers. Throws as its constructor.
[[nodiscard]] EYEHAND_AGENT_API ToolsByRole tools_by_role(const Toolbox& tools,
                                                          const Profile& profile,
                                                          const AgentOptions& options = {});

/// Refers to desktop and model, which must outlive it. Runs on the caller's thread; not
/// thread-safe.
class EYEHAND_AGENT_API Agent {
public:
    /// `tools` are those that the profile can name. Throws Error{unknown_tool} if it names another one,
    /// Error{duplicate_tool} for two tools of one name, Error{bad_profile} for a profile that cannot
    /// run (a visual loop without a first reply), and std::invalid_argument for an empty crop.
    Agent(winio::Desktop& desktop, vlm::ChatModel& model, Profile profile,
          const Toolbox& tools = built_in_tools(), AgentOptions options = {});

    /// Works on the task until it is done, the steps are used up, something fails or the control
    /// says stop. What the desktop or the model refuses is an outcome, not an exception. Throws
    /// Error{empty_task}, Error{run_exists} for a store that holds a run already,
    /// Error{journal_failed} when the store cannot be written, and whatever else a tool or a
    /// model throws; before that the run's files are closed as failed.
    RunFinished run(const std::string& task, RunStore& store, const RunControl& control,
                    Observer* observer = nullptr);
    /// The same with several observers, which are called in this order.
    RunFinished run(const std::string& task, RunStore& store, const RunControl& control,
                    std::span<Observer* const> observers);

    /// Goes on with the run of a directory after an interruption or a crash, by folding its journal's
    /// facts. The profile must be the one that the directory keeps (`load_run`), or the machine may not
    /// find back to where it was; what differs is said in the journal. An action that may have
    /// happened is not repeated: the model is told to look first. Throws as `run`, Error{run_over}
    /// if the run has come to its own end, Error{run_locked} while another process works on it, and
    /// Error{bad_run} without a usable journal or picture, and Error{journal_corrupt}.
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
