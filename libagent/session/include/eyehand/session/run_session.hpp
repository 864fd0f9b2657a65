// A complete run: detects the capabilities of the server, adapts client and profile, writes the
// HTTP log, records or replays the model, and writes the report. `agent-cli run` uses it.
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
#include "eyehand/agent/error.hpp"
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

/// Records or replays the model's requests and replies (eyehand/vlm/cassette.hpp).
struct Cassette {
    std::filesystem::path record{}; ///< a new file; empty: nothing is recorded
    /// A cassette that answers in place of the model, turn by turn. No server is contacted; actions
    /// are still executed. Empty: the server answers.
    std::filesystem::path replay{};
    bool strict = false; ///< a replayed request must equal the recorded one, screenshots included
};

struct SessionOptions {
    agent::Profile profile{};
    /// The model to use. Empty: the only model of the server, or the only one that it has loaded;
    /// if the server has several, the constructor throws an error that lists them. If the server is
    /// not asked or lists no model, the profile's model is used.
    std::string model{};
    vlm::ClientOptions client{}; ///< `on_exchange` is called besides the HTTP log
    agent::AgentOptions agent{}; ///< the session adds its findings to `settings`
    agent::Toolbox tools = agent::built_in_tools(); ///< the tools that the profile can name
    bool probe = true;       ///< detect the server's capabilities first (`vlm::probe`)
    bool fit_context = true; ///< adapt the profile to the model's context
    /// Raise `AgentOptions::watch` from check to resend if the probe sees that the server stops when
    /// a client disconnects. For this, the probe sends llama-server a request for at most 128 tokens
    /// and cancels it; a server that does not stop may delay the first request of the run until it
    /// has computed them. With `cassette.replay`: switch the watch off, because a cassette has no
    /// replies to further requests.
    bool choose_watch = true;
    /// The folder with the calibrations of models (calibration.hpp): that of the run's model on its
    /// endpoint chooses the numbers of positions, unless the profile does, and corrects them. Empty: no
    /// calibration is used.
    std::filesystem::path calibrations{};
    Cassette cassette{};
    /// Folders in which LM Studio writes its logs (`agent::lmstudio_log_folders`): the part that it
    /// logs during a run is copied to the run's directory. Empty: nothing is copied.
    std::vector<std::filesystem::path> server_logs{};
    bool report = true;          ///< write report.html when the run ends, also after a failure
    agent::RunControl control{}; ///< pass a control that other objects already use
    /// Receives remarks for the user, one sentence each, on the thread of the constructor, `run` or
    /// `resume`.
    std::function<void(const std::string&)> on_remark{};
};

struct RunResult {
    agent::RunFinished finished{};
    /// Empty: no report was written, and `on_remark` received the reason of a failure.
    std::filesystem::path report{};
};

/// Runs one task, or resumes one run. Uses the caller's thread. Not thread-safe, but the control
/// may be used from any thread.
class EYEHAND_SESSION_API RunSession {
public:
    /// Asks the server and prepares the run: at most 3 s, and for `choose_watch` the time until the
    /// first words of a reply. A stop request does not end this. `desktop` must outlive the session.
    /// Throws as `agent::Agent`, agent::Error{bad_config} if no model is named and the server has
    /// several, vlm::Error for the endpoint and vlm::CassetteError for the cassette.
    RunSession(winio::Desktop& desktop, SessionOptions options);
    ~RunSession();
    RunSession(const RunSession&) = delete;
    RunSession& operator=(const RunSession&) = delete;

    /// Controls the run; may be used before it starts.
    [[nodiscard]] agent::RunControl control() const;
    /// The detected properties of the server; nothing if it was not asked or did not answer.
    [[nodiscard]] const std::optional<vlm::ServerInfo>& server() const;
    /// The profile in force.
    [[nodiscard]] const agent::Profile& profile() const;
    /// What the run does when the screen changes while the model thinks.
    [[nodiscard]] agent::Watch watch() const;

    /// Throws as `Agent::run`. If it throws after the run has started, it writes the report first and
    /// passes its path to `on_remark`.
    RunResult run(const std::string& task, agent::RunStore& store,
                  std::span<agent::Observer* const> observers = {});
    /// Throws as `Agent::resume`. Writes nothing if it throws Error{run_locked} or Error{run_over};
    /// after any other exception, it writes the report. The session needs the profile that the run
    /// stores; set `fit_context` to false, because an adapted profile may not restore the mode. The
    /// journal records `remarks` (see `differences`).
    RunResult resume(agent::RunStore& store, std::span<agent::Observer* const> observers = {},
                     std::vector<std::string> remarks = {});

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Remarks for `RunSession::resume` if the version or a built-in profile has changed since the run
/// began.
[[nodiscard]] EYEHAND_SESSION_API std::vector<std::string>
differences(const agent::StoredRun& stored);

} // namespace eyehand::session
