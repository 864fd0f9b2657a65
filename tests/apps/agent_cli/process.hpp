// Runs agent-cli as a user's shell does.
#pragma once

#include "program.hpp"

namespace test {

/// Runs the agent-cli beside this test program, with an empty standard input. A scripted server's
/// answers are for the model's requests: the server is not probed, unless `variables` say so.
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
