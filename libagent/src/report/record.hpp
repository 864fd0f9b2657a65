// A run directory as a report tells of it.
#pragma once

#include "json/json.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace eyehand::agent {

/// A screenshot that a turn shows. Of an annotated one it is the picture below: the page draws the rest.
struct RecordedPicture {
    std::string file;      ///< within the run directory, with forward slashes
    std::string problem{}; ///< why it is not shown; then no file is named
};

// What of a very long run, or of a journal that a stranger wrote, a report tells; it says what it leaves out.
inline constexpr std::size_t max_turns_told = 10'000;
inline constexpr std::size_t max_items_a_turn = 1'000;
inline constexpr std::size_t max_bytes_told = std::size_t{64} << 20U; ///< of the journal's entries
inline constexpr std::size_t max_bytes_copied = std::size_t{8}
                                                << 20U;  ///< of looks that several turns saw
inline constexpr std::size_t max_changes_a_look = 2'000; ///< regions
inline constexpr std::size_t max_pictures = 2'000;       ///< and one in place of all others
inline constexpr std::uintmax_t max_bytes_compared = std::uintmax_t{1} << 30U; ///< of pictures

struct RunRecord {
    /// Everything but the pictures. A turn names its pictures by their place in `pictures`.
    json::object page;
    std::vector<RecordedPicture> pictures; ///< each once, in the order in which they were taken
    std::size_t turns = 0;
};

/// Reads run.json, and of events.jsonl what can be read: it may end in the middle of a line, and entries of
/// later versions or damaged ones are left out. Throws as `load_run`.
[[nodiscard]] RunRecord read_record(const std::filesystem::path& run_directory);

/// Shortens all texts in `value` that are longer than `max_bytes`, and says so in them.
void shorten_texts(json::value& value, std::size_t max_bytes);

} // namespace eyehand::agent
