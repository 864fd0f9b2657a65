// Names and limits of the files of a run directory, and the lines of its journal. All files of a run directory
// are opened with the functions of eyehand/base/folder_file.hpp, because the directory may come from
// another user:
//
//     if (const auto bytes = base::read_in_folder(directory, path_of(journal_says),
//                                                 max_screenshot_file_bytes)) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace eyehand::agent {

inline constexpr std::uintmax_t max_summary_bytes = std::uintmax_t{64} << 20U; ///< run.json
inline constexpr std::uintmax_t max_journal_bytes = std::uintmax_t{2} << 30U;  ///< events.jsonl
inline constexpr std::uintmax_t max_screenshot_file_bytes = std::uintmax_t{64}
                                                            << 20U; ///< a screenshot
/// How the model's positions were measured (session/calibration.hpp), in the form of its file.
inline constexpr const char* calibration_name = "calibration.json";
inline constexpr std::uintmax_t max_calibration_bytes = std::uintmax_t{1} << 20U;
inline constexpr std::size_t max_entry_bytes = std::size_t{8} << 20U; ///< a line of the journal

/// Whether the name of a file is that of a screenshot: PNG, JPEG or WebP.
[[nodiscard]] bool is_screenshot_name(std::string_view name);

/// Reads the next line of a journal. `whole`: a complete line, without its line break in `line`;
/// `torn`: the end of the file without a line break; `too_long`: a line of more than
/// max_entry_bytes, which was skipped; `none`: the end of the file. `bytes` is the number of bytes
/// read.
enum class JournalLine { whole, torn, too_long, none };
[[nodiscard]] JournalLine next_line(std::istream& in, std::string& line, std::uintmax_t& bytes);

} // namespace eyehand::agent
