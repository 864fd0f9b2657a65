// Questions of a run on the terminal: approval requests, and whether it continues after the user has
// taken over. The first answer counts, on the terminal or in the panel.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/session/user_questions.hpp"

#include <stop_token>
#include <string>

namespace eyehand::cli {

/// Whether standard input and standard error are a terminal, so that the user can be asked.
[[nodiscard]] bool terminal_can_ask();

/// Whether an answer is "y" or "yes", in any case.
[[nodiscard]] bool is_yes(std::string answer);

/// Shows each approval request of a run on the terminal, and asks whether the run continues after the
/// user has taken over; on a thread of its own.
class TerminalQuestions {
public:
    explicit TerminalQuestions(const agent::RunControl& control);

private:
    void resolve(const agent::ApprovalRequest& request, const std::stop_token& withdrawn);
    void continue_run(const std::stop_token& withdrawn);

    agent::RunControl control_;
    session::UserQuestions questions_; // last: its thread uses the control
};

} // namespace eyehand::cli
