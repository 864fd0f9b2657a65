#include "record/execution_log.hpp"

#include "base/text.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/prompt.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

namespace eyehand::agent {
namespace {

std::string tokens(const std::optional<int>& count) {
    return count ? fmt::format("{}", *count) : std::string("unknown");
}

std::string words(std::string_view text) {
    return text.empty() ? std::string("(nothing)") : std::string(text);
}

/// Calls that the model may only have quoted are visible as such.
std::string_view origin_of(const vlm::ToolCall& call) {
    return call.provenance == vlm::Provenance::text ? " (from the text of the reply)" : "";
}

constexpr std::size_t max_message_bytes = 400; ///< in the entry of a request
constexpr std::size_t max_profile_bytes = 120; ///< per member, in the entry of the configuration

/// "team.lead.temperature: 0.35", a line for each member that is neither an object nor empty.
void add_members(const json::object& object, const std::string& path, std::string& text) {
    for (const auto& member : object) {
        const std::string name = path + std::string(member.key());
        const json::value& value = member.value();
        if (const json::object* inner = value.if_object()) {
            add_members(*inner, name + ".", text);
            continue;
        }
        const json::string* words = value.if_string();
        const std::string whole =
            words == nullptr ? to_text(value) : std::string(words->data(), words->size());
        if (!whole.empty() && whole != "[]")
            text += fmt::format("  {}: {}\n", name, shorten(one_line(whole), max_profile_bytes));
    }
}

std::string memory_in_words(const ModeState& state) {
    return fmt::format("{} active actions, {} archived", state.active_actions,
                       state.archived_actions);
}

LogLevel level_of(const Event& event) {
    LogLevel level = LogLevel::info;
    visit(
        event, [&](const Asked&) { level = LogLevel::debug; },
        [&](const StateChanged&) { level = LogLevel::debug; },
        [&](const Invoke&) { level = LogLevel::debug; },
        [&](const Judged& it) {
            if (!it.guard.allowed) level = LogLevel::warning;
        },
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

std::string words_on(const GuardRecord& guard) {
    return fmt::format("{} by the {}{}, rule \"{}\"\n", guard.allowed ? "allowed" : "denied",
                       guard.decider == "unattended" ? "absence of a user" : guard.decider,
                       guard.channel.empty() ? "" : " (" + guard.channel + ")", guard.rule);
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

std::string main_log_line(const Event& event, const LogEntry& entry, LogLevel min) {
    const LogLevel level = level_of(event);
    const std::string text = one_line(entry.text);
    if (level < min || text.empty()) return {};
    return fmt::format("{} turn {}: {}", word_of(level), event.turn, text);
}

std::string describe_configuration(const RunSummary& run) {
    std::string text = fmt::format("CONFIGURATION\nEyehand: {}\n", version());
    if (!run.settings.empty()) text += "Settings:\n";
    for (const Setting& setting : run.settings)
        text += fmt::format("  {}: {} ({})\n", setting.name,
                            shorten(one_line(setting.value), max_profile_bytes), setting.source);
    const auto profile = parse_json(to_json(run.profile));
    text += "Profile:\n";
    if (profile && profile->is_object()) add_members(profile->get_object(), "", text);
    text += "Tools:";
    for (const vlm::ToolSpec& tool : run.tools) text += ' ' + tool.name;
    return to_valid_utf8(text + (run.tools.empty() ? " (none)\n" : "\n"));
}

ExecutionLog::ExecutionLog(const Profile& profile, const RunStore& store) : store_(store) {
    for (const RolePlan& role : mode_of(profile).roles(profile)) phases_[role.name] = role.phase;
}

void ExecutionLog::follow(const Event& event) {
    visit(
        event, [&](const Asked& it) { request_ = it.number > 0 ? it.number : request_ + 1; },
        [&](const Invoke&) { judged_ = false; }, [&](const Judged&) { judged_ = true; },
        [&](const StateChanged& it) {
            if (it.state.archived_actions > state_.archived_actions) ++archives_;
            state_ = it.state;
        },
        [](const auto&) {});
}

LogEntry ExecutionLog::entry(const Event& event) {
    LogEntry entry;
    // The entry of a changed state names what has changed.
    if (const auto* changed = std::get_if<StateChanged>(&event.payload))
        entry.text = describe(*changed);
    follow(event);
    if (entry.text.empty()) entry.text = describe(event);
    if (const auto* request = std::get_if<Asked>(&event.payload))
        entry.details = to_valid_utf8(messages(*request));
    return entry;
}

/// The messages that the request adds to the previous one of the role.
std::string ExecutionLog::messages(const Asked& request) const {
    std::string text;
    if (!request.sent) return text;
    if (request.sent->same > 0)
        text += fmt::format("Messages as in the previous request of the role: {}\n",
                            request.sent->same);
    const auto add_text = [&](std::string_view of, const SentText& it) {
        text += fmt::format("Message ({}): prompts/{}/{}.txt, {} bytes\n", of,
                            std::string_view(it.hash).substr(0, 2), it.hash, it.bytes);
        if (const auto words = read_prompt(store_, it.hash); words && !words->empty())
            text += "  " + shorten(one_line(*words), max_message_bytes) + "\n";
    };
    for (const SentMessage& message : request.sent->added) {
        for (const SentPart& part : message.parts) {
            if (part.image_sha256.empty())
                add_text(message.role, part.text);
            else
                text += fmt::format("Message ({}): image, SHA-256 {}\n", message.role,
                                    part.image_sha256);
        }
        for (const vlm::ToolCall& call : message.tool_calls)
            text += fmt::format("Message ({}): call {} {}\n", message.role, call.name,
                                shorten(one_line(call.arguments_json), max_message_bytes));
    }
    return text;
}

std::string ExecutionLog::describe(const StateChanged& event) const {
    const ModeState& now = event.state;
    std::string text = fmt::format("STATE\nTurn: {}\n", now.turn);
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) text += fmt::format("{}: {}\n", name, value);
    };
    add("Phase", now.phase);
    add("Role", now.role);
    if (now.plan != state_.plan) add("Plan", words(now.plan));
    if (now.brief != state_.brief) add("Brief", words(now.brief));
    text += fmt::format("Memory: {}\n", memory_in_words(now));
    return to_valid_utf8(text);
}

std::string ExecutionLog::describe(const Event& event) const {
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
            const auto phase = phases_.find(it.role);
            const bool has_phase = phase != phases_.end() && !phase->second.empty();
            if (it.role.ends_with(refine_role_end)) {
                text = fmt::format(
                    "REFINEMENT in turn {} ({})\nRequest #{}: {} messages, {} tools, "
                    "{} images\n",
                    event.turn, it.role.substr(0, it.role.size() - refine_role_end.size()),
                    request_, it.messages, it.tools, it.images.size());
                return;
            }
            text = fmt::format("TURN {} ({}{}{})\nRequest #{}: {} messages, {} tools, {} images\n",
                               event.turn, it.role, has_phase ? ", " : "",
                               has_phase ? phase->second : "", request_, it.messages, it.tools,
                               it.images.size());
        },
        [&](const Replied& it) {
            text =
                fmt::format("REPLY to request #{} after {} ms; tokens: {} in, {} out\nText: {}\n",
                            request_, it.reply.total.count(), tokens(it.reply.usage.prompt_tokens),
                            tokens(it.reply.usage.completion_tokens), words(it.reply.text));
            for (const vlm::ToolCall& call : it.reply.tool_calls) {
                text +=
                    fmt::format("Call{}: {} {}\n", origin_of(call), call.name, call.arguments_json);
            }
        },
        [&](const AskFailed& it) {
            text = fmt::format("NO REPLY to request #{}: {}\n", request_, it.message);
        },
        [&](const Invoke& it) {
            text = fmt::format("ACTION {}{}\nArguments: {}\n", it.call.name, origin_of(it.call),
                               it.call.arguments_json);
        },
        [&](const Invoked& it) {
            text = fmt::format("RESULT of {}: {}\n", it.tool, it.result_json);
            if (it.guard && !judged_) text += "Guard: " + words_on(*it.guard);
            if (!it.desktop_failure.empty()) text += "Desktop: " + it.desktop_failure + "\n";
        },
        [&](const Judged& it) {
            text = fmt::format("DECISION on {}: {}",
                               it.step.empty() ? it.tool : "the recovery (" + it.step + ")",
                               words_on(it.guard));
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
                               "Requests: {}\nTokens: {} in, {} out\n",
                               to_string(it.outcome), it.turns,
                               static_cast<double>(it.elapsed.count()) / 1000, words(it.reason),
                               request_, tokens(it.usage.prompt_tokens),
                               tokens(it.usage.completion_tokens));
            if (state_.active_actions + state_.archived_actions > 0)
                text +=
                    fmt::format("Archives: {}\nMemory: {}\n", archives_, memory_in_words(state_));
        },
        [](const auto&) {});
    return to_valid_utf8(text);
}

} // namespace eyehand::agent
