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

[[nodiscard]] ExitCode run_task(RunFlags flags);
[[nodiscard]] ExitCode take_screenshot(const ScreenshotFlags& flags);
[[nodiscard]] ExitCode run_doctor(const EndpointFlags& flags);

/// Parses the arguments (UTF-8, without the program's name) and runs the command they name.
[[nodiscard]] int run_program(std::vector<std::string> arguments);

} // namespace cli
