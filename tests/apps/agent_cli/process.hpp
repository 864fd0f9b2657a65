// Runs agent-cli as a child process.
#pragma once

#include "program.hpp"

namespace test {

/// Runs the agent-cli in the folder of this test program, with an empty standard input. Does not
/// probe the server, because its scripted answers are for requests to the model; EYEHAND_PROBE in
/// `variables` overrides this.
inline ProcessResult
agent_cli(const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& variables = {},
          const std::function<void(const std::function<void()>& interrupt)>& while_running = {}) {
    std::map<std::string, std::string> all = variables;
    all.try_emplace("EYEHAND_PROBE", "0");
    return run_program(program_folder() / "agent-cli", arguments,
                       {.variables = all, .while_running = while_running});
}

} // namespace test
