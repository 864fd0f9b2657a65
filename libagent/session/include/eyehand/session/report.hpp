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
    /// How large it may become; runs of fewer than 50 turns have room for 50. Where the pictures do not fit
    /// they are reduced, which the page says.
    std::size_t max_bytes_a_turn = 300'000;
    std::size_t max_bytes = 100'000'000; ///< of however many turns: what a browser still opens
};

/// The report of a run directory, as a page. The run may be over, interrupted, or still going on: the
/// journal's lock is not needed, and of a journal that is damaged what can be read is told. Throws as
/// `load_run`.
[[nodiscard]] EYEHAND_SESSION_API std::string
report_html(const std::filesystem::path& run_directory, const ReportOptions& options = {});

/// Writes the report to `run_directory`/report.html, in place of one that may be there, and returns its
/// path. Throws as `report_html`, and Error{journal_failed} when it cannot be written; then the one
/// before stays, and nothing else is left.
EYEHAND_SESSION_API std::filesystem::path write_report(const std::filesystem::path& run_directory,
                                                       const ReportOptions& options = {});

} // namespace eyehand::session
