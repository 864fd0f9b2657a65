// agent-cli report RUN
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/session/report.hpp"
#include "platform.hpp"

#include <fmt/format.h>

namespace eyehand::cli {

ExitCode report_run(const std::string& directory) {
    const std::filesystem::path path = path_of(directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is not a run directory: it contains no run.json", directory));
    print_to(stdout, text_of(session::write_report(path)) + "\n");
    return ExitCode::completed;
}

} // namespace eyehand::cli
