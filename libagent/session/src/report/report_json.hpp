// A run directory as JSON for the page of the report.
#pragma once

#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::session {

namespace json = boost::json;

/// A screenshot of the report; without its annotation, which the page draws.
struct ScreenshotFile {
    std::string file;      ///< relative to the run directory, with forward slashes
    std::string problem{}; ///< why the screenshot is omitted; then `file` is empty
};

// Limits of a report, for very long runs and foreign journals. The report names what it omits.
inline constexpr std::size_t max_turns = 10'000;
inline constexpr std::size_t max_items_per_turn = 1'000;
inline constexpr std::size_t max_journal_bytes_read = std::size_t{64} << 20U;
inline constexpr std::size_t max_messages_per_request = 2'000;
inline constexpr std::size_t max_prompt_bytes_read = std::size_t{64} << 20U;
inline constexpr std::size_t max_screenshot_files = 2'000; ///< plus a placeholder for all others
/// For the changed regions and annotations of all screenshots.
inline constexpr std::size_t max_screenshot_bytes = std::size_t{8} << 20U;
/// Limit for the comparison of files.
inline constexpr std::uintmax_t max_bytes_compared = std::uintmax_t{1} << 30U;

struct ReportJson {
    /// {"run", "state", "turns", "screenshots", "config", "remarks", "texts"}. Turns refer to
    /// screenshots by number and to the texts of requests by hash, screenshots refer to `screenshot_files` by index. A screenshot with "bare" lacks its changed
    /// regions and its annotation.
    json::object page;
    std::vector<ScreenshotFile> screenshot_files; ///< each once, in chronological order
    std::size_t turns = 0;
};

/// Reads run.json and events.jsonl. The journal may end in the middle of a line; damaged entries
/// and those of later versions are skipped. Throws as `agent::load_run`.
[[nodiscard]] ReportJson read_report_json(const std::filesystem::path& run_directory);

/// Shortens all texts in `value` that are longer than `max_bytes`, and appends a note to them:
/// `file` contains the full text.
void shorten_texts(json::value& value, std::size_t max_bytes,
                   std::string_view file = "events.jsonl");

} // namespace eyehand::session
