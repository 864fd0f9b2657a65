// The report of a run: one HTML file that shows what an agent saw, said and did, turn by turn.
//
//     const std::filesystem::path page = session::write_report("runs/run_0007");
//
// It needs no network and no other file, and whatever a model, a window or a tool said is text in it:
// docs/report.md.
#pragma once

#include "eyehand/export.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace eyehand::session {

struct ReportOptions {
    /// The maximum size per turn; runs of fewer than 50 turns have the size of 50. Pictures that do not
    /// fit are reduced, and the page says so.
    std::size_t max_bytes_a_turn = 300'000;
    std::size_t max_bytes =
        100'000'000; ///< of any number of turns: browsers open files of this size
};

/// The report of a run directory, as a page. The run may be over, interrupted, or still going on: the
/// report does not need the journal's lock. From a damaged journal it uses the entries that it can read.
/// Throws as `agent::load_run`.
[[nodiscard]] EYEHAND_SESSION_API std::string
report_html(const std::filesystem::path& run_directory, const ReportOptions& options = {});

/// Writes the report to `run_directory`/report.html, in place of one that may be there, and returns its
/// path. Throws as `report_html`, and agent::Error{journal_failed} if it cannot be written; then the
/// previous report stays, and no other file is left.
EYEHAND_SESSION_API std::filesystem::path write_report(const std::filesystem::path& run_directory,
                                                       const ReportOptions& options = {});

} // namespace eyehand::session
