// A run with its surroundings: it asks the server what it can, adapts client and profile, keeps the
// HTTP log, records or replays the model, and writes the report. `agent-cli run` does the same.
//
//     const auto desktop = winio::open_desktop();
//     session::RunSession session(*desktop, {.profile = agent::load_profile("observer"),
//                                            .client = {.endpoint = "http://localhost:1234"}});
//     agent::RunDirectory directory = agent::RunDirectory::create("runs");
//     const session::RunResult result = session.run("Open Notepad and type hello.", directory);
//     std::cout << result.finished.reason << "\nreport: " << result.report << '\n';
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/probe.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace eyehand::session {

/// A cassette (eyehand/vlm/cassette.hpp) of what is asked of the model and what it answers.
struct Cassette {
    std::filesystem::path record{}; ///< a new file; empty: nothing is recorded
    /// Answers in place of the model, turn by turn, and no server is asked; actions are still executed.
    /// Empty: the server answers.
    std::filesystem::path replay{};
    bool strict = false; ///< a replayed request must be the recorded one, screenshots included
};

struct SessionOptions {
    agent::Profile profile{};
    /// The model that is asked. Empty: the only model of the server, or the only one that it has loaded;
    /// a server with several is an error that lists them. Only where the server is not asked, or lists
    /// no model, it is the profile's.
    std::string model{};
    vlm::ClientOptions client{}; ///< `on_exchange` is called besides the HTTP log
    agent::AgentOptions agent{}; ///< `settings` are completed with what the session finds out
    agent::Toolbox tools = agent::built_in_tools(); ///< that the profile can name
    bool probe = true;       ///< ask the server first what it can (`vlm::probe`)
    bool fit_context = true; ///< adapt the profile to the model's context
    Cassette cassette{};
    /// Folders in which LM Studio keeps its logs (`agent::lmstudio_log_folders`): what it logs during a
    /// run is stored in the run's directory. Empty: it is not kept.
    std::vector<std::filesystem::path> server_logs{};
    bool report = true;          ///< write report.html when the run ends, however it ends
    agent::RunControl control{}; ///< controls the run; pass one that other objects use already
    /// Receives remarks for the user, one sentence each, on the thread of the call that they concern.
    std::function<void(const std::string&)> on_remark{};
};

struct RunResult {
    agent::RunFinished finished{};
    std::filesystem::path
        report{}; ///< empty: none was written, and `on_remark` received the reason
};

/// Runs one task, or resumes one run. Uses the caller's thread; not thread-safe, except that the
/// control may be used from any thread.
class EYEHAND_SESSION_API RunSession {
public:
    /// Asks the server (at most 3 s) and prepares the run. `desktop` must outlive the session. Throws as
    /// `agent::Agent`, agent::Error{bad_config} if the model is not named and the server has several,
    /// vlm::Error for the endpoint and vlm::CassetteError for the cassette.
    RunSession(winio::Desktop& desktop, SessionOptions options);
    ~RunSession();
    RunSession(const RunSession&) = delete;
    RunSession& operator=(const RunSession&) = delete;

    /// Controls the run; may be used before it starts.
    [[nodiscard]] agent::RunControl control() const;
    /// What the server said about itself; nothing if it was not asked or did not answer.
    [[nodiscard]] const std::optional<vlm::ServerInfo>& server() const;
    /// The profile in force.
    [[nodiscard]] const agent::Profile& profile() const;

    /// Throws as `Agent::run`; the report is written before, and `on_remark` receives its path.
    RunResult run(const std::string& task, agent::RunStore& store,
                  std::span<agent::Observer* const> observers = {});
    /// Throws as `Agent::resume`. Nothing is written if the run cannot be resumed. A profile is not
    /// adapted again: the mode has to find back to where it was.
    RunResult resume(agent::RunStore& store, std::span<agent::Observer* const> observers = {},
                     std::vector<std::string> remarks = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// What is not as it was when a run began, for `RunSession::resume`: the version, a built-in profile.
[[nodiscard]] EYEHAND_SESSION_API std::vector<std::string>
differences(const agent::StoredRun& stored);

} // namespace eyehand::session
