// agent-cli report RUN
#include "commands.hpp"

#include "configuration.hpp"
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
    const std::string key = journal_key(configuration(std::nullopt));
    print_to(stdout, text_of(session::write_report(path, {.journal_key = key})) + "\n");
    return ExitCode::completed;
}

} // namespace eyehand::cli
