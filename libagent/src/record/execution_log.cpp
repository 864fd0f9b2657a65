#include "record/execution_log.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <cctype>

namespace eyehand::agent {
namespace {

std::string tokens(const std::optional<int>& count) {
    return count ? fmt::format("{}", *count) : std::string("unknown");
}

std::string words(std::string_view text) {
    return text.empty() ? std::string("(nothing)") : std::string(text);
}

LogLevel level_of(const Event& event) {
    LogLevel level = LogLevel::info;
    visit(
        event, [&](const Asked&) { level = LogLevel::debug; },
        [&](const Invoke&) { level = LogLevel::debug; },
        [&](const ObserveFailed&) { level = LogLevel::error; },
        [&](const AskFailed&) { level = LogLevel::error; },
        [&](const RunFinished& it) {
            if (it.outcome != Outcome::completed && it.outcome != Outcome::cancelled)
                level = LogLevel::error;
        },
        [&](const Recovered& it) {
            if (!it.problem.empty()) level = LogLevel::warning;
            if (!it.desktop_failure.empty()) level = LogLevel::error;
        },
        [&](const Invoked& it) {
            if (!it.ok) level = LogLevel::warning;
            if (!it.desktop_failure.empty()) level = LogLevel::error;
        },
        [&](const Noted&) { level = LogLevel::warning; }, [](const auto&) {});
    return level;
}

std::string_view word_of(LogLevel level) {
    switch (level) {
    case LogLevel::debug:
        return "DEBUG";
    case LogLevel::info:
        return "INFO";
    case LogLevel::warning:
        return "WARNING";
    case LogLevel::error:
        break;
    }
    return "ERROR";
}

} // namespace

std::string main_log_line(const Event& event, LogLevel min) {
    const LogLevel level = level_of(event);
    const std::string text = one_line(describe(event));
    if (level < min || text.empty()) return {};
    return fmt::format("{} turn {}: {}", word_of(level), event.turn, text);
}

std::string describe(const Event& event) {
    std::string text;
    visit(
        event,
        [&](const RunStarted& it) {
            text = fmt::format("RUN STARTED\nTask: {}\nProfile: {}\nModel: {}\n", it.task,
                               it.profile, it.model);
        },
        [&](const RunResumed& it) {
            text = "RUN RESUMED\n";
            for (const std::string& remark : it.remarks) text += remark + "\n";
        },
        [&](const Observed& it) {
            text =
                fmt::format("SCREENSHOT {} ({}x{}, of {}x{} at {},{}; {} after {} ms)\n", it.file,
                            it.size.width, it.size.height, it.area.width, it.area.height, it.area.x,
                            it.area.y, it.end.empty() ? "stable" : it.end, it.settle.count());
        },
        [&](const ObserveFailed& it) { text = fmt::format("SCREENSHOT FAILED: {}\n", it.message); },
        [&](const Asked& it) {
            text = fmt::format("TURN {} ({})\nRequest: {} messages, {} tools\n", event.turn,
                               it.role, it.messages, it.tools);
        },
        [&](const Replied& it) {
            text = fmt::format("REPLY after {} ms; tokens: {} in, {} out\nText: {}\n",
                               it.reply.total.count(), tokens(it.reply.usage.prompt_tokens),
                               tokens(it.reply.usage.completion_tokens), words(it.reply.text));
            for (const vlm::ToolCall& call : it.reply.tool_calls) {
                text += fmt::format("Call: {} {}\n", call.name, call.arguments_json);
            }
        },
        [&](const AskFailed& it) { text = fmt::format("NO REPLY: {}\n", it.message); },
        [&](const Invoke& it) {
            text = fmt::format("ACTION {}\nArguments: {}\n", it.call.name, it.call.arguments_json);
        },
        [&](const Invoked& it) {
            text = fmt::format("RESULT of {}: {}\n", it.tool, it.result_json);
            if (!it.desktop_failure.empty()) text += "Desktop: " + it.desktop_failure + "\n";
        },
        [&](const Recover& it) { text = fmt::format("RECOVERY: {}\n", it.reason); },
        [&](const Recovered& it) {
            text = it.problem.empty() ? "RECOVERED\n"
                                      : fmt::format("RECOVERY FAILED: {}\n", it.problem);
        },
        [&](const Await&) { text = "WAITING for the first reply\n"; },
        [&](const UserMessage& it) {
            text = fmt::format("TOLD{}: {}\n",
                               it.kind == UserMessage::Kind::reply ? " as a reply" : "",
                               words(it.text));
        },
        [&](const Noted& it) {
            std::string kind = it.kind;
            for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
            text = fmt::format("{}: {}\n", kind, it.text);
        },
        [&](const Stopped& it) { text = fmt::format("STOPPED: {}\n", it.reason); },
        [&](const RunFinished& it) {
            text = fmt::format("RUN FINISHED: {} after {} turns and {:.1f} s\n{}\n"
                               "Tokens: {} in, {} out\n",
                               to_string(it.outcome), it.turns,
                               static_cast<double>(it.elapsed.count()) / 1000, words(it.reason),
                               tokens(it.usage.prompt_tokens), tokens(it.usage.completion_tokens));
        },
        [](const auto&) {});
    return to_valid_utf8(text);
}

} // namespace eyehand::agent
