#include "program_tools.hpp"

#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace cli {
namespace {

/// What opens somebody else's account is nobody's business.
constexpr std::array key_variables{"EYEHAND_API_KEY", "OPENAI_API_KEY"};

bool is_yes(std::string answer) {
    std::erase_if(answer, [](unsigned char c) { return std::isspace(c) != 0; });
    for (char& c : answer) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return answer == "y" || answer == "yes";
}

/// Whether a terminal shows nothing for it, or shows what is beside it differently: controls, and
/// what joins, separates or turns the direction of writing.
bool is_unseen(char32_t scalar) {
    return scalar == 0x7F || (scalar >= 0x80 && scalar <= 0x9F) || scalar == 0xAD ||
           (scalar >= 0x200B && scalar <= 0x200F) || (scalar >= 0x2028 && scalar <= 0x202E) ||
           (scalar >= 0x2060 && scalar <= 0x206F) || scalar == 0xFEFF;
}

/// JSON with escapes for what cannot be seen: it means the same. `json` is valid UTF-8.
std::string all_seen(std::string_view json) {
    std::string shown;
    for (std::size_t i = 0; i < json.size();) {
        const auto lead = static_cast<unsigned char>(json[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        const std::string_view bytes = json.substr(i, length);
        char32_t scalar = length == 1 ? lead : lead & (0x7FU >> length);
        for (const char c : bytes.substr(1)) scalar = (scalar << 6) | (c & 0x3F);
        if (is_unseen(scalar))
            shown += fmt::format("\\u{:04x}", static_cast<unsigned>(scalar));
        else
            shown += bytes;
        i += bytes.size();
    }
    return shown;
}

/// Everything that would happen: what is not shown cannot be agreed to.
std::string in_words(const agent::ToolQuestion& question) {
    const bool acts = question.tool.effect == agent::ProgramEffect::acts;
    return fmt::format("      the model calls your tool \"{}\", which {}\n"
                       "        program:   {}\n"
                       "        arguments: {}\n"
                       "      Run it? [y/N] ",
                       question.tool.name, acts ? "changes something" : "only reads",
                       fmt::join(question.tool.command, " "), all_seen(question.arguments_json));
}

agent::Consent ask_on_terminal(const agent::ToolQuestion& question) {
    if (!input_is_terminal() || !errors_go_to_terminal())
        return {false, "Nobody is there to allow it: do without this tool."};
    const auto answer = ask(printable(in_words(question)), question.stop);
    if (!answer) print_to(stderr, "\n");
    if (answer && is_yes(*answer)) return {true, {}};
    return {false, "The user did not allow this call. Do not repeat it as it is."};
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

ProgramTools::ProgramTools(const ProgramToolFlags& flags) : allowed_(flags.allowed) {
    for (const std::string& file : flags.files) {
        tools_.push_back(agent::load_program_tool(path_of(file)));
        tools_.back().hidden_variables.assign(key_variables.begin(), key_variables.end());
    }
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
