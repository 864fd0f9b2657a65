#include "eyehand/agent/memory.hpp"

#include "base/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr std::size_t arguments_bytes = 160; // maximum length of an action's arguments in a context

std::string in_words(const ActionRecord& record, const TeamMemoryOptions& options) {
    if (record.tool.empty())
        return fmt::format("- turn {}: no tool call; said: {}", record.turn,
                           cut_bytes(one_line(record.reply), options.reply_bytes, true));
    std::string line = fmt::format("- turn {}: {} {} -> {}", record.turn, record.tool,
                                   cut_bytes(one_line(record.arguments), arguments_bytes, true),
                                   cut_bytes(one_line(record.result), options.result_bytes, true));
    if (!record.reply.empty())
        line += " | said: " + cut_bytes(one_line(record.reply), options.reply_bytes, true);
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

    std::vector<const ActionRecord*> recent; // newest first
    const std::size_t most_recent = std::min(options_.recent, active());
    for (auto record = records_.rbegin(); recent.size() < most_recent; ++record)
        if (!record->archived) recent.push_back(&*record);
    const auto action = [&](std::size_t i) {
        return in_words(*recent[recent.size() - 1 - i], options_);
    };
    const std::string first = section(archive_heading, told);
    const std::string second = section(
        recent_heading, newest_that_fit(recent.size(), action, room - std::min(used, room)));
    std::string text = first + (first.empty() || second.empty() ? "" : "\n") + second;
    return cut_bytes(text, max); // a safeguard: the code above stays within the limit
}

} // namespace eyehand::agent
