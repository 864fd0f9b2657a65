// Platform differences: file names, arguments, terminals, signals.
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

// File names in UTF-8. On Windows, std::filesystem::path would take a std::string as code page
// text.
[[nodiscard]] std::filesystem::path path_of(std::string_view utf8);
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

/// The program's arguments in UTF-8, without the program's name.
[[nodiscard]] std::vector<std::string> utf8_arguments(int argc, char** argv);
/// The file of this program.
[[nodiscard]] std::filesystem::path own_program();
/// The value of an environment variable in UTF-8; empty when it is not set.
[[nodiscard]] std::string environment_variable(const std::string& name);
/// The folder of this program in the user's configuration folder, which may not exist: below
/// XDG_CONFIG_HOME or HOME, on Windows APPDATA. Empty if the variables are not set to absolute paths.
[[nodiscard]] std::filesystem::path configuration_folder();
/// The names of these variables, for messages.
[[nodiscard]] const char* configuration_variables();
/// Whether the file belongs to the user, and no other user has the permission to write it. On
/// Windows, the access is that of the user's profile, and this is always true.
[[nodiscard]] bool only_the_user_can_change(const std::filesystem::path& file);
/// Replaces a file that other users must not read, in one step, and creates its folder. Returns false
/// if it cannot be written.
[[nodiscard]] bool write_private_file(const std::filesystem::path& file, std::string_view text);
/// Whether names of environment variables are case-sensitive.
[[nodiscard]] bool variables_have_case();
/// Sets standard output and standard error to UTF-8, without translation of line ends.
void prepare_console();
[[nodiscard]] bool input_is_terminal();
[[nodiscard]] bool errors_go_to_terminal();
/// Writes and flushes. Ignores errors, such as a closed pipe.
void print_to(std::FILE* stream, const std::string& text) noexcept;

/// A line from standard input in UTF-8, without its end; empty at the end of the input.
[[nodiscard]] std::string read_line();
/// Prints a question to standard error, drops earlier input, and reads one line in UTF-8. Returns
/// nothing at the end of the input, or if `stop` is triggered first. Standard input must be a
/// terminal.
[[nodiscard]] std::optional<std::string> ask(const std::string& question,
                                             const std::stop_token& stop);
/// Prints a question to standard error, drops earlier input, and reads one line in UTF-8, which the
/// terminal does not show. Returns nothing at the end of the input. Standard input must be a terminal.
[[nodiscard]] std::optional<std::string> ask_hidden(const std::string& question);
/// From now on, a crash of this process leaves no core dump. On Windows, no report of the crash.
void forbid_core_dumps() noexcept;
/// All of standard input, in UTF-8.
[[nodiscard]] std::string read_input();

enum class Interrupt {
    asked,  ///< Ctrl+C, SIGTERM: complete the action that has started
    forced, ///< the console is being closed: the process has a few seconds
};

/// While it exists, calls `on_interrupt` at each interrupt, on a thread of its own. At most one
/// object may exist at a time.
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
