#include "program_tools.hpp"

#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace cli {
namespace {

bool is_yes(std::string answer) {
    std::erase_if(answer, [](unsigned char c) { return std::isspace(c) != 0; });
    for (char& c : answer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return answer == "y" || answer == "yes";
}

/// Everything that would happen: what is not shown cannot be agreed to.
std::string in_words(const agent::ToolQuestion& question) {
    const bool acts = question.tool.effect == agent::ProgramEffect::acts;
    return fmt::format("      the model calls your tool \"{}\", which {}\n"
                       "        program:   {}\n"
                       "        arguments: {}\n"
                       "      Run it? [y/N] ",
                       question.tool.name, acts ? "changes something" : "only reads",
                       fmt::join(question.tool.command, " "), question.arguments_json);
}

agent::Consent ask_on_terminal(const agent::ToolQuestion& question) {
    if (!input_is_terminal() || !errors_go_to_terminal())
        return {false, "Nobody is there to allow it: do without this tool."};
    print_to(stderr, printable(in_words(question)));
    const auto answer = read_answer(question.stop);
    if (!answer) print_to(stderr, "\n");
    if (answer && is_yes(*answer)) return {true, {}};
    return {false, "The user did not allow this call. Do not repeat it as it is."};
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

ProgramTools::ProgramTools(const ProgramToolFlags& flags) : allowed_(flags.allowed) {
    for (const std::string& file : flags.files)
        tools_.push_back(agent::load_program_tool(std::u8string(file.begin(), file.end())));
    const std::vector<std::string> there = names();
    for (const std::string& name : allowed_)
        if (std::find(there.begin(), there.end(), name) == there.end())
            throw UsageError(fmt::format("--allow-tool: no --tool has the name \"{}\"{}", name,
                                         there.empty() ? "" : "; there are: " + joined(there)));
}

void ProgramTools::add_to(agent::Toolbox& tools) const {
    for (const agent::ProgramTool& tool : tools_) {
        const bool allowed =
            std::find(allowed_.begin(), allowed_.end(), tool.name) != allowed_.end();
        agent::AskConsent ask = ask_on_terminal;
        if (allowed) ask = [](const agent::ToolQuestion&) { return agent::Consent{true, {}}; };
        agent::add_program_tool(tools, tool, std::move(ask));
    }
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

} // namespace cli
