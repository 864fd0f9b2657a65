// Reads the journal of a run: one that has ended, one that was interrupted, or one that another
// process is writing.
//
//     agent::JournalReader journal("runs/run_0007/events.jsonl");
//     while (const auto event = journal.next())
//         agent::visit(*event,
//             [](const agent::Replied& it) { std::cout << it.reply.text << '\n'; },
//             [](const auto&) {});
//
// Reading never locks, creates or repairs a file. `Journal` (journal.hpp) writes one.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// Reads one line of a journal, without its line break. A line that cannot be read becomes an event
/// with `UnknownEvent`; `Event::line` always holds the line as it is.
[[nodiscard]] EYEHAND_AGENT_API Event parse_event(std::string_view line);

/// Reads a journal event by event. Holds one line in memory at a time. Not thread-safe.
class EYEHAND_AGENT_API JournalReader {
public:
    /// A file that does not exist yet is an empty journal, so that a run can be followed before its
    /// first event. Anything else that is not a regular file, and a file of more than 2 GiB, reads as
    /// empty, too.
    explicit JournalReader(std::filesystem::path file);
    ~JournalReader();
    JournalReader(JournalReader&&) noexcept;
    JournalReader& operator=(JournalReader&&) noexcept;

    /// The next event. Nothing at the end of the journal: call it again after the journal has grown. A
    /// last line without its line break is not an event yet.
    [[nodiscard]] std::optional<Event> next();

    /// Lines so far that are not a JSON object with a type, or do not have what their type requires.
    [[nodiscard]] std::size_t damaged() const;
    /// Lines so far of more than 8 MiB, which are left out.
    [[nodiscard]] std::size_t too_long() const;
    /// The journal ends in the middle of a line: it was being written, or its process died.
    [[nodiscard]] bool torn() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// All events of a journal. See `JournalReader` for what it leaves out.
[[nodiscard]] EYEHAND_AGENT_API std::vector<Event> read_journal(const std::filesystem::path& file);
/// All events of the journal in a store.
[[nodiscard]] EYEHAND_AGENT_API std::vector<Event> read_journal(const RunStore& store);

/// Verifies that no entry of a journal was removed, added or changed: the entries are numbered, and
/// each holds the SHA-256 of the line before it.
class EYEHAND_AGENT_API ChainVerifier {
public:
    /// Verifies the next entry. Returns what is wrong with it; empty if it continues the journal. After
    /// a wrong entry, verification continues from that entry.
    [[nodiscard]] std::string check(const Event& event);

private:
    std::uint64_t seq_ = 0;
    std::string previous_line_hash_;
};

} // namespace eyehand::agent
