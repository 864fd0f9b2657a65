// Runs agent-cli as a child process.
#pragma once

#include "eventually.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <fstream>
#include <stdexcept>

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

/// Waits until a running agent-cli has written the address of its panel after this text, and returns
/// it.
inline std::string address_in(const std::filesystem::path& file, const char* before) {
    std::string address;
    const auto is_there = [&] {
        const std::string text = read_file(file);
        const std::size_t line = text.find(before);
        if (line == std::string::npos) return false;
        const std::size_t from = text.find("http://127.0.0.1:", line);
        const std::size_t to = text.find_first_of("\r\n", from);
        if (from == std::string::npos || to == std::string::npos) return false;
        address = text.substr(from, to - from);
        return true;
    };
    if (!eventually(is_there)) throw std::runtime_error("the program did not print the address");
    return address;
}

/// A working directory, and a user without other files of settings.
struct Workspace {
    TempFolder folder;
    TempFolder user; ///< the user's configuration folder

    void write(const std::string& text, const std::string& name = "eyehand.json") const {
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    [[nodiscard]] ProcessResult agent_cli(const std::vector<std::string>& arguments,
                                          std::map<std::string, std::string> variables = {},
                                          const std::filesystem::path& subfolder = {}) const {
        variables.try_emplace("EYEHAND_PROBE", "0");
        variables.try_emplace("XDG_CONFIG_HOME", user.path().string());
        variables.try_emplace("APPDATA", user.path().string());
        return run_program(program_folder() / "agent-cli", arguments,
                           {.variables = variables, .folder = folder.path() / subfolder});
    }
    /// The file that contains what the user trusts.
    [[nodiscard]] std::filesystem::path trust_file() const {
#ifdef _WIN32
        return user / "Eyehand/trust.json";
#else
        return user / "eyehand/trust.json";
#endif
    }
};

} // namespace test
