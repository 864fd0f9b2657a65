// The user's own programs as tools of a run: --tool and --allow-tool.
#pragma once

#include "eyehand/agent/program_tool.hpp"
#include "eyehand/agent/run.hpp"

#include <string>
#include <vector>

namespace eyehand::cli {

struct ProgramToolFlags {
    std::vector<std::string> files;
    std::vector<std::string> allowed; ///< names of those that nobody has to be asked about
};

/// Those that the flags name.
class ProgramTools {
public:
    ProgramTools() = default;
    /// Throws agent::Error{bad_tool}, and UsageError for an allowed one that is not there.
    explicit ProgramTools(const ProgramToolFlags& flags);

    /// Asks `ask_user` before each call, except of those that are allowed. Throws
    /// agent::Error{duplicate_tool}.
    void add_to(agent::Toolbox& tools, const agent::AskConsent& ask_user) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// For run.json.
    [[nodiscard]] std::vector<agent::Setting> settings() const;

private:
    std::vector<agent::ProgramTool> tools_;
    std::vector<std::string> allowed_;
};

} // namespace eyehand::cli
