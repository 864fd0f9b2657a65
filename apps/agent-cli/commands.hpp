// The program's commands. Each returns the exit status, and throws UsageError, winio::Error,
// vlm::Error or agent::Error for `run_program` to explain.
#pragma once

#include "exit_code.hpp"
#include "settings.hpp"

#include <string>
#include <vector>

namespace cli {

struct ScreenshotFlags {
    std::string file;
    ViewFlags view;
};

/// One action by hand. Which of the members count depends on the action.
struct DoFlags {
    std::string action; ///< "click", "type", ...: the subcommand's name
    ViewFlags view;
    winio::NormPoint at;
    std::vector<double> corners; ///< of a drag: x and y by turns, 0 to 1000
    std::string text;            ///< to type or paste; a chord, a window's title, a command
    int notches = 0;
    bool horizontal = false;
    double wait = 0; ///< seconds for a window to come up
    bool json = false;
};

[[nodiscard]] ExitCode run_task(RunFlags flags);
[[nodiscard]] ExitCode take_screenshot(const ScreenshotFlags& flags);
[[nodiscard]] ExitCode do_action(const DoFlags& flags);
[[nodiscard]] ExitCode run_doctor(const EndpointFlags& flags);

/// Parses the arguments (UTF-8, without the program's name) and runs the command they name.
[[nodiscard]] int run_program(std::vector<std::string> arguments);

} // namespace cli
