// A tool that is a program: each call starts it, with the arguments as JSON on standard input, and
// the model receives its standard output as the result.
//
//     Toolbox tools = built_in_tools();
//     add_program_tool(tools, load_program_tool("weather.json"));
//     AgentOptions options;
//     options.with = {"weather"};
//     options.guard.add({permit_program_tool("weather")}, RuleOrigin::user); // otherwise, it asks
//
// docs/agent-cli.md describes the file.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/guard.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// Whether a program changes anything.
enum class ProgramEffect {
    reads, ///< changes nothing; may be killed at any time
    acts,  ///< changes something; completes before the run ends at a safe point
};

struct ProgramTool {
    std::string name{};        ///< letters, digits, "_" and "-", at most 64
    std::string description{}; ///< for the model
    /// A JSON schema of an object, with the keywords that docs/agent-cli.md lists.
    std::string parameters_json = R"({"type":"object","properties":{}})";
    std::vector<std::string>
        command{}; ///< the program and its arguments, UTF-8; not interpreted by a shell
    std::filesystem::path folder{}; ///< the working directory; empty: that of this process
    std::chrono::milliseconds timeout{30000}; ///< 100 ms to 1 h; then the program is killed
    ProgramEffect effect = ProgramEffect::acts;
    /// Environment variables of this process to hide from the program, besides those that the run
    /// hides from all programs (`AgentOptions::hidden_variables`).
    std::vector<std::string> hidden_variables{};
};

/// Maximum length of a program's standard output for the model; further output is read and dropped.
inline constexpr std::size_t max_program_output = 16000; // bytes
/// Maximum length of the end of its standard error, which the model reads if the program failed.
inline constexpr std::size_t max_program_error = 2000; // bytes

/// Parses the text of a tool file. Throws Error{bad_tool}, naming `where`, the member and the
/// reason; unknown members, and keywords of the schema that are not supported, are errors, too.
[[nodiscard]] EYEHAND_AGENT_API ProgramTool parse_program_tool(std::string_view text,
                                                               const std::string& where);
/// Reads a tool file. The program runs in the folder of the file. A relative path of the program is
/// relative to this folder; a name without a folder is looked up as usual.
[[nodiscard]] EYEHAND_AGENT_API ProgramTool load_program_tool(const std::filesystem::path& file);

/// A rule that allows all calls of the program tool with this name.
[[nodiscard]] EYEHAND_AGENT_API GuardRule permit_program_tool(const std::string& name);

/// Adds the tool to `tools`, under its name. Each call validates the arguments, then asks the guard of
/// the run (EffectKind::program), and runs the program only if it is allowed. Outside of a run
/// (`ToolContext::permit` is empty), each call is refused. If a program writes too much, fails, takes
/// too long or cannot be started, the model receives a result with the reason. On a timeout, and when
/// the run is interrupted, the program is killed with all processes of its group (on Windows: of its
/// job). If this process dies meanwhile, Windows also ends the program; elsewhere it continues until
/// it ends by itself. Throws Error{bad_tool} for an invalid tool, and Error{duplicate_tool}.
EYEHAND_AGENT_API void add_program_tool(Toolbox& tools, ProgramTool tool);

} // namespace eyehand::agent
