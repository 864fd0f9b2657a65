// agent-cli run TASK
#include "commands.hpp"

#include "agent/error.hpp"
#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <optional>

namespace cli {
namespace {

std::string ask_for_task() {
    if (!input_is_terminal()) {
        throw UsageError("no task was given: agent-cli run \"what is to be done\"");
    }
    print_to(stderr, "What is to be done? ");
    return read_line();
}

agent::RunDirectory create_directory(const RunSettings& settings) {
    try {
        return agent::RunDirectory::create(settings.run_dir, settings.screenshots);
    } catch (const agent::Error& error) {
        throw UsageError(fmt::format("{}; choose another folder with --run-dir", error.what()));
    }
}

Detail detail(const RunFlags& flags) {
    if (flags.quiet) return Detail::quiet;
    return flags.verbose ? Detail::verbose : Detail::normal;
}

} // namespace

ExitCode run_task(RunFlags flags) {
    if (flags.task.empty()) flags.task = ask_for_task();
    if (flags.task.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw UsageError("the task is empty: say what is to be done");
    }
    RunSettings settings = resolve(flags);
    const auto desktop = winio::open_desktop();

    // The directory comes last: what is wrong with the settings is found before one is made for
    // nothing.
    std::optional<agent::RunDirectory> directory;
    settings.client.on_exchange = [&](const vlm::Exchange& exchange) {
        directory->log_exchange(exchange);
    };
    vlm::OpenAiClient model(settings.client);
    agent::Agent agent(*desktop, model, settings.profile, agent::desktop_tools(), settings.agent);
    directory = create_directory(settings);

    agent::RunControl control;
    int interrupts = 0;
    const InterruptWatch watch([&](Interrupt interrupt) {
        if (interrupt == Interrupt::forced || ++interrupts > 1) {
            control.stop_now("interrupted by the user");
            return;
        }
        control.stop("interrupted by the user");
        if (!flags.quiet) print_to(stderr, "stopping; press Ctrl+C again to stop at once\n");
    });
    TerminalView view({.detail = detail(flags), .json = flags.json});
    const agent::RunFinished result = agent.run(flags.task, *directory, control, &view);

    const bool completed = result.outcome == agent::Outcome::completed;
    if (!completed || !flags.json) {
        print_to(completed ? stdout : stderr, printable(result.why) + "\n");
    }
    if (!flags.quiet) {
        const std::u8string path = directory->path().generic_u8string();
        print_to(stderr, "run directory: " + std::string(path.begin(), path.end()) + "\n");
    }
    return exit_code(result.outcome);
}

} // namespace cli
