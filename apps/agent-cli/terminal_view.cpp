#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace cli {
namespace {

using agent::Event;

constexpr std::size_t short_words = 72;
constexpr std::size_t short_arguments = 60;

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

/// `text` on one line, cut after `limit` code points; control characters become spaces.
std::string brief(const std::string& text, std::size_t limit) {
    std::string line;
    std::size_t points = 0;
    for (const char c : text) {
        if (is_control(c)) {
            if (!line.empty() && line.back() != ' ') line += ' ';
            continue;
        }
        const bool starts_point = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (starts_point && points++ == limit) return line + "…";
        line += c;
    }
    return line;
}

std::string spend(const vlm::Usage& usage) {
    const auto count = [](const std::optional<int>& tokens) {
        return tokens ? fmt::format("{}", *tokens) : std::string("an unknown number of");
    };
    return fmt::format("{} tokens in, {} out", count(usage.prompt_tokens),
                       count(usage.completion_tokens));
}

} // namespace

std::string printable(const std::string& text) {
    std::string rest;
    std::copy_if(text.begin(), text.end(), std::back_inserter(rest),
                 [](char c) { return !is_control(c) || c == '\n' || c == '\t'; });
    return rest;
}

void TerminalView::say(const std::string& line) const {
    if (options_.detail == Detail::quiet) return;
    fmt::print(options_.talk, "{}\n", line);
    std::fflush(options_.talk);
}

void TerminalView::on_event(const Event& event) {
    if (options_.json) {
        fmt::print(options_.data, "{}\n", event.line);
        std::fflush(options_.data);
    }
    const bool verbose = options_.detail == Detail::verbose;
    const std::size_t words = verbose ? std::string::npos : short_words;
    const std::size_t arguments = verbose ? std::string::npos : short_arguments;
    agent::visit(
        event,
        [&](const agent::RunStarted& it) {
            say(fmt::format("{} asks {}: {}", it.profile, it.model, brief(it.task, words)));
        },
        [&](const agent::Observed& it) {
            if (!verbose) return;
            say(fmt::format("      {} {}x{}, settled in {} ms", it.file, it.size.width,
                            it.size.height, it.settle.count()));
        },
        [&](const agent::Ask&) { asked_ = event.t; },
        [&](const agent::Replied& it) {
            reply_ = it;
            if (!it.reply.tool_calls.empty()) return; // the line comes with the result
            say(fmt::format("[{:3}] {} ({} ms)", event.turn, brief(it.reply.text, words),
                            (event.t - asked_).count()));
        },
        [&](const agent::Invoked& it) {
            const vlm::ChatReply& reply = reply_.reply;
            const std::string& given =
                reply.tool_calls.empty() ? std::string() : reply.tool_calls.front().arguments_json;
            say(fmt::format("[{:3}] {}{}{} {} -> {} ({} ms)", event.turn, brief(reply.text, words),
                            reply.text.empty() ? "" : " | ", brief(it.tool, words),
                            brief(given, arguments),
                            it.ok ? (verbose ? it.result_json : "ok") : brief(it.result_json, 120),
                            (event.t - asked_).count()));
        },
        [&](const agent::RunFinished& it) {
            say(fmt::format("{} after {} turns and {:.1f} s; {}", to_string(it.outcome), it.turns,
                            static_cast<double>(it.elapsed.count()) / 1000, spend(it.usage)));
        },
        [](const auto&) {});
}

} // namespace cli
