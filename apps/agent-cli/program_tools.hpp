// The user's own programs as tools of a run: --tool and --allow-tool.
#pragma once

#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/agent/run.hpp"

#include <functional>
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
    /// `is_elsewhere` tells whether an allowed tool may be one of another kind. Throws agent::Error{bad_tool}, and
    /// UsageError if an allowed name is neither.
    explicit ProgramTools(const ProgramToolFlags& flags,
                          const std::function<bool(const std::string& tool)>& is_elsewhere = {});

    /// Adds the tools, and rules that allow calls to `guard`. Throws agent::Error{duplicate_tool}.
    void add_to(agent::Toolbox& tools, agent::Guard& guard) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// For run.json.
    [[nodiscard]] std::vector<agent::Setting> settings() const;

private:
    std::vector<agent::ProgramTool> tools_;
    std::vector<std::string> allowed_;
};

} // namespace eyehand::cli
