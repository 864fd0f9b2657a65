// A run directory as the report's page reads it.
#pragma once

#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eyehand::session {

namespace json = boost::json;

/// A screenshot of the report. Of an annotated one it is the picture below: the page draws the rest.
struct ReportPicture {
    std::string file;      ///< within the run directory, with forward slashes
    std::string problem{}; ///< why it is not shown; then `file` is empty
};

// What a report contains of a very long run, or of a journal from someone else. It says what it leaves out.
inline constexpr std::size_t max_turns = 10'000;
inline constexpr std::size_t max_items_per_turn = 1'000;
inline constexpr std::size_t max_journal_bytes_read = std::size_t{64} << 20U; ///< of its entries
inline constexpr std::size_t max_pictures = 2'000; ///< and one in place of all others
inline constexpr std::size_t max_screenshot_bytes = std::size_t{8}
                                                    << 20U; ///< of what is said about screenshots
inline constexpr std::uintmax_t max_bytes_compared = std::uintmax_t{1} << 30U; ///< of pictures

struct ReportJson {
    /// {"run", "state", "turns", "screenshots", "config", "remarks"}. Turns name their screenshots by
    /// number; screenshots name their picture by its place in `pictures`. A screenshot with "bare" has
    /// neither its changes nor its annotation.
    json::object page;
    std::vector<ReportPicture> pictures; ///< each once, in the order in which they were taken
    std::size_t turns = 0;
};

/// Reads run.json, and of events.jsonl what can be read: it may end in the middle of a line, and entries of
/// later versions or damaged ones are left out. Throws as `agent::load_run`.
[[nodiscard]] ReportJson read_report_json(const std::filesystem::path& run_directory);

/// Shortens all texts in `value` that are longer than `max_bytes`, and says so in them.
void shorten_texts(json::value& value, std::size_t max_bytes);

} // namespace eyehand::session
