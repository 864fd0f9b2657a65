// Runs a program like a user's shell.
#pragma once

#include <filesystem>
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

/// The environment of a program. All texts are UTF-8.
struct Surroundings {
    std::map<std::string, std::string> variables{};
    std::string input{};            ///< its complete standard input
    std::filesystem::path out{};    ///< a file for its standard output, to observe it; or empty
    std::filesystem::path err{};    ///< the same for standard error
    std::filesystem::path folder{}; ///< its working directory; or empty: that of the test
    /// If set, called after the program has started. May send Ctrl+C through the function that it
    /// gets.
    std::function<void(const std::function<void()>& interrupt)> while_running{};
};

/// The folder of this test program and of the other programs.
[[nodiscard]] std::filesystem::path program_folder();

/// The file of another test program, such as "eyehand-test-tool". A moved build tree still works.
[[nodiscard]] std::filesystem::path program_file(const std::string& name);

/// Runs `program` (without ".exe") to its end.
[[nodiscard]] ProcessResult run_program(const std::filesystem::path& program,
                                        const std::vector<std::string>& arguments,
                                        const Surroundings& surroundings = {});

} // namespace test
