#include "terminal_view.hpp"

#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/base/utf8.hpp"

#include <fmt/format.h>

#include <utility>

namespace eyehand::cli {
namespace {

using agent::Event;

constexpr std::size_t short_words = 72;
constexpr std::size_t short_arguments = 60;
constexpr std::size_t short_reason = 300; // an address, a cause and a remedy

/// The length of the control character at `at`, or 0. Besides C0 and DEL, terminals also interpret
/// C1 (U+0080 to U+009F).
std::size_t control_length(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(at) < 0x20 || byte(at) == 0x7F) return 1;
    const bool c1 =
        byte(at) == 0xC2 && at + 1 < text.size() && byte(at + 1) >= 0x80 && byte(at + 1) <= 0x9F;
    return c1 ? 2 : 0;
}

std::string spend(const vlm::Usage& usage) {
    const auto count = [](const std::optional<int>& tokens) {
        return tokens ? fmt::format("{}", *tokens) : std::string("an unknown number of");
    };
    return fmt::format("{} tokens in, {} out", count(usage.prompt_tokens),
                       count(usage.completion_tokens));
}

/// The latest item of that type; nullptr if the turns in the view contain none.
template <class Item>
const Item* latest(const agent::RunView& run) {
    for (std::size_t i = run.turn_count(); i-- > 0;) {
        const auto& items = run.turn(i).items;
        for (auto item = items.rbegin(); item != items.rend(); ++item)
            if (const auto* found = std::get_if<Item>(&*item)) return found;
    }
    return nullptr;
}

/// The words of a reply on one line: of a visual loop, whose replies are JSON, the observation and
/// the number of actions.
std::string words_of(const std::string& reply, const agent::RunView& run, std::size_t limit) {
    const auto* visual = run.profile().settings<agent::VisualLoopSettings>();
    if (visual == nullptr) return one_line(reply, limit);
    const agent::VisualReply parsed = agent::parse_visual_reply(reply, visual->limits);
    std::string words =
        parsed.observation.empty() ? "(no observation)" : one_line(parsed.observation, limit);
    if (parsed.actions.size() == 1) words += " | 1 action";
    if (parsed.actions.size() > 1) words += fmt::format(" | {} actions", parsed.actions.size());
    if (parsed.done) words += " | done";
    return words;
}

/// The role that was asked last; empty in modes with one role.
std::string role_of(const agent::RunView& run) {
    for (std::size_t i = run.turn_count(); i-- > 0;)
        if (const std::string& role = run.turn(i).role; !role.empty())
            return role == "agent" ? std::string() : role;
    return {};
}

} // namespace

TerminalView::TerminalView(Options options, const agent::Profile& profile)
    : options_(options), spinner_(options.talk), run_(profile, {.turns = 2}) {}

std::string one_line(const std::string& text, std::size_t limit) {
    std::string line;
    std::size_t points = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t length = control_length(text, i)) {
            if (!line.empty() && line.back() != ' ') line += ' ';
            i += length - 1;
            continue;
        }
        const bool starts_point = !base::utf8::is_continuation(text[i]);
        if (starts_point && points++ == limit) return line + "…";
        line += text[i];
    }
    return line;
}

std::string printable(const std::string& text) {
    std::string rest;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t length = control_length(text, i);
        if (length == 0 || text[i] == '\n' || text[i] == '\t')
            rest += text[i];
        else
            i += length - 1;
    }
    return rest;
}

void TerminalView::say(const std::string& line) {
    spinner_.off();
    end_streamed_words();
    if (options_.detail == Detail::quiet) return;
    fmt::print(options_.talk, "{}\n", line);
    std::fflush(options_.talk);
}

