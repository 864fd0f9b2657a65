// Questions of a run on the terminal: approval requests, and whether it continues after the user has
// taken over. The first answer counts, on the terminal or in the panel.
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

/// Shows each approval request of a run on the terminal, and asks whether the run continues after the
/// user has taken over; on a thread of its own. The control must outlive it.
class TerminalQuestions {
public:
    explicit TerminalQuestions(agent::RunControl& control);
    ~TerminalQuestions();
    TerminalQuestions(const TerminalQuestions&) = delete;
    TerminalQuestions& operator=(const TerminalQuestions&) = delete;

private:
    void look();
    void answer();
    void resolve(const agent::ApprovalRequest& request, const std::stop_token& stop);
    void continue_run(const std::stop_token& stop);

    agent::RunControl& control_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::optional<agent::ApprovalRequest> request_; ///< the oldest pending one
    bool taken_over_ = false;                       ///< without a request
    int questions_ = 0;                             ///< so far
    std::stop_source given_up_;                     ///< of the question that is being asked
    std::shared_ptr<void> listener_;
    std::thread thread_;
};

} // namespace eyehand::cli
