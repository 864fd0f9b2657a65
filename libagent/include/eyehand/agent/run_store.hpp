// The storage for the files of a run. `RunDirectory` (run.hpp) is a folder on the disk;
// `MemoryStore` keeps the files in memory, for an agent that must not write to the disk:
//
//     agent::MemoryStore store;
//     agent.run("Open Notepad.", store, control);
//     const agent::RunView run = agent::read_run(store);
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/export.hpp"

#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// The name of the journal in a run's store.
inline constexpr const char* journal_name = "events.jsonl";

/// A file that only grows. Not thread-safe.
class EYEHAND_AGENT_API AppendStream {
public:
    virtual ~AppendStream();
    /// The system has the bytes when it returns. If it throws Error{journal_failed}, none of them
    /// are kept.
    virtual void append(std::string_view bytes) = 0;
    /// Shortens the file to its first `size` bytes. Throws Error{journal_failed}.
    virtual void cut(std::uint64_t size) = 0;
    /// Returns when all bytes would survive a power failure. Throws Error{journal_failed} if they
    /// would not. Before an action, a run calls it for its journal, on another thread, while it calls
    /// no other function of the stream. The default does nothing: a store that does not survive the
    /// process needs no more.
    virtual void sync();
};

/// The files of one run, by name; names have forward slashes. One thread at a time may write a
/// file; others may read it, and write other files, at the same time. To write your own store,
/// implement the seven pure functions.
class EYEHAND_AGENT_API RunStore {
public:
    virtual ~RunStore();

    /// Opens and locks the journal. Throws Error{run_locked} while another writer has it open, and
    /// Error{journal_failed} if it cannot be written.
    [[nodiscard]] virtual std::unique_ptr<AppendStream> lock_journal() = 0;
    /// Whether a writer has the journal open, in this process or in another one, that is, the run
    /// is in progress. A journal without a writer and without `RunFinished` belongs to an
    /// interrupted run. A store that cannot know returns false.
    [[nodiscard]] virtual bool journal_is_locked() const = 0;
    /// Opens a file to continue it, or creates it. Throws Error{journal_failed}.
    [[nodiscard]] virtual std::unique_ptr<AppendStream> open_append(const std::string& name) = 0;
    /// Stores a file that does not exist yet. If it throws Error{journal_failed}, no part of the
    /// file is left.
    virtual void create(const std::string& name, std::string_view bytes) = 0;
    /// Stores a file and atomically replaces an existing one: readers see either the old or the new
    /// file. If it throws Error{journal_failed}, the old file stays.
    virtual void replace(const std::string& name, std::string_view bytes) = 0;
    [[nodiscard]] virtual bool contains(const std::string& name) const = 0;
    /// The bytes of a file; nullptr if the file does not exist or cannot be read.
    [[nodiscard]] virtual std::unique_ptr<std::istream>
    open_read(const std::string& name) const = 0;
    /// The bytes in all files of the run, as far as this object knows them: files that another object
    /// writes count if they existed when this one was created. A store that does not know returns 0.
    /// May be called while another thread writes.
    [[nodiscard]] virtual std::uint64_t size() const { return 0; }
    /// The names of all files, sorted. A store that does not know them returns none.
    [[nodiscard]] virtual std::vector<std::string> names() const { return {}; }
    /// The folder in which other programs find the files; nothing if the store is not a folder.
    [[nodiscard]] virtual std::optional<std::filesystem::path> directory() const {
        return std::nullopt;
    }
};

/// Keeps the files of a run in memory. Thread-safe.
class EYEHAND_AGENT_API MemoryStore final : public RunStore {
public:
    MemoryStore();
    ~MemoryStore() override;
    MemoryStore(const MemoryStore&) = delete;
    MemoryStore& operator=(const MemoryStore&) = delete;

    [[nodiscard]] std::unique_ptr<AppendStream> lock_journal() override;
    [[nodiscard]] bool journal_is_locked() const override;
    [[nodiscard]] std::unique_ptr<AppendStream> open_append(const std::string& name) override;
    void create(const std::string& name, std::string_view bytes) override;
    void replace(const std::string& name, std::string_view bytes) override;
    [[nodiscard]] bool contains(const std::string& name) const override;
    [[nodiscard]] std::unique_ptr<std::istream> open_read(const std::string& name) const override;

    [[nodiscard]] std::uint64_t size() const override;
    [[nodiscard]] std::vector<std::string> names() const override;
    /// The bytes of a file; empty if the file does not exist.
    [[nodiscard]] std::string bytes(const std::string& name) const;

private:
    class Files;
    std::shared_ptr<Files> files_; ///< the streams share them
};

} // namespace eyehand::agent
