#include "eyehand/agent/memory.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t arguments_bytes = 160; // maximum length of an action's arguments in a context

enum class Length { cut, complete };

std::string in_words(const ActionRecord& record, const TeamMemoryOptions& options,
                     Length outcome_length = Length::cut) {
    if (record.tool.empty())
        return fmt::format("- turn {}: no tool call; said: {}", record.turn,
                           cut_bytes(one_line(record.reply), options.reply_bytes, true));
    const std::string& result = record.outcome.empty() ? record.result : record.outcome;
    const std::string outcome = outcome_length == Length::complete
                                    ? result
                                    : cut_bytes(one_line(result), options.result_bytes, true);
    const std::string call =
        record.call.empty() ? fmt::format("{} {}", record.tool, record.arguments) : record.call;
    std::string line = fmt::format(
        "- turn {}: {} -> {}", record.turn,
        cut_bytes(one_line(call), record.tool.size() + 1 + arguments_bytes, true), outcome);
    if (!record.reply.empty())
        line += (outcome.find('\n') == std::string::npos ? " | said: " : "\n  | said: ") +
                cut_bytes(one_line(record.reply), options.reply_bytes, true);
    return line;
}

std::string in_words(const Snapshot& snapshot, const TeamMemoryOptions& options) {
    std::string line =
        fmt::format("- {} actions: {}", snapshot.actions,
                    cut_bytes(one_line(snapshot.summary), options.summary_bytes, true));
    if (!snapshot.patterns.empty())
        line +=
            " | patterns: " + cut_bytes(one_line(snapshot.patterns), options.patterns_bytes, true);
    return line;
}

/// The newest of `count` lines, in order, whose total length with line breaks is at most `max`
/// bytes. `line` makes a line from its index.
template <class Line>
std::vector<std::string> newest_that_fit(std::size_t count, Line line, std::size_t max) {
    std::vector<std::string> lines;
    std::size_t bytes = 0;
    while (lines.size() < count) {
        std::string next = line(count - 1 - lines.size());
        bytes += next.size() + 1;
        if (bytes > max) break;
        lines.push_back(std::move(next));
    }
    std::reverse(lines.begin(), lines.end());
    return lines;
}

/// The lines under a heading; empty without lines.
std::string section(std::string_view heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string text(heading);
    for (const std::string& line : lines) text += '\n' + line;
    return text;
}

} // namespace

TeamMemory::TeamMemory(TeamMemoryOptions options) : options_(options) {}

void TeamMemory::add(ActionRecord record) {
    if (record.archived) ++archived_;
    records_.push_back(std::move(record));
}

void TeamMemory::update(const ActionRecord& record) {
    const auto known =
        std::find_if(records_.rbegin(), records_.rend(),
                     [&](const ActionRecord& earlier) { return earlier.turn == record.turn; });
    if (known == records_.rend() || known->archived) return;
    *known = record;
}

std::string TeamMemory::archive(const std::string& summary, const std::string& patterns,
                                const std::vector<int>& turns) {
    if (turns.empty()) return "no turns were given: list the turns to archive";
    std::vector<int> active_turns;
    for (const ActionRecord& record : records_)
        if (!record.archived) active_turns.push_back(record.turn);
    std::vector<int> unknown;
    for (const int turn : turns)
        if (std::find(active_turns.begin(), active_turns.end(), turn) == active_turns.end())
            unknown.push_back(turn);
    if (!unknown.empty())
        return fmt::format("no active action in turn {}; active turns: {}",
                           fmt::join(unknown, ", "), fmt::join(active_turns, ", "));
    std::size_t count = 0;
    for (ActionRecord& record : records_) {
        if (record.archived || std::find(turns.begin(), turns.end(), record.turn) == turns.end())
            continue;
        mark_archived(record);
        ++count;
    }
    snapshots_.push_back({summary, patterns, count});
    return {};
}

/// The journal has the complete texts.
void TeamMemory::mark_archived(ActionRecord& record) {
    record.archived = true;
    ++archived_;
    const auto shorten = [](std::string& text, std::size_t max) {
        if (text.size() <= max) return;
        text = cut_bytes(text, max, true);
        text.shrink_to_fit();
    };
    shorten(record.arguments, arguments_bytes);
    shorten(record.result, options_.result_bytes);
    shorten(record.call, record.tool.size() + 1 + arguments_bytes);
    shorten(record.outcome, options_.result_bytes);
    shorten(record.reply, options_.reply_bytes);
}

