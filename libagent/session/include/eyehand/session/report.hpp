// The report of a run: one HTML file with the screenshots, replies and calls of each turn.
//
//     const std::filesystem::path page = session::write_report("runs/run_0007");
//
// The report needs no network and no other file. Text from models, windows and tools is never
// interpreted as HTML: docs/report.md.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/export.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace eyehand::session {

struct ReportOptions {
    /// The maximum size per turn; runs of fewer than 50 turns have the maximum of 50 turns.
    /// Screenshots that do not fit are reduced, and the page names them.
    std::size_t max_bytes_per_turn = 300'000;
    /// The maximum size for any number of turns: browsers open files of this size.
    std::size_t max_bytes = 100'000'000;
    /// The key of the run's journal (`verify_run`), whose verification the page shows.
    std::string journal_key{};
};

/// The report of a run directory, as an HTML page. The run may have ended, be interrupted, or still
/// be in progress: the report does not need the journal's lock. Damaged entries of the journal are
/// skipped. Throws as `agent::load_run`.
[[nodiscard]] EYEHAND_SESSION_API std::string
report_html(const std::filesystem::path& run_directory, const ReportOptions& options = {});

/// Writes the report to `run_directory`/report.html, replaces an existing one, and returns the
/// path. Throws as `report_html`, and agent::Error{journal_failed} if the file cannot be written;
/// then the previous report stays, and no temporary file remains.
EYEHAND_SESSION_API std::filesystem::path write_report(const std::filesystem::path& run_directory,
                                                       const ReportOptions& options = {});

} // namespace eyehand::session
