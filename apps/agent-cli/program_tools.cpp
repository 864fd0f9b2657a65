#include "program_tools.hpp"

#include "environment.hpp"
#include "platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

ProgramTools::ProgramTools(const ProgramToolFlags& flags,
                           const std::function<bool(const std::string& tool)>& is_elsewhere)
    : allowed_(flags.allowed) {
    for (const std::string& file : flags.files)
        tools_.push_back(agent::load_program_tool(path_of(file)));
    const std::vector<std::string> there = names();
    for (const std::string& name : allowed_)
        if (std::find(there.begin(), there.end(), name) == there.end() &&
            !(is_elsewhere && is_elsewhere(name)))
            throw UsageError(fmt::format("--allow-tool: no --tool has the name \"{}\"{}", name,
                                         there.empty() ? "" : "; available: " + joined(there)));
}

void ProgramTools::add_to(agent::Toolbox& tools, agent::Guard& guard) const {
    for (const agent::ProgramTool& tool : tools_) agent::add_program_tool(tools, tool);
    std::vector<agent::GuardRule> rules;
    for (const std::string& name : allowed_) rules.push_back(agent::permit_program_tool(name));
    guard.add(std::move(rules), agent::RuleOrigin::user);
}

std::vector<std::string> ProgramTools::names() const {
    std::vector<std::string> all;
    for (const agent::ProgramTool& tool : tools_) all.push_back(tool.name);
    return all;
}

std::vector<agent::Setting> ProgramTools::settings() const {
    std::vector<agent::Setting> all;
    if (!tools_.empty()) all.push_back({"program_tools", joined(names()), "--tool"});
    if (!allowed_.empty()) all.push_back({"allowed_tools", joined(allowed_), "--allow-tool"});
    return all;
}

} // namespace eyehand::cli
