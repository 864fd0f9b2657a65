// Reads the journal of a run that has ended, was interrupted, or is in progress in another process.
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
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eyehand::agent {

/// Reads one line of a journal, without its line break. A line that cannot be read becomes an event
/// with `UnknownEvent`; `Event::line` always contains the line unchanged.
[[nodiscard]] EYEHAND_AGENT_API Event parse_event(std::string_view line);

/// Reads a journal event by event. Holds one line in memory at a time. Not thread-safe.
class EYEHAND_AGENT_API JournalReader {
public:
    /// A file that does not exist yet is an empty journal, so that a run can be followed before its
    /// first event. Anything else that is not a regular file, and a file of more than 2 GiB, also
    /// reads as empty.
    explicit JournalReader(std::filesystem::path file);
    ~JournalReader();
    JournalReader(JournalReader&&) noexcept;
    JournalReader& operator=(JournalReader&&) noexcept;

    /// Returns the next event, or nothing at the end of the journal; call it again after the
    /// journal has grown. A last line without a line break is not an event yet.
    [[nodiscard]] std::optional<Event> next();

    /// The number of lines so far that are not a JSON object with a type, or lack a member that
    /// their type requires.
    [[nodiscard]] std::size_t damaged() const;
    /// The number of lines so far of more than 8 MiB, which are skipped.
    [[nodiscard]] std::size_t too_long() const;
    /// Whether the journal ends in the middle of a line: the line is being written, or the process
    /// died.
    [[nodiscard]] bool torn() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// All events of a journal. Skips the same lines as `JournalReader`.
[[nodiscard]] EYEHAND_AGENT_API std::vector<Event> read_journal(const std::filesystem::path& file);
/// All events of the journal in a store.
[[nodiscard]] EYEHAND_AGENT_API std::vector<Event> read_journal(const RunStore& store);
/// Calls `call` with each of them. Holds one event in memory at a time.
EYEHAND_AGENT_API void for_each_event(const RunStore& store,
                                      const std::function<void(Event&&)>& call);

/// Verifies that no entry of a journal was removed, added or changed: the entries are numbered, and
/// each holds the SHA-256 of the line before it, or the HMAC-SHA256 if the run has a key.
class EYEHAND_AGENT_API ChainVerifier {
public:
    explicit ChainVerifier(std::string key = {}) : key_(std::move(key)) {}

    /// Verifies the next entry. Returns what is wrong with it; empty if it continues the journal. After
    /// a wrong entry, verification continues from that entry.
    /// A journal that was written with a key is only verified by its numbers if this object has no
    /// key, and one that was written without a key if it has one.
    [[nodiscard]] std::string check(const Event& event);
    /// Whether the journal was written with a key, by its first entry.
    [[nodiscard]] bool has_key() const { return has_key_; }

private:
    std::string key_;
    bool has_key_ = false;
    bool began_ = false;
    std::uint64_t seq_ = 0;
    std::string previous_line_hash_;
};

} // namespace eyehand::agent
