// Runs agent-cli as a user's shell does.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace test {

struct ProcessResult {
    int status = -1;
    std::string out;
    std::string err;
};

/// Runs the agent-cli beside this test program with an empty standard input. Variables are UTF-8,
/// and so are the arguments. `while_running`, where given, is called once it has been started; it
/// may send Ctrl+C through the function it gets.
ProcessResult
agent_cli(const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& variables = {},
          const std::function<void(const std::function<void()>& interrupt)>& while_running = {});

} // namespace test
