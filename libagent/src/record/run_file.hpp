// Files of a run directory that may be of somebody else's making: what looks like a run's file may be a link
// out of the directory, a pipe that nobody writes to, or have no end.
//
//   if (const auto name = path_of(journal_says); is_within(directory, name))
//       if (const auto bytes = read_run_file(directory / name, max_picture_bytes)) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace eyehand::agent {

inline constexpr std::uintmax_t max_summary_bytes = std::uintmax_t{64} << 20U; ///< run.json
inline constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{2} << 30U;  ///< events.jsonl
inline constexpr std::uintmax_t max_picture_bytes = std::uintmax_t{64} << 20U; ///< a screenshot
inline constexpr std::size_t max_entry_bytes = std::size_t{8} << 20U; ///< a line of the journal

/// Whether `name` is of something that is there and lies within the directory, also where links lead.
[[nodiscard]] bool is_within(const std::filesystem::path& directory,
                             const std::filesystem::path& name);

/// How long a file is that can be read without waiting: a regular one, or a link to one, of at most
/// `max_bytes`. Else nothing.
[[nodiscard]] std::optional<std::uintmax_t> run_file_size(const std::filesystem::path& file,
                                                          std::uintmax_t max_bytes);

/// The content of a run file; nothing if it is not a regular file or exceeds `max_bytes`.
[[nodiscard]] std::optional<std::string> read_run_file(const std::filesystem::path& file,
                                                       std::uintmax_t max_bytes);

/// The next line of a journal: `whole` with its line break, which is not in `line`; `torn` at the end of
/// what there is; `too_long` beyond most_entry_bytes, passed over and empty. `bytes` is what was read.
enum class JournalLine { whole, torn, too_long, none };
[[nodiscard]] JournalLine next_line(std::istream& in, std::string& line, std::uintmax_t& bytes);

} // namespace eyehand::agent
