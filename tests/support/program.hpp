// Runs a program as a user's shell does.
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

/// What a program gets besides its arguments. All texts are UTF-8.
struct Surroundings {
    std::map<std::string, std::string> variables{};
    std::string input{};         ///< the whole of its standard input
    std::filesystem::path out{}; ///< the file that gets its standard output, to be watched; or none
    std::filesystem::path err{}; ///< the same of standard error
    /// Where given, called once the program has been started; it may send Ctrl+C through the
    /// function it gets.
    std::function<void(const std::function<void()>& interrupt)> while_running{};
};

/// The folder of this test program, in which the other programs are, too.
[[nodiscard]] std::filesystem::path program_folder();

/// Runs `program` (without ".exe") to its end.
[[nodiscard]] ProcessResult run_program(const std::filesystem::path& program,
                                        const std::vector<std::string>& arguments,
                                        const Surroundings& surroundings = {});

} // namespace test
