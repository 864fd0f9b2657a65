#include "commands.hpp"

#include "agent/error.hpp"
#include "environment.hpp"
#include "platform.hpp"
#include "vlm/error.hpp"
#include "winio/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

constexpr const char* exit_codes = R"(
Exit codes: 0 completed, 1 failed, 2 usage or configuration, 3 steps used up,
4 endpoint or model, 5 desktop, 6 refused by policy or user, 130 interrupted.)";

void add_view(CLI::App& command, ViewFlags& flags) {
    command.add_option("--display", flags.display,
                       "Display ID, or \"all\"; default: the primary one");
    command.add_option("--crop", flags.crop, "Part of it to see and touch: x1,y1,x2,y2 in 0..1000");
    command.add_option("--image", flags.image, "Box the picture fits into, WIDTHxHEIGHT");
    command.add_flag("--image-exact", flags.image_exact, "Exactly that size, distorted if need be");
}

void add_endpoint(CLI::App& command, EndpointFlags& flags) {
    command.add_option("--endpoint", flags.endpoint,
                       "Server: http://host:1234, .../v1 or in full; default localhost:1234");
    command.add_option("--model", flags.model, "Model ID; default: the profile's");
}

int complain(ExitCode code, const std::string& why) {
    print_to(stderr, "agent-cli: " + why + "\n");
    return static_cast<int>(code);
}

} // namespace

int run_program(std::vector<std::string> arguments) {
    CLI::App app("Eyehand: agents that work a desktop through screenshots, mouse and keyboard.",
                 "agent-cli");
    app.set_version_flag("--version", "agent-cli " + std::string(agent::version()));
    app.footer(exit_codes);
    app.require_subcommand(1);

    RunFlags run;
    CLI::App* run_command = app.add_subcommand("run", "Run an agent on a task");
    run_command->add_option("TASK", run.task, "What is to be done; asked for when left out");
    run_command->add_option("--profile", run.profile, "Built-in profile or a profile's folder")
        ->capture_default_str();
    add_endpoint(*run_command, run.server);
    add_view(*run_command, run.view);
    run_command->add_option("--max-steps", run.max_steps, "Model exchanges at most")
        ->check(CLI::Range(1, 1000000));
    run_command->add_option("--run-dir", run.run_dir, "Folder for run directories; default: runs");
    run_command->add_option("--with", run.with, "Offer a further tool, by name");
    run_command->add_flag("--json", run.json, "Print the run's events to standard output");
    run_command->add_flag("-v,--verbose", run.verbose, "Show everything that is said");
    run_command->add_flag("--quiet", run.quiet, "Show only the final answer, or why there is none");

    ScreenshotFlags screenshot;
    CLI::App* screenshot_command = app.add_subcommand("screenshot", "Save what a model would see");
    screenshot_command->add_option("FILE", screenshot.file, "PNG file to write")->required();
    add_view(*screenshot_command, screenshot.view);
    screenshot_command->add_flag("--no-cursor", screenshot.view.no_cursor,
                                 "Without the mouse pointer");

    EndpointFlags doctor;
    CLI::App* doctor_command =
        app.add_subcommand("doctor", "Check that everything a run needs is there");
    add_endpoint(*doctor_command, doctor);

    try {
        std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the back
        app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        const int status = app.exit(error);
        return status == 0 ? 0 : static_cast<int>(ExitCode::usage);
    }

    try {
        ExitCode code = ExitCode::usage;
        if (*run_command)
            code = run_task(std::move(run));
        else if (*screenshot_command)
            code = take_screenshot(screenshot);
        else if (*doctor_command)
            code = run_doctor(doctor);
        return static_cast<int>(code);
    } catch (const UsageError& error) {
        return complain(ExitCode::usage, error.what());
    } catch (const winio::Error& error) {
        return complain(ExitCode::desktop, error.what());
    } catch (const vlm::Error& error) {
        return complain(error.code() == vlm::errc::bad_url ? ExitCode::usage : ExitCode::endpoint,
                        error.what());
    } catch (const agent::Error& error) {
        const bool mid_run = error.code() == agent::errc::journal_failed ||
                             error.code() == agent::errc::journal_corrupt;
        return complain(mid_run ? ExitCode::failed : ExitCode::usage, error.what());
    } catch (const std::exception& error) {
        return complain(ExitCode::failed, error.what());
    }
}

} // namespace cli
