#include "terminal_approvals.hpp"

#include "eyehand/base/invisible.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace eyehand::cli {
namespace {

/// The question with the complete call, because the user approves only what is shown.
std::string in_words(const agent::ApprovalRequest& question) {
    if (question.text.empty()) {
        const std::string reason =
            question.reason.empty()
                ? std::string()
                : fmt::format("        {} ({})\n", question.reason, question.rule);
        return fmt::format("      the model calls \"{}\"\n"
                           "        arguments: {}\n"
                           "{}"
                           "      Allow it? [y/N] ",
                           question.tool, question.arguments_json, reason);
    }
    return fmt::format("      the model calls {}\n"
                       "        arguments: {}\n"
                       "      Run it? [y/N] ",
                       question.text, question.arguments_json);
}

} // namespace

bool is_yes(std::string answer) {
    std::erase_if(answer, [](unsigned char c) { return std::isspace(c) != 0; });
    for (char& c : answer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return answer == "y" || answer == "yes";
}

bool terminal_can_ask() { return input_is_terminal() && errors_go_to_terminal(); }

TerminalApprovals::TerminalApprovals(agent::RunControl& control)
    : control_(control), listener_(control.on_change([this] { look(); })),
      thread_([this] { answer(); }) {}

TerminalApprovals::~TerminalApprovals() {
    listener_.reset();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
        given_up_.request_stop();
    }
    changed_.notify_all();
    thread_.join();
}

/// Stores the oldest open question. If it is a new one, the previous one was answered on the panel
/// or withdrawn, so asking it is canceled.
void TerminalApprovals::look() {
    const agent::RunStatus now = control_.status();
    const std::lock_guard lock(mutex_);
    const std::uint64_t before = open_ ? open_->id : 0;
    open_ =
        now.approval_requests.empty() ? std::nullopt : std::optional(now.approval_requests.front());
    if ((open_ ? open_->id : 0) == before) return;
    given_up_.request_stop();
    given_up_ = {};
    changed_.notify_all();
}

void TerminalApprovals::answer() {
    std::uint64_t asked = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return over_ || (open_ && open_->id != asked); });
        if (over_) return;
        const agent::ApprovalRequest question = *open_;
        const std::stop_token stop = given_up_.get_token();
        asked = question.id;
        lock.unlock();
        const auto answer = ask(printable(base::escape_invisible(in_words(question))), stop);
        if (!answer) print_to(stderr, "\n");
        if (answer && is_yes(*answer))
            control_.resolve(question.id, {.granted = true, .channel = "terminal"});
        else if (!stop.stop_requested())
            control_.resolve(
                question.id,
                {.granted = false,
                 .reason = "The user did not allow this call. Do not repeat it as it is.",
                 .channel = "terminal"});
        lock.lock();
    }
}

} // namespace eyehand::cli
