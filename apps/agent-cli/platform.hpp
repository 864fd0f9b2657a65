// What differs between systems: file names, arguments, terminals, signals.
#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::cli {

// File names in UTF-8: in a std::string Windows would expect its code page.
[[nodiscard]] std::filesystem::path path_of(std::string_view utf8);
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// The program's arguments in UTF-8, without the program's name.
[[nodiscard]] std::vector<std::string> utf8_arguments(int argc, char** argv);
/// The value of an environment variable in UTF-8; empty when it is not set.
[[nodiscard]] std::string environment_variable(const std::string& name);
/// Whether the system tells environment variables apart that differ in case only.
[[nodiscard]] bool variables_have_case();
/// Makes standard output and error take UTF-8 and exactly the bytes that are written.
void prepare_console();
[[nodiscard]] bool input_is_terminal();
[[nodiscard]] bool errors_go_to_terminal();
/// Writes and flushes. That nobody reads any more (a closed pipe) is no reason to end: never throws.
void print_to(std::FILE* stream, const std::string& text) noexcept;

/// A line from standard input in UTF-8, without its end; empty at the end of the input.
[[nodiscard]] std::string read_line();
/// Prints a question to standard error and reads the line that is typed after it, in UTF-8; what was
/// typed before is no answer to it. Nothing at the end of the input, and when `stop` is triggered
/// first. Standard input must be a terminal.
[[nodiscard]] std::optional<std::string> ask(const std::string& question,
                                             const std::stop_token& stop);
/// All of standard input, in UTF-8.
[[nodiscard]] std::string read_input();

enum class Interrupt {
    asked,  ///< Ctrl+C, SIGTERM: finish what has begun
    forced, ///< the console is being closed: seconds are left
};

/// Calls `on_interrupt` on a thread of its own at each interrupt while it exists. One at a time.
class InterruptWatch {
public:
    explicit InterruptWatch(std::function<void(Interrupt)> on_interrupt);
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace eyehand::cli
