// execution_log.txt and main.log: the journal in readable form.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_store.hpp"

#include <map>
#include <string>

namespace eyehand::agent {

/// The readable form of an event; both parts end in a line break, and are empty for events that are
/// not logged.
struct LogEntry {
    std::string text{};
    std::string details{}; ///< only in execution_log.txt
};

/// Makes the entries of a run. The store must outlive it.
class ExecutionLog {
public:
    ExecutionLog(const Profile& profile, const RunStore& store);

    /// Takes an event into account that is logged already, of an earlier part of a resumed run.
    void follow(const Event& event);
    [[nodiscard]] LogEntry entry(const Event& event);

private:
    [[nodiscard]] std::string describe(const Event& event) const;
    [[nodiscard]] std::string describe(const StateChanged& event) const;
    [[nodiscard]] std::string messages(const Asked& request) const;

    const RunStore& store_;
    std::map<std::string, std::string> phases_; ///< by role
    int request_ = 0;                           ///< the number of the latest request
    ModeState state_{};
    int archives_ = 0;
    bool judged_ = false; ///< the latest call has an entry on the decision
};

/// The entry about the configuration of a run: its settings with their sources, and the profile
/// with long texts shortened.
[[nodiscard]] std::string describe_configuration(const RunSummary& run);

/// The line of main.log without its time, "INFO turn 3: REPLY after 812 ms ..."; empty for events
/// below `min`.
[[nodiscard]] std::string main_log_line(const Event& event, const LogEntry& entry, LogLevel min);

} // namespace eyehand::agent
