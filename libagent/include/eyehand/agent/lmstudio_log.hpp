// Copies the part of LM Studio's server log that was written during a run into the run directory.
//
//     agent::LmStudioLog log(agent::lmstudio_log_folders(home)); // before the run
//     ... the run ...
//     log.save(run.path());                                      // after it, however it ended
#pragma once

#include "eyehand/export.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// The folders of LM Studio's server logs, below the user's home folder.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::filesystem::path>
lmstudio_log_folders(const std::filesystem::path& home);

/// Remembers the sizes of the logs (*.log, in folders at any depth) when it is constructed. Follows
/// files that are created, restarted or renamed afterwards.
class EYEHAND_AGENT_API LmStudioLog {
public:
    /// Folders that do not exist are ignored.
    explicit LmStudioLog(std::vector<std::filesystem::path> folders);

    struct Saved {
        std::uintmax_t bytes = 0; ///< written to lmstudio_raw.log
        std::string note{};       ///< why the log is missing or incomplete; empty on success
    };
    /// Appends the new part of the logs to lmstudio_raw.log, and in a readable form to
    /// lmstudio_clean.log, in `folder`. Writes nothing if the logs have not grown. File errors do
    /// not throw; the note reports them.
    [[nodiscard]] Saved save(const std::filesystem::path& folder) const;

private:
    struct Known {
        std::filesystem::path file;
        std::uintmax_t size = 0;
        std::string beginning; ///< identifies the file after a rename
    };
    struct Slice {
        std::filesystem::path file;
        std::uintmax_t from = 0;
    };
    [[nodiscard]] std::vector<Slice> slices() const;
    std::vector<std::filesystem::path> folders_;
    std::vector<Known> known_;
};

/// The log with indented JSON, and with long base64 replaced by its first characters and its
/// length.
[[nodiscard]] EYEHAND_AGENT_API std::string clean_lmstudio_log(std::string_view raw);

} // namespace eyehand::agent
