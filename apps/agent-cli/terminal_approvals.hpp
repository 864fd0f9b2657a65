// Approval requests of a run on the terminal. The first answer counts, on the terminal or on the
// panel.
#pragma once

#include "eyehand/agent/control.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace eyehand::cli {

/// Whether standard input and standard error are a terminal, so that the user can be asked.
[[nodiscard]] bool terminal_can_ask();

/// Whether an answer is "y" or "yes", in any case.
[[nodiscard]] bool is_yes(std::string answer);

/// Shows each approval request of a run on the terminal, on a thread of its own. The control must outlive it.
class TerminalApprovals {
public:
    explicit TerminalApprovals(agent::RunControl& control);
    ~TerminalApprovals();
    TerminalApprovals(const TerminalApprovals&) = delete;
    TerminalApprovals& operator=(const TerminalApprovals&) = delete;

private:
    void look();
    void answer();

    agent::RunControl& control_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::optional<agent::ApprovalRequest> open_; ///< the oldest pending request
    std::stop_source given_up_;                  ///< of the request that is being asked
    std::shared_ptr<void> listener_;
    std::thread thread_;
};

} // namespace eyehand::cli
