// The journal of a run: events.jsonl, append-only, one JSON object per line. Each command is
// written before it is executed.
//
// Each entry has "seq" (from 1), "t" (ms since start), "type", "turn" and "prev": the SHA-256 of
// the line before it, without its line break (64 zeros in the first line). With a key, it is the
// HMAC-SHA256 instead (that of the empty text in the first line), so that a line
// cannot be changed unnoticed without the key.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace eyehand::agent {

/// Appends to a file; the system has each line before `append` returns, and the disk has it before
/// `finish_sync` returns. Not thread-safe.
class EYEHAND_AGENT_API Journal {
public:
    /// Called with each entry after it is written.
    using Listener = std::function<void(const Event&)>;

    /// Creates or continues `file` and locks it against other writers until the journal is closed;
    /// readers (JournalReader) need no lock. Reads and verifies the existing entries; an incomplete
    /// last line, from a crash while writing, is dropped. Throws Error{run_locked} while another
    /// journal has the file open, in this process or another one (if the file system supports
    /// locks), Error{journal_failed} if the file cannot be written, and Error{journal_corrupt},
    /// naming the line, if verification fails.
    explicit Journal(const std::filesystem::path& file, Listener listener = {});
    /// The same with the journal of a store, which also receives the texts of requests
    /// (prompt.hpp). The store must outlive the journal. An existing journal must have been written
    /// with the same `key`, or without one; then it is continued without one.
    explicit Journal(RunStore& store, Listener listener = {}, std::string key = {});

    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// If it throws Error{journal_failed}, the entry is missing, and the run must end.
    void append(Payload payload, int turn);
    /// Stores the texts of a request before its entry.
    void append(const Command& command, int turn);
    void append(const Fact& fact, int turn);

    /// Starts to write the entries to the disk, on another thread, so that they survive a power
    /// failure (`AppendStream::sync`). Does nothing if they have been written.
    void start_sync();
    /// Returns when the disk has all entries. Throws Error{journal_failed} if they cannot be written
    /// to it; then the run must end. Otherwise, a resumed run might repeat an action whose entry was
    /// lost.
    void finish_sync();

    /// The facts that the file contained when it was opened. An action without a fact gets one,
    /// which states that the action was interrupted and that its effect is unknown.
    [[nodiscard]] const std::vector<Fact>& recovered() const;
    /// Frees the memory of these facts, which a long run has many of; `recovered` is empty afterwards.
    /// `drive` calls it once the mode has applied them.
    void release_recovered();

    /// The task and the outcome that the file contained when it was opened; empty if it did not.
    [[nodiscard]] const std::string& task() const;
    [[nodiscard]] const std::string& outcome() const;

    /// The time since the run started, without the time between its parts.
    [[nodiscard]] std::chrono::milliseconds elapsed() const;

    /// Records that the run continues, and removes the facts that ended it (a stop, a failed
    /// request or a failed screenshot) from `recovered`. Throws Error{journal_failed}.
    void resume(std::vector<std::string> remarks, int turn);

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::agent
