// The directory a run leaves behind.
//
//     run_0007/
//       run.json           versions, task, settings with sources, profile and tools, outcome
//       events.jsonl       the journal
//       execution_log.txt  the same for people
//       http.log           what went over the wire, images as hash and length
//       screenshots/turn_0001.png ...
//       report.html        all of it for people: agent/report.hpp
//
// A visual loop keeps its pictures and turns otherwise (LogLayout), and may write main.log.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/event.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/export.hpp"
#include "eyehand/vlm/openai_client.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
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

/// How screenshots are named: prefix, number (at least four digits), ".png".
struct ScreenshotNames {
    std::string prefix = "turn_";
    int offset = 0; ///< added to the turn
};

/// What the model gets, or that without what is drawn over it.
enum class ScreenshotKind { shown, raw };

/// Owns the files of one run. Every write is on its way to the disk before the call returns; what
/// cannot be written is Error{journal_failed} with file and reason, and what was written of it is taken
/// back. Not thread-safe.
class EYEHAND_AGENT_API RunDirectory {
public:
    /// Creates `parent`/run_NNNN with the next free number; safe with several programs doing so at
    /// once.
    static RunDirectory create(const std::filesystem::path& parent, ScreenshotNames names = {});

    /// An existing run's directory. Throws Error{journal_failed} if it is none.
    static RunDirectory open(const std::filesystem::path& path, ScreenshotNames names = {});

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path journal_file() const { return path_ / "events.jsonl"; }

    /// Writes run.json; again with the outcome when the run is over. Replaces the file in one step.
    void write_summary(const RunSummary& summary, const RunFinished* finished = nullptr);
    /// How pictures are named and whether there is a main.log, from now on.
    void keep_as(const LogProfile& log) { log_ = log; }
    /// Stores a screenshot and returns its name within the directory, with forward slashes.
    std::string save_screenshot(int number, std::span<const std::uint8_t> png,
                                ScreenshotKind kind = ScreenshotKind::shown);
    /// Writes a file anew, or adds to it.
    void write(const std::string& name, std::string_view text);
    void append(const std::string& name, std::string_view text);
    [[nodiscard]] std::vector<std::uint8_t> read(const std::string& name) const;
    /// Adds an entry to execution_log.txt, and a line to main.log where there is one.
    void log_event(const Event& event);
    void log_note(std::string_view text);
    /// Adds an exchange to http.log, prompts and tool schemas shortened.
    void log_exchange(const vlm::Exchange& exchange);

private:
    RunDirectory(std::filesystem::path path, ScreenshotNames names);
    [[nodiscard]] std::string screenshot_name(int number, int again, ScreenshotKind kind) const;
    std::filesystem::path path_;
    ScreenshotNames names_;
    LogProfile log_;
    int exchanges_ = 0;
};

/// The version of this library, "0.1.0".
[[nodiscard]] EYEHAND_AGENT_API std::string_view version();

} // namespace eyehand::agent
