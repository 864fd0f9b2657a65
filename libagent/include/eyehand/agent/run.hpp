// The directory of a run.
//
//     run_0007/
//       run.json           versions, task, settings with sources, profile and tools, outcome
//       events.jsonl       the journal
//       prompts/           the texts of the requests (prompt.hpp)
//       execution_log.txt  the configuration, and the journal in readable form
//       http.log           the HTTP traffic, images as hash and length
//       screenshots/turn_0001.png ...
//       report.html        the run as a page (session/report.hpp)
//
// A visual loop may use other names for screenshots and turns (LogLayout). A profile may add
// main.log. A run of a calibrated model has calibration.json (session/calibration.hpp).
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

/// The value of a setting and its source ("default", "profile", "LMSTUDIO_MODEL", "--model").
struct Setting {
    std::string name{};
    std::string value{};
    std::string source{};
};

/// The content of run.json besides the outcome.
struct RunSummary {
    std::string task{};
    Profile profile{};                  ///< with all changes
    std::vector<vlm::ToolSpec> tools{}; ///< as offered to the model
    std::vector<Setting> settings{};
};

/// A run as stored in its directory.
struct StoredRun {
    RunSummary summary{};
    std::string version{}; ///< the version of the library that ran it
    std::string outcome{}; ///< "completed", ...; empty: the run was interrupted
};
/// Reads run.json. A run whose mode is not in `modes` can be shown, but not resumed. Throws
/// Error{bad_run}, naming the file and the problem.
[[nodiscard]] EYEHAND_AGENT_API StoredRun load_run(
    const std::filesystem::path& directory, const ModeRegistry& modes = ModeRegistry::built_in());
/// The same from a store.
[[nodiscard]] EYEHAND_AGENT_API StoredRun
load_run(const RunStore& store, const ModeRegistry& modes = ModeRegistry::built_in());

/// Writes run.json atomically; `Agent` writes it again, with the outcome, when the run ends. If it
/// throws Error{journal_failed}, the previous file stays.
EYEHAND_AGENT_API void write_summary(RunStore& store, const RunSummary& summary,
                                     const RunFinished* finished = nullptr);

/// The names of screenshots: prefix, number (at least four digits), ".png".
struct ScreenshotNames {
    std::string prefix = "turn_";
    int offset = 0; ///< added to the turn's number
};

/// The number of the run directory with this name: 7 for "run_0007". Nothing for other names, also
/// for those with more than nine digits, which no run has.
[[nodiscard]] EYEHAND_AGENT_API std::optional<int> run_number(std::string_view folder);

/// The files of a run in a folder. The system has the data of each write before the call returns; a
/// failed write throws Error{journal_failed} with file and reason. One thread
/// at a time may write; other threads may read.
///
/// Only the current user can access the folder and its files, whatever the umask: on Windows, by the
/// access control list of the folder. Because the folder may come from another user, a name that
/// leads out of it counts as a file that does not exist and cannot be written, and so do links,
/// pipes and devices in it. A file with a second name (a hard link) can be read, but not continued.
class EYEHAND_AGENT_API RunDirectory final : public RunStore {
public:
    /// Creates `parent`/run_NNNN with the next free number; several programs may do so at the same
    /// time. Creates `parent`, too, with the rights that the umask allows. Throws
    /// Error{journal_failed}, also if run_999999999 exists.
    static RunDirectory create(const std::filesystem::path& parent);

    /// Opens the directory of an existing run. Throws Error{bad_run} if `path` is not a run
    /// directory.
    static RunDirectory open(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path journal_file() const { return path_ / journal_name; }

    [[nodiscard]] std::unique_ptr<AppendStream> lock_journal() override;
    /// Also false if the file system does not support locks.
    [[nodiscard]] bool journal_is_locked() const override;
    [[nodiscard]] std::unique_ptr<AppendStream> open_append(const std::string& name) override;
    void create(const std::string& name, std::string_view bytes) override;
    void replace(const std::string& name, std::string_view bytes) override;
    [[nodiscard]] bool contains(const std::string& name) const override;
    [[nodiscard]] std::unique_ptr<std::istream> open_read(const std::string& name) const override;
    [[nodiscard]] std::uint64_t size() const override;
    /// Of regular files; links are left out. Throws Error{journal_failed} if a folder cannot be read.
    [[nodiscard]] std::vector<std::string> names() const override;
    [[nodiscard]] std::optional<std::filesystem::path> directory() const override { return path_; }

private:
    explicit RunDirectory(std::filesystem::path path);
    [[nodiscard]] std::filesystem::path place_for(const std::string& name) const;
    class Size;
    std::filesystem::path path_;
    std::shared_ptr<Size> size_; ///< its streams share it
};

/// The version of this library, such as "0.1.0".
[[nodiscard]] EYEHAND_AGENT_API std::string_view version();

} // namespace eyehand::agent
