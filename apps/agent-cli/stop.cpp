// agent-cli stop
#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "latest_run.hpp"
#include "platform.hpp"

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/session/stop_request.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>
#include <utility>

namespace eyehand::cli {
namespace {

using session::StopRequest;

/// Whether a process works on the run.
bool is_in_progress(const std::filesystem::path& run) {
    try {
        return agent::RunDirectory::open(run).journal_is_locked();
    } catch (const agent::Error&) {
        return false; // not a run directory
    }
}

bool has_ended(const agent::RunDirectory& run, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    constexpr std::chrono::milliseconds between_looks{20};
    while (run.journal_is_locked()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(between_looks);
    }
    return true;
}

std::filesystem::path run_to_stop(const StopFlags& flags) {
    if (!flags.directory.empty()) {
        std::filesystem::path run = path_of(flags.directory);
        if (!is_in_progress(run))
            throw UsageError(fmt::format("{} is not a run in progress", flags.directory));
        return run;
    }
    const std::string parent =
        flags.run_dir.empty() ? *configuration(flags.config).text("run_dir") : flags.run_dir;
    std::filesystem::path run = latest_run(parent, is_in_progress);
    if (run.empty())
        throw UsageError(fmt::format("{} contains no run in progress; name a run directory, or the "
                                     "folder with the run directories (--run-dir)",
                                     parent));
    return run;
}

} // namespace

ExitCode stop_run(const StopFlags& flags) {
    const agent::RunDirectory run = agent::RunDirectory::open(run_to_stop(flags));
    const std::string name = text_of(run.path());
    constexpr std::chrono::seconds patience{3};
    constexpr std::array<std::pair<StopRequest, const char*>, 3> steps{
        {{StopRequest::at_safe_point, "stopping"},
         {StopRequest::at_once, "stopping at once"},
         {StopRequest::end_program, "the run does not end: ending the program of"}}};
    for (const auto& [request, words] : steps) {
        if (flags.now && request == StopRequest::at_safe_point) continue;
        print_to(stderr, fmt::format("{} {}\n", words, name));
        session::request_stop(run, request);
        if (has_ended(run, patience)) return ExitCode::completed;
    }
    print_to(stderr,
             fmt::format("{} is still in progress, because its program does not react: end its "
                         "process\n",
                         name));
    return ExitCode::failed;
}

} // namespace eyehand::cli
