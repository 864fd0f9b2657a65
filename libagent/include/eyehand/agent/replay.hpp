// Replays a recorded run without a desktop, a model or waits, and compares it with the recording.
//
//     agent::AgentOptions options;
//     options.record_desktop = true; // for Agent::run: the run directory then has `recording_name`
//     ...
//     const agent::ReplayReport report =
//         agent::replay_run(agent::RunDirectory::open("runs/run_0007"));
//     std::cout << agent::to_text(report);
//
// The mode, the tools, the guard, the comparison of targets, the encoding of screenshots, the planning
// of input and the decoding of replies are those of this program; the desktop, the clock, the user and
// the model's server answer what they answered in the run. docs/architecture.md describes what a replay
// can and cannot find.
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"

#include <string>
#include <vector>

namespace eyehand::agent {

/// The file in a run's store with the recording of the desktop (`AgentOptions::record_desktop`).
inline constexpr const char* recording_name = "desktop.jsonl";

/// A place at which the replay differs from the run.
struct ReplayDifference {
    int turn = 0;
    std::string subject{};               ///< what differs: "ask", "the result of click", "input"
    std::vector<std::string> recorded{}; ///< lines that only the run has
    std::vector<std::string> replayed{}; ///< lines that only the replay has
    friend bool operator==(const ReplayDifference&, const ReplayDifference&) = default;
};

struct ReplayReport {
    int commands = 0; ///< that were compared
    int results = 0;  ///< results of commands that were compared
    int inputs = 0;   ///< pieces of input that were compared
    int replies = 0;  ///< replies that were decoded again from what the server sent
    std::vector<ReplayDifference> differences{};
    /// What was not compared and why, one sentence each.
    std::vector<std::string> not_compared{};
    [[nodiscard]] bool identical() const { return differences.empty(); }
};

struct ReplayOptions {
    /// The tools of the run. Tools that may act themselves (`Toolbox::may_act_itself`) are not called.
    Toolbox tools = built_in_tools();
    /// As in the run: what the run directory does not contain, such as the rules of the guard, the
    /// secrets and the key of the journal, and the settings for the area and additional tools. Watch,
    /// approvals and the sources of annotations and first reply are those of the recording. Limits,
    /// and the times of `settle` and `reaction`, have no effect.
    AgentOptions agent{};
    ModeRegistry modes = ModeRegistry::built_in(); ///< must contain the mode of the run
};

/// Replays all parts of a run. Each command is executed after the same events as in the run, also
/// after a difference: a difference does not cause others, except one after which the mode wants
/// another command, which ends the replay.
///
/// A reply is that of the journal if the model exchanges no bytes with a server (`ChatReply::response`),
/// or if they contained a secret. Without a recording of the desktop, only the commands of the mode are
/// compared, including the requests to the model. Throws Error{bad_run} if a file of the run is missing or cannot be read,
/// naming file and line, Error{journal_corrupt}, and the errors of the constructor of `Agent`.
[[nodiscard]] EYEHAND_AGENT_API ReplayReport replay_run(const RunStore& run,
                                                        const ReplayOptions& options = {});

/// The report for people: each difference with its turn, recorded lines after "- " and replayed
/// lines after "+ ", then what was not compared, and a summary.
[[nodiscard]] EYEHAND_AGENT_API std::string to_text(const ReplayReport& report);

} // namespace eyehand::agent
