// The journal of a run: events.jsonl, one JSON object a line, append-only, written before anything
// acts.
//
// Each entry has "seq" (from 1), "t" (ms since start), "type", "turn" and "prev": the SHA-256 of
// the line before it, without its line break (64 zeros in the first line).
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

/// Appends to a file, each line with the system before `append` returns. Not thread-safe.
class EYEHAND_AGENT_API Journal {
public:
    /// Called with every entry after it was written.
    using Listener = std::function<void(const Event&)>;

    /// Opens or continues `file`, which no one else may write until the journal is closed; reading
    /// is free (JournalReader). What it holds is read and verified; a torn last line (a crash while writing) is
    /// dropped. Throws Error{run_locked} while another journal has it, in this process or
    /// another one (where the file system knows locks), Error{journal_failed} when it cannot be
    /// written and Error{journal_corrupt}, naming the line, when it cannot be believed.
    explicit Journal(const std::filesystem::path& file, Listener listener = {});
    /// The same with the journal of a store, which must outlive it.
    explicit Journal(RunStore& store, Listener listener = {});

    ~Journal();
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;

    /// Throws Error{journal_failed}: then the entry is missing, and the run must end.
    void append(Payload payload, int turn);
    void append(const Command& command, int turn);
    void append(const Fact& fact, int turn);

    /// The facts that were in the file when it was opened. A command to act without a fact gets
    /// one: it was interrupted, and whether it took effect is unknown.
    [[nodiscard]] const std::vector<Fact>& recovered() const;

    /// Of the run that was in the file when it was opened; empty if it had none, or no end.
    [[nodiscard]] const std::string& task() const;
    [[nodiscard]] const std::string& outcome() const;

    /// Since the run started; the time between its parts does not count.
    [[nodiscard]] std::chrono::milliseconds elapsed() const;

    /// The run goes on: facts at its end that ended it (a stop, a failed request or screenshot) are
    /// no longer among `recovered`. Throws Error{journal_failed}.
    void resume(std::vector<std::string> remarks, int turn);

private:
    class State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::agent
