#include "terminal_questions.hpp"

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

TerminalQuestions::TerminalQuestions(agent::RunControl& control)
    : control_(control), listener_(control.on_change([this] { look(); })),
      thread_([this] { answer(); }) {}

TerminalQuestions::~TerminalQuestions() {
    listener_.reset();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
        given_up_.request_stop();
    }
    changed_.notify_all();
    thread_.join();
}

/// Stores the open question. If it is a new one, the previous one was answered in the panel or
/// withdrawn, so asking it is canceled.
void TerminalQuestions::look() {
    const agent::RunStatus now = control_.status();
    const bool takes_over = now.approval_requests.empty() && now.taken_over;
    const std::uint64_t id = now.approval_requests.empty() ? 0 : now.approval_requests.front().id;
    const std::lock_guard lock(mutex_);
    if ((request_ ? request_->id : 0) == id && taken_over_ == takes_over) return;
    request_ = id == 0 ? std::nullopt : std::optional(now.approval_requests.front());
    taken_over_ = takes_over;
    ++questions_;
    given_up_.request_stop();
    given_up_ = {};
    changed_.notify_all();
}

void TerminalQuestions::answer() {
    int asked = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] {
            return over_ || (asked != questions_ && (request_.has_value() || taken_over_));
        });
        if (over_) return;
        asked = questions_;
        const std::optional<agent::ApprovalRequest> request = request_;
        const std::stop_token stop = given_up_.get_token();
        lock.unlock();
        if (request)
            resolve(*request, stop);
        else
            continue_run(stop);
        lock.lock();
    }
}

void TerminalQuestions::resolve(const agent::ApprovalRequest& request,
                                const std::stop_token& stop) {
    const auto answer = ask(printable(base::escape_invisible(in_words(request))), stop);
    if (!answer) print_to(stderr, "\n");
    if (answer && is_yes(*answer))
        control_.resolve(request.id, {.granted = true, .channel = "terminal"});
    else if (!stop.stop_requested())
        control_.resolve(request.id,
                         {.granted = false,
                          .reason = "The user did not allow this call. Do not repeat it as it is.",
                          .channel = "terminal"});
}

void TerminalQuestions::continue_run(const std::stop_token& stop) {
    const auto answer =
        ask("paused: the mouse or the keyboard was used; press Enter to continue ", stop);
    if (!answer) print_to(stderr, "\n");
    if (answer)
        control_.resume();
    else if (!stop.stop_requested()) // the terminal is closed
        control_.stop("the user used the mouse or the keyboard");
}

} // namespace eyehand::cli
