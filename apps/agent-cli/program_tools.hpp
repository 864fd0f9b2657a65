// The user's own programs as tools of a run: --tool and --allow-tool.
#pragma once

#include "eyehand/agent/program_tool.hpp"
#include "eyehand/agent/run.hpp"

#include <string>
#include <vector>

namespace eyehand::cli {

struct ProgramToolFlags {
    std::vector<std::string> files;
    std::vector<std::string> allowed; ///< names of tools that run without asking the user
};

/// The tools that the flags name.
class ProgramTools {
public:
    ProgramTools() = default;
    /// Throws agent::Error{bad_tool}, and UsageError if an allowed name is not one of the tools.
    explicit ProgramTools(const ProgramToolFlags& flags);

    /// Calls `ask_user` before each call of a tool that is not allowed. Throws
    /// agent::Error{duplicate_tool}.
    void add_to(agent::Toolbox& tools, const agent::AskApproval& ask_user) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// For run.json.
    [[nodiscard]] std::vector<agent::Setting> settings() const;

private:
    std::vector<agent::ProgramTool> tools_;
    std::vector<std::string> allowed_;
};

} // namespace eyehand::cli
