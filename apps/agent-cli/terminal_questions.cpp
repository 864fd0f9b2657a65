#include "terminal_questions.hpp"

#include "eyehand/base/invisible.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

TerminalQuestions::TerminalQuestions(const agent::RunControl& control)
    : control_(control),
      questions_(control,
                 {.approve = [this](const auto& request,
                                    const auto& withdrawn) { resolve(request, withdrawn); },
                  .continue_run = [this](const auto& withdrawn) { continue_run(withdrawn); }}) {}

void TerminalQuestions::resolve(const agent::ApprovalRequest& request,
                                const std::stop_token& withdrawn) {
    const auto answer = ask(printable(base::escape_invisible(in_words(request))), withdrawn);
    if (!answer) print_to(stderr, "\n");
    if (answer && is_yes(*answer))
        control_.resolve(request.id, {.granted = true, .channel = "terminal"});
    else if (!withdrawn.stop_requested())
        control_.resolve(request.id,
                         {.granted = false,
                          .reason = "The user did not allow this call. Do not repeat it as it is.",
                          .channel = "terminal"});
}

void TerminalQuestions::continue_run(const std::stop_token& withdrawn) {
    const auto answer =
        ask("paused: the mouse or the keyboard was used; press Enter to continue ", withdrawn);
    if (!answer) print_to(stderr, "\n");
    if (answer)
        control_.resume();
    else if (!withdrawn.stop_requested()) // the terminal is closed
        control_.stop("the user used the mouse or the keyboard");
}

} // namespace eyehand::cli
