// agent-cli report RUN
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/agent/report.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <exception>

namespace eyehand::cli {

ExitCode report_run(const std::string& directory) {
    const std::filesystem::path path = path_of(directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is no run's directory: there is no run.json in it", directory));
    print_to(stdout, text_of(agent::write_report(path)) + "\n");
    return ExitCode::completed;
}

void leave_report(const std::filesystem::path& run_directory, bool quiet) {
    std::string line;
    try {
        line = "report: " + text_of(agent::write_report(run_directory));
    } catch (const std::exception& problem) {
        line = fmt::format("there is no report: {}", problem.what());
    }
    if (!quiet) print_to(stderr, printable(line) + "\n");
}

} // namespace eyehand::cli
