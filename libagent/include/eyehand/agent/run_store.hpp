// Where a run keeps its files. `RunDirectory` (run.hpp) is a folder on the disk; `MemoryStore` keeps
// them in memory, for an agent that must not touch the disk:
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
    /// The bytes are with the system when it returns. Throws Error{journal_failed}: then none of them
    /// is kept.
    virtual void append(std::string_view bytes) = 0;
    /// Shortens the file to its first `size` bytes. Throws Error{journal_failed}.
    virtual void cut(std::uint64_t size) = 0;
};

/// The files of one run, by name; names have forward slashes. One thread at a time may write, and
/// others may read at the same time. A store of the caller's own implements seven functions.
class EYEHAND_AGENT_API RunStore {
public:
    virtual ~RunStore();

    /// Opens the journal for its only writer. Throws Error{run_locked} while another one has it, and
    /// Error{journal_failed} if it cannot be written.
    [[nodiscard]] virtual std::unique_ptr<AppendStream> lock_journal() = 0;
    /// A writer has the journal now, in this process or in another one: the run goes on. A journal
    /// without a writer and without `RunFinished` is that of an interrupted run.
    [[nodiscard]] virtual bool journal_is_locked() const = 0;
    /// Opens a file to continue it, or creates it. Throws Error{journal_failed}.
    [[nodiscard]] virtual std::unique_ptr<AppendStream> open_append(const std::string& name) = 0;
    /// Stores a file that does not exist yet. Throws Error{journal_failed}: then nothing is left of it.
    virtual void create(const std::string& name, std::string_view bytes) = 0;
    /// Stores a file in place of one that may exist, in one step: readers see one or the other, and
    /// the one before stays if it throws Error{journal_failed}.
    virtual void replace(const std::string& name, std::string_view bytes) = 0;
    [[nodiscard]] virtual bool contains(const std::string& name) const = 0;
    /// The bytes of a file; nullptr if there is no such file, or it cannot be read.
    [[nodiscard]] virtual std::unique_ptr<std::istream>
    open_read(const std::string& name) const = 0;
    /// The folder in which other programs find the files; nothing if there is none.
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

    /// The names of all files, sorted.
    [[nodiscard]] std::vector<std::string> names() const;
    /// The bytes of a file; empty if there is no such file.
    [[nodiscard]] std::string bytes(const std::string& name) const;

private:
    class Files;
    std::shared_ptr<Files> files_; ///< the streams share them
};

} // namespace eyehand::agent