void TerminalView::on_event(const Event& event) {
    const std::scoped_lock lock(mutex_);
    if (options_.json) {
        fmt::print(options_.data, "{}\n", event.line);
        std::fflush(options_.data);
    }
    run_.apply(event);
    const bool verbose = options_.detail == Detail::verbose;
    const auto turn = [&] {
        const std::string role = role_of(run_);
        return fmt::format("[{:3}{}]", event.turn, role.empty() ? "" : " " + role);
    };
    const std::size_t words = verbose ? std::string::npos : short_words;
    const std::size_t arguments = verbose ? std::string::npos : short_arguments;
    agent::visit(
        event,
        [&](const agent::RunStarted& it) {
            say(fmt::format("{} asks {}: {}", it.profile, it.model, one_line(it.task, words)));
        },
        [&](const agent::Observed& it) {
            if (!verbose) return;
            say(fmt::format("      {} {}x{}, {} after {} ms", it.file, it.size.width,
                            it.size.height, it.end, it.settle.count()));
        },
        [&](const agent::RunResumed& it) {
            say("the run continues where it was interrupted");
            for (const std::string& remark : it.remarks) say("      " + one_line(remark));
        },
        [&](const agent::Asked&) {
            asked_ = event.t;
            loading_ = false;
            if (options_.terminal && options_.detail != Detail::quiet)
                spinner_.on(fmt::format("{} thinking", turn()));
        },
        [&](const agent::Noted& it) {
            say(fmt::format("      {}: {}", it.kind, one_line(it.text, verbose ? words : 120)));
        },
        [&](const agent::Recover& it) { say("      recovery: " + one_line(it.reason, words)); },
        [&](const agent::Replied& it) {
            spinner_.off();
            for (const std::string& note : it.reply.notes) say("      " + one_line(note));
            if (!it.reply.tool_calls.empty()) return; // the line comes with the result
            say(fmt::format("{} {} ({} ms)", turn(), words_of(it.reply.text, run_, words),
                            (event.t - asked_).count()));
        },
        [&](const agent::Invoked& it) {
            const auto* reply = latest<agent::Replied>(run_);
            // The text of a reply without a call has been printed already.
            const std::string said =
                reply == nullptr || reply->reply.tool_calls.empty() ? "" : reply->reply.text;
            const auto* call = latest<agent::CallView>(run_);
            const std::string given = call == nullptr ? "" : call->arguments_json;
            say(fmt::format(
                "{} {}{}{} {} -> {} ({} ms)", turn(), one_line(said, words),
                said.empty() ? "" : " | ", one_line(it.tool, words), one_line(given, arguments),
                it.ok ? (verbose ? it.result_json : "ok") : one_line(it.result_json, 120),
                (event.t - asked_).count()));
        },
        [&](const agent::RunFinished& it) {
            say(fmt::format("{} after {} turns and {:.1f} s; {}", to_string(it.outcome), it.turns,
                            static_cast<double>(it.elapsed.count()) / 1000, spend(it.usage)));
        },
        [](const auto&) {});
}

void TerminalView::on_delta(const vlm::Delta& delta) {
    const std::scoped_lock lock(mutex_);
    if (options_.detail != Detail::verbose || delta.kind == vlm::Delta::Kind::tool_call) return;
    spinner_.off();
    fmt::print(options_.talk, "{}{}", streaming_ ? "" : "      ", printable(delta.text));
    std::fflush(options_.talk);
    streaming_ = true;
}

void TerminalView::on_progress(const agent::ToolProgress& progress) {
    const std::scoped_lock lock(mutex_);
    if (options_.detail == Detail::quiet) return;
    const std::string words = one_line(description(progress), short_words);
    if (options_.terminal) {
        end_streamed_words();
        spinner_.show(words);
    } else if (options_.detail == Detail::verbose) {
        say("      " + words);
    }
}

void TerminalView::end_streamed_words() {
    if (std::exchange(streaming_, false)) fmt::print(options_.talk, "\n");
}

void TerminalView::on_retry(const vlm::Attempt& attempt) {
    const std::scoped_lock lock(mutex_);
    if (attempt.loading) {
        if (!std::exchange(loading_, true))
            say("      the server is loading its model; waiting for it");
        return;
    }
    const bool verbose = options_.detail == Detail::verbose;
    say(fmt::format("      retrying in {:.1f} s (attempt {}): {}",
                    std::chrono::duration<double>(attempt.delay).count(), attempt.number,
                    one_line(attempt.reason, verbose ? std::string::npos : short_reason)));
}

} // namespace eyehand::cli
