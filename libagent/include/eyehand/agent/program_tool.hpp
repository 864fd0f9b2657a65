// A tool that is a program of the user's, started for each call: the call's arguments come as JSON
// on its standard input, and what it writes to standard output is the result.
//
//     Toolbox tools = built_in_tools();
//     add_program_tool(tools, load_program_tool("weather.json"), [](const ToolQuestion& question) {
//         return asked_on_the_screen(question) ? Approval{true} : Approval{false, "The user said no."};
//     });
//     AgentOptions options;
//     options.with = {"weather"};
//
// docs/agent-cli.md describes the file.
#pragma once

#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/export.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::agent {

/// What a program changes.
enum class ProgramEffect {
    reads, ///< nothing: it may be broken off at any moment
    acts,  ///< something: it is finished before a run ends at a safe point
};

struct ProgramTool {
    std::string name{};        ///< letters, digits, "_" and "-", at most 64
    std::string description{}; ///< for the model
    /// A JSON schema of an object, with the keywords that docs/agent-cli.md lists.
    std::string parameters_json = R"({"type":"object","properties":{}})";
    std::vector<std::string>
        command{};                  ///< the program and its arguments, UTF-8; no shell reads them
    std::filesystem::path folder{}; ///< in which it runs; empty: that of this process
    std::chrono::milliseconds timeout{30000}; ///< 100 ms to an hour; then it is killed
    ProgramEffect effect = ProgramEffect::acts;
    /// Environment variables of this process that it does not get: those that hold keys.
    std::vector<std::string> hidden_variables{};
};

/// What a model reads of a program's standard output at most; the rest is read and left out.
inline constexpr std::size_t max_program_output = 16000; // bytes
/// And of the end of its standard error, where it failed.
inline constexpr std::size_t max_program_error = 2000; // bytes

/// Reads a tool from a file's text. Throws Error{bad_tool}, naming `where`, the member and the
/// reason; also for members that there are not, and for keywords of a schema that would not be
/// checked.
[[nodiscard]] EYEHAND_AGENT_API ProgramTool parse_program_tool(std::string_view text,
                                                               const std::string& where);
/// The same from a file. The program runs in the file's folder, from which a relative path of the
/// program (not a mere name, which is looked up as everywhere) counts, too.
[[nodiscard]] EYEHAND_AGENT_API ProgramTool load_program_tool(const std::filesystem::path& file);

/// What a call asks for before it is carried out.
struct ToolQuestion {
    const ProgramTool& tool;
    std::string arguments_json{}; ///< valid by the tool's schema
    std::stop_token stop{};       ///< triggered when the run is to end: nobody waits for an answer
};
using AskConsent = std::function<Approval(const ToolQuestion&)>;

/// Adds the tool to `tools`, under its name. Before each call, but after its arguments have been
/// checked, `ask` is asked on the running thread; without it nothing ever runs. A program that
/// writes too much, fails, or takes too long is a result, and so is one that cannot be started. On
/// a timeout, and when the run is broken off, it is killed with all processes of its group (on
/// Windows: of its job). Should this process die meanwhile, Windows ends the program, too; elsewhere
/// it goes on until it ends by itself. Throws Error{bad_tool} for a tool that is not valid, and
/// Error{duplicate_tool}.
EYEHAND_AGENT_API void add_program_tool(Toolbox& tools, ProgramTool tool, AskConsent ask);

} // namespace eyehand::agent
