// What a run asks people for: their consent to a call. Whoever answers first, on the terminal or on the
// panel, is heard.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/program_tool.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace eyehand::cli {

/// Whether somebody at the terminal can be asked.
[[nodiscard]] bool terminal_can_ask();

/// The question that a program's call comes to.
[[nodiscard]] agent::ApprovalRequest question_of(const agent::ToolQuestion& call);

/// Asks each question of a run on the terminal, on a thread of its own. The control must outlive it.
class TerminalQuestions {
public:
    explicit TerminalQuestions(agent::RunControl& control);
    ~TerminalQuestions();
    TerminalQuestions(const TerminalQuestions&) = delete;
    TerminalQuestions& operator=(const TerminalQuestions&) = delete;

private:
    void look();
    void answer();

    agent::RunControl& control_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::optional<agent::ApprovalRequest> open_; ///< the oldest one that waits
    std::stop_source given_up_;                  ///< of the one that is being asked
    std::shared_ptr<void> listener_;
    std::thread thread_;
};

} // namespace eyehand::cli
