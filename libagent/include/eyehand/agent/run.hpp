// The directory a run leaves behind.
//
//     run_0007/
//       run.json           versions, task, settings with sources, profile and tools, outcome
//       events.jsonl       the journal
//       execution_log.txt  the same for people
//       http.log           what went over the wire, images as hash and length
//       screenshots/turn_0001.png ...
//       report.html        all of it for people: session/report.hpp
//
// A visual loop keeps its pictures and turns otherwise (LogLayout), and may write main.log.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// A setting in force and where it came from ("default", "profile", "LMSTUDIO_MODEL", "--model").
struct Setting {
    std::string name{};
    std::string value{};
    std::string source{};
};

/// What run.json says besides the outcome.
struct RunSummary {
    std::string task{};
    Profile profile{};                  ///< as it is in force
    std::vector<vlm::ToolSpec> tools{}; ///< as the model is offered them
    std::vector<Setting> settings{};
};

/// A run as its directory tells of it.
struct StoredRun {
    RunSummary summary{};
    std::string version{}; ///< of the library that ran it
    std::string outcome{}; ///< "completed", ...; empty: it was interrupted
};
/// Reads run.json, also of a run whose mode is not among `modes`: it can be shown, but not resumed.
/// Throws Error{bad_run}, naming the file and what is wrong with it.
[[nodiscard]] EYEHAND_AGENT_API StoredRun load_run(
    const std::filesystem::path& directory, const ModeRegistry& modes = ModeRegistry::built_in());
/// The same from a store.
[[nodiscard]] EYEHAND_AGENT_API StoredRun
load_run(const RunStore& store, const ModeRegistry& modes = ModeRegistry::built_in());

/// Writes run.json, in one step; again with the outcome when the run is over. Throws
/// Error{journal_failed}: then the one before stays.
EYEHAND_AGENT_API void write_summary(RunStore& store, const RunSummary& summary,
                                     const RunFinished* finished = nullptr);

/// How screenshots are named: prefix, number (at least four digits), ".png".
struct ScreenshotNames {
    std::string prefix = "turn_";
    int offset = 0; ///< added to the turn
};

/// A run's files in a folder. Every write is on its way to the disk before the call returns; what
/// cannot be written is Error{journal_failed} with file and reason. Not thread-safe.
class EYEHAND_AGENT_API RunDirectory final : public RunStore {
public:
    /// Creates `parent`/run_NNNN with the next free number; safe with several programs doing so at
    /// once.
    static RunDirectory create(const std::filesystem::path& parent);

    /// An existing run's directory. Throws Error{journal_failed} if it is none.
    static RunDirectory open(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path journal_file() const { return path_ / journal_name; }

    [[nodiscard]] std::unique_ptr<AppendStream> lock_journal() override;
    /// False also where the file system has no locks.
    [[nodiscard]] bool journal_is_locked() const override;
    [[nodiscard]] std::unique_ptr<AppendStream> open_append(const std::string& name) override;
    void create(const std::string& name, std::string_view bytes) override;
    void replace(const std::string& name, std::string_view bytes) override;
    [[nodiscard]] bool contains(const std::string& name) const override;
    [[nodiscard]] std::unique_ptr<std::istream> open_read(const std::string& name) const override;
    [[nodiscard]] std::optional<std::filesystem::path> directory() const override { return path_; }

private:
    explicit RunDirectory(std::filesystem::path path);
    [[nodiscard]] std::filesystem::path place_for(const std::string& name) const;
    std::filesystem::path path_;
};

/// The version of this library, "0.1.0".
[[nodiscard]] EYEHAND_AGENT_API std::string_view version();

} // namespace eyehand::agent
