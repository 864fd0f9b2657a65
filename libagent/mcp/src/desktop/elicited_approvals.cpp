#include "desktop/approval_question.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "eyehand/session/user_questions.hpp"
#include "run/gate.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace eyehand::mcp {

class ElicitedApprovals::Impl {
public:
    Impl(agent::RunControl control, Exchange& exchange)
        : control_(std::move(control)), exchange_(exchange),
          questions_(control_, {.approve = [this](const agent::ApprovalRequest& request,
                                                  const std::stop_token& withdrawn) {
                         ask(request, withdrawn);
                     }}) {}

private:
    void ask(const agent::ApprovalRequest& request, const std::stop_token& withdrawn) {
        agent::Approval answer{.granted = false, .reason = {}, .channel = "mcp"};
        try {
            answer = ask_for_approval(exchange_, fmt::format("approval_{}", request.id), request,
                                      withdrawn);
        } catch (const std::exception& problem) {
            answer.channel = agent::no_user_channel;
            answer.reason = "The user could not be asked: " + base::exception_text(problem);
        }
        if (!withdrawn.stop_requested()) control_.resolve(request.id, std::move(answer));
    }

    agent::RunControl control_;
    Exchange& exchange_;
    session::UserQuestions questions_; // last: its thread uses the others
};

bool ElicitedApprovals::possible(const Exchange& exchange) {
    return exchange.can_elicit() && exchange.waits_for_answers();
}

ElicitedApprovals::ElicitedApprovals(agent::RunControl control, Exchange& exchange)
    : impl_(std::make_unique<Impl>(std::move(control), exchange)) {}
ElicitedApprovals::~ElicitedApprovals() = default;

} // namespace eyehand::mcp
