// Reads files of a run directory from an untrusted source: a file may be a link out of the
// directory, a pipe without a writer, or infinite.
//
//   if (const auto name = path_of(journal_says); is_within(directory, name))
//       if (const auto bytes = read_run_file(directory / name, max_screenshot_file_bytes)) ...
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>

namespace eyehand::agent {

inline constexpr std::uintmax_t max_summary_bytes = std::uintmax_t{64} << 20U; ///< run.json
inline constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{2} << 30U;  ///< events.jsonl
inline constexpr std::uintmax_t max_screenshot_file_bytes = std::uintmax_t{64}
                                                            << 20U;   ///< a screenshot
inline constexpr std::size_t max_entry_bytes = std::size_t{8} << 20U; ///< a line of the journal

/// Whether `name` exists and lies within the directory, also after links are resolved.
[[nodiscard]] bool is_within(const std::filesystem::path& directory,
                             const std::filesystem::path& name);

/// The size of a regular file, or of a link to one; nothing if it is another kind of file or
/// exceeds `max_bytes`.
[[nodiscard]] std::optional<std::uintmax_t> run_file_size(const std::filesystem::path& file,
                                                          std::uintmax_t max_bytes);

/// The content of a run file; nothing if it is not a regular file or exceeds `max_bytes`.
[[nodiscard]] std::optional<std::string> read_run_file(const std::filesystem::path& file,
                                                       std::uintmax_t max_bytes);

/// Reads the next line of a journal. `whole`: a complete line, without its line break in `line`;
/// `torn`: the end of the file without a line break; `too_long`: a line of more than
/// max_entry_bytes, which was skipped; `none`: the end of the file. `bytes` is the number of bytes
/// read.
enum class JournalLine { whole, torn, too_long, none };
[[nodiscard]] JournalLine next_line(std::istream& in, std::string& line, std::uintmax_t& bytes);

} // namespace eyehand::agent
