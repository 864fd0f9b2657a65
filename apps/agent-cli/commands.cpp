#include "commands.hpp"

#include "agent/error.hpp"
#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"
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

void add_area(CLI::App& command, ViewFlags& flags) {
    command
        .add_option("--display", flags.display, "Display ID, or \"all\"; default: the primary one")
        ->excludes(
            command.add_option("--window", flags.window,
                               "The window whose title has this part, in place of a display"));
    command.add_option("--crop", flags.crop, "Part of it to see and touch: x1,y1,x2,y2 in 0..1000");
}

void add_view(CLI::App& command, ViewFlags& flags) {
    add_area(command, flags);
    command.add_option("--image", flags.image,
                       "Size of the picture: WIDTHxHEIGHT to fit into, 60%, or tokens:1024");
    command.add_flag("--image-exact", flags.image_exact, "Exactly that size, distorted if need be");
}

void add_endpoint(CLI::App& command, EndpointFlags& flags) {
    command.add_option("--endpoint", flags.endpoint,
                       "Server: http://host:1234, .../v1 or in full; default localhost:1234");
    command.add_option("--model", flags.model, "Model ID; default: the profile's");
}

// CLI::Range lets NaN through.
CLI::Validator within(double least, double most) {
    return {[=](std::string& text) {
                double value = 0;
                const bool is_number = CLI::detail::lexical_cast(text, value);
                return is_number && value >= least && value <= most
                           ? std::string()
                           : fmt::format("{} is not a number from {} to {}", text, least, most);
            },
            fmt::format("[{} - {}]", least, most)};
}

// do ACTION ...: coordinates are the model's, 0 to 1000 over the area.
void add_actions(CLI::App& command, DoFlags& flags) {
    command.require_subcommand(1);
    const auto action = [&](const char* name, const char* description) {
        CLI::App* added = command.add_subcommand(name, description);
        added->callback([&flags, name] { flags.action = name; });
        added->set_help_flag("--help", "Print this"); // -h... may be what is to be typed
        added->add_flag("--json", flags.json, "Print what came of it as a JSON object");
        return added;
    };
    const auto in_an_area = [&](const char* name, const char* description) {
        CLI::App* added = action(name, description);
        add_area(*added, flags.view);
        return added;
    };
    const auto share = within(0, 1000);
    const auto at_a_place = [&](const char* name, const char* description) {
        CLI::App* added = in_an_area(name, description);
        added->add_option("X", flags.at.x, "From the left, 0 to 1000")->required()->check(share);
        added->add_option("Y", flags.at.y, "From the top, 0 to 1000")->required()->check(share);
        return added;
    };
    const auto with_text = [&](const char* name, const char* what, const char* description) {
        CLI::App* added = in_an_area(name, description);
        added->add_option(what, flags.text, "Behind -- where it begins with a dash")->required();
        return added;
    };
    at_a_place("move", "Move the pointer");
    at_a_place("click", "Click");
    at_a_place("double-click", "Double-click");
    at_a_place("triple-click", "Click three times");
    at_a_place("right-click", "Click with the right button");
    at_a_place("middle-click", "Click with the middle button");
    in_an_area("drag", "Drag along two points or more: X1 Y1 X2 Y2 ...")
        ->add_option("POINTS", flags.corners, "X Y of each corner")
        ->required()
        ->expected(4, 2000)
        ->check(share);
    CLI::App* scroll = at_a_place("scroll", "Turn the wheel: notches above 0 scroll up or right");
    scroll->add_option("NOTCHES", flags.notches)->required()->check(CLI::Range(-100, 100));
    scroll->add_flag("--horizontal", flags.horizontal, "Turn it sideways");
    with_text("type", "TEXT", "Type text; line breaks are Enter, tabs Tab");
    with_text("press", "CHORD", "Press keys together, such as ctrl+shift+s");
    with_text("paste", "TEXT", "Paste text through the clipboard, which gets its content back");
    action("windows", "List the windows, topmost first");
    with_text("focus", "TITLE", "Bring the window whose title has this part to the foreground")
        ->add_option("--wait", flags.wait, "Seconds to wait for it")
        ->check(within(0, 3600));
    with_text("launch", "COMMAND", "Start a program, or open a document");
}

int complain(ExitCode code, const std::string& why) {
    print_to(stderr, "agent-cli: " + printable(why) + "\n"); // a window's title may be in it
    return static_cast<int>(code);
}

} // namespace

int run_program(std::vector<std::string> arguments) {
    CLI::App app("Eyehand: agents that work a desktop through screenshots, mouse and keyboard.",
                 "agent-cli");
    app.set_version_flag("--version", "agent-cli " + std::string(agent::version()));
    app.footer(exit_codes);
    app.allow_windows_style_options(false); // /usr/bin is a text, not an option
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

    DoFlags by_hand;
    CLI::App* do_command =
        app.add_subcommand("do", "Do one thing by hand and tell what came of it");
    add_actions(*do_command, by_hand);

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
        else if (*do_command)
            code = do_action(by_hand);
        else if (*doctor_command)
            code = run_doctor(doctor);
        return static_cast<int>(code);
    } catch (const UsageError& error) {
        return complain(ExitCode::usage, error.what());
    } catch (const winio::Error& error) {
        const bool interrupted = error.code() == winio::errc::cancelled;
        return complain(interrupted ? ExitCode::interrupted : ExitCode::desktop, error.what());
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