void TeamMemory::compress() {
    std::vector<ActionRecord*> going;
    for (ActionRecord& record : records_)
        if (!record.archived) going.push_back(&record);
    if (going.empty()) return;
    going.resize((going.size() + 1) / 2);
    // The number of calls of each tool, in the order of the first calls.
    std::vector<std::pair<std::string, std::size_t>> tools;
    for (ActionRecord* record : going) {
        mark_archived(*record);
        const std::string name = record->tool.empty() ? "no tool call" : record->tool;
        const auto known = std::find_if(tools.begin(), tools.end(),
                                        [&](const auto& tool) { return tool.first == name; });
        if (known == tools.end())
            tools.emplace_back(name, 1);
        else
            ++known->second;
    }
    std::vector<std::string> words;
    words.reserve(tools.size());
    for (const auto& [name, count] : tools) words.push_back(fmt::format("{} x{}", name, count));
    snapshots_.push_back({fmt::format("turns {} to {}: {}", going.front()->turn, going.back()->turn,
                                      fmt::join(words, ", ")),
                          {},
                          going.size()});
}

bool TeamMemory::needs_compression() const { return active() >= options_.threshold; }

std::size_t TeamMemory::active() const { return records_.size() - archived(); }

std::size_t TeamMemory::archived() const { return archived_; }

/// The lines about the newest active actions, oldest first, with at most `max` bytes.
std::vector<std::string> TeamMemory::latest_actions(std::size_t max) const {
    struct Shown {
        const ActionRecord* record;
        bool complete;
        std::string line;
    };
    std::vector<Shown> shown; // newest first
    std::set<std::string_view> complete_tools;
    std::size_t actions = 0;
    for (auto record = records_.rbegin(); record != records_.rend(); ++record) {
        if (record->archived) continue;
        const bool complete = record->complete && complete_tools.insert(record->tool).second;
        if (actions++ < options_.recent || complete) shown.push_back({&*record, complete, {}});
        if (actions == active()) break;
    }
    std::size_t left = max;
    std::size_t fitting = 0;
    for (Shown& it : shown) {
        it.line = in_words(*it.record, options_);
        if (it.line.size() + 1 > left) break;
        left -= it.line.size() + 1;
        ++fitting;
    }
    shown.resize(fitting);
    for (Shown& it : shown) {
        if (!it.complete) continue;
        std::string line = in_words(*it.record, options_, Length::complete);
        if (line.size() <= it.line.size()) continue;
        line = cut_bytes(line, it.line.size() + left, true);
        left -= std::max(line.size(), it.line.size()) - it.line.size();
        it.line = std::move(line);
    }
    std::vector<std::string> lines;
    lines.reserve(shown.size());
    for (auto it = shown.rbegin(); it != shown.rend(); ++it) lines.push_back(std::move(it->line));
    return lines;
}

std::string TeamMemory::context(std::size_t max) const {
    constexpr std::string_view archive_heading = "Archived:";
    constexpr std::string_view recent_heading = "Latest actions:";
    constexpr std::size_t headings = archive_heading.size() + recent_heading.size() + 4;
    if (max <= headings || records_.empty()) return {};
    const std::size_t room = max - headings;

    const auto snapshot = [&](std::size_t i) { return in_words(snapshots_[i], options_); };
    const std::size_t share = room / 2;
    std::vector<std::string> told = newest_that_fit(snapshots_.size(), snapshot, share);
    if (told.size() < snapshots_.size()) { // the oldest are merged into one line
        const auto merged_line = [&](std::size_t merged) {
            std::size_t actions = 0;
            for (std::size_t i = 0; i < merged; ++i) actions += snapshots_[i].actions;
            return fmt::format("- {} actions, in {} older summaries: {}", actions, merged,
                               one_line(snapshots_.front().summary));
        };
        const std::size_t line = options_.summary_bytes;
        told =
            newest_that_fit(snapshots_.size(), snapshot, share > line + 1 ? share - line - 1 : 0);
        const std::string merged =
            cut_bytes(merged_line(snapshots_.size() - told.size()), std::min(line, share), true);
        told.insert(told.begin(), merged);
    }
    std::size_t used = 0;
    for (const std::string& line : told) used += line.size() + 1;

    const std::string first = section(archive_heading, told);
    const std::string second = section(recent_heading, latest_actions(room - std::min(used, room)));
    std::string text = first + (first.empty() || second.empty() ? "" : "\n") + second;
    return cut_bytes(text, max); // a safeguard: the code above stays within the limit
}

} // namespace eyehand::agent
