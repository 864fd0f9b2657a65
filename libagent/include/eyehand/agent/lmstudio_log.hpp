// What LM Studio's server wrote into its log during a run, copied into the run directory.
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

/// Where LM Studio puts its server's logs, below the user's home folder.
[[nodiscard]] EYEHAND_AGENT_API std::vector<std::filesystem::path>
lmstudio_log_folders(const std::filesystem::path& home);

/// Remembers how long the logs (*.log, in folders at any depth) are at its making. Files that
/// appear, begin anew or are renamed meanwhile are followed.
class EYEHAND_AGENT_API LmStudioLog {
public:
    /// Folders that are not there are passed over.
    explicit LmStudioLog(std::vector<std::filesystem::path> folders);

    struct Saved {
        std::uintmax_t bytes = 0; ///< of the raw slice
        std::string note{};       ///< why there is none, or not all of it; empty: all is well
    };
    /// Adds what came since to lmstudio_raw.log, and easier to read to lmstudio_clean.log, in
    /// `folder`. Writes nothing where nothing came. Never throws for files: the note says it.
    [[nodiscard]] Saved save(const std::filesystem::path& folder) const;

private:
    struct Known {
        std::filesystem::path file;
        std::uintmax_t size = 0;
        std::string beginning; ///< by which it is known again
    };
    struct Slice {
        std::filesystem::path file;
        std::uintmax_t from = 0;
    };
    [[nodiscard]] std::vector<Slice> slices() const;
    std::vector<std::filesystem::path> folders_;
    std::vector<Known> known_;
};

/// A log with its JSON laid out, and long base64 as its first characters and its length.
[[nodiscard]] EYEHAND_AGENT_API std::string clean_lmstudio_log(std::string_view raw);

} // namespace eyehand::agent
