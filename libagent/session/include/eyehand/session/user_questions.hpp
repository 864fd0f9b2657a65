// The questions of a run to its user: a front end says how it asks, and this class when.
//
//     const session::UserQuestions questions(control, {
//         .approve = [&](const agent::ApprovalRequest& request, const std::stop_token& withdrawn) {
//             if (const auto answer = ask_user(request, withdrawn))
//                 control.resolve(request.id, {.granted = *answer, .channel = "mine"});
//         }});
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/export.hpp"

#include <functional>
#include <memory>
#include <stop_token>

namespace eyehand::session {

/// How to ask. The functions are called one at a time, on a thread of `UserQuestions`. They must return soon after
/// `withdrawn` is triggered: the question was answered elsewhere, the run has ended, or `UserQuestions` ends.
struct AskUser {
    /// Asks for approval and passes the answer to `RunControl::resolve`.
    std::function<void(const agent::ApprovalRequest& request, const std::stop_token& withdrawn)>
        approve{};
    /// Asks whether the run continues after the user has taken over (`RunStatus::taken_over`), and resumes or
    /// stops it. Empty: this question is not asked.
    std::function<void(const std::stop_token& withdrawn)> continue_run{};
};

/// Asks each question of a run once, the oldest first, while it exists. Several front ends may ask the user of
/// one run: the first answer counts.
class EYEHAND_SESSION_API UserQuestions {
public:
    UserQuestions(agent::RunControl control, AskUser ask);
    /// Withdraws the question that is being asked.
    ~UserQuestions();
    UserQuestions(const UserQuestions&) = delete;
    UserQuestions& operator=(const UserQuestions&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::session
