#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/dialect.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/winio/error.hpp"
#include "mcp_config.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

constexpr const char* exit_codes = R"(
Exit codes: 0 completed, 1 failed, 2 usage or configuration, 3 turns or a limit used up,
4 endpoint or model, 5 desktop, 6 denied by the guard or the user, 130 interrupted.)";

void add_area(CLI::App& command, ViewFlags& flags) {
    command
        .add_option("--display", flags.display, "Display ID, or \"all\"; default: the primary one")
        ->excludes(
            command.add_option("--window", flags.window,
                               "Window whose title contains this text, instead of a display"));
    command.add_option("--crop", flags.crop, "Only this part of it: x1,y1,x2,y2 in 0..1000");
}

void add_image_format(CLI::App& command, ImageFormatFlags& flags) {
    command.add_option("--image-format", flags.format,
                       "Format of screenshots: png (default), jpeg or webp");
    command
        .add_option("--image-quality", flags.quality,
                    "Quality of jpeg and webp: 1, the smallest files, to 100")
        ->check(CLI::Range(1, 100));
}

void add_view(CLI::App& command, ViewFlags& flags) {
    add_area(command, flags);
    command.add_option("--image", flags.image,
                       "Size of screenshots: WIDTHxHEIGHT to fit into, 60%, or tokens:1024");
    command.add_flag("--image-exact", flags.image_exact,
                     "Exactly that size, distorted if necessary");
    add_image_format(command, flags.image_format);
}

void add_coordinates(CLI::App& command, std::string& coordinates) {
    command.add_option("--coordinates", coordinates,
                       fmt::format("The numbers in which the model states positions: {}",
                                   fmt::join(agent::coordinate_words(), ", ")));
}

void add_dialect(CLI::App& command, std::string& dialect) {
    command.add_option("--dialect", dialect,
                       fmt::format("How the model states its actions: {}",
                                   fmt::join(agent::dialect_words(), ", ")));
}

void add_profile(CLI::App& command, std::string& profile) {
    command.add_option("--profile", profile,
                       "Built-in profile or profile folder; default: observer");
}

void add_redaction(CLI::App& command, RedactionFlags& flags) {
    command
        .add_option(
            "--redact", flags.redact,
            "Black out in screenshots: title:TEXT, class:NAME or process:NAME of windows, or "
            "area:WIDTHxHEIGHT+X+Y, password_fields; in addition to the setting redact")
        ->allow_extra_args(false);
    command.add_flag("--show-own-windows", flags.show_own_windows,
                     "Do not black out this terminal and the panel");
}

void add_config(CLI::App& command, std::optional<std::string>& file) {
    command.add_option("--config", file,
                       "File with settings; default: eyehand.json, if it exists (see trust)");
}

void add_endpoint(CLI::App& command, EndpointFlags& flags) {
    command.add_option("--endpoint", flags.endpoint,
                       "Server: http://host:1234, .../v1 or the full URL; default: localhost:1234");
    command.add_option("--api", flags.api, "Interface of the server; default: chat")
        ->check(CLI::IsMember({"chat", "responses"}));
    command.add_flag("--store-responses", flags.store_responses,
                     "Let the server of the Responses API keep the conversation");
    command.add_option("--model", flags.model, "Model ID");
    command.add_option("--ca-file", flags.ca_file,
                       "PEM file with certificate authorities to trust besides the system's");
    command
        .add_option("--retries", flags.retries,
                    "Maximum number of retries of a failed request; default: 2")
        ->check(CLI::Range(0, 100));
    command.add_flag("--no-stream", flags.no_stream, "Request each answer as a whole");
    command.add_flag("--insecure", flags.insecure,
                     "Send the API key over plain http to other computers without a warning");
    add_config(command, flags.config);
}

void add_probe(CLI::App& command, bool& no_probe) {
    command.add_flag("--no-probe", no_probe, "Do not probe the server before the run");
}

// The address of the page and the access to it.
void add_panel_way(CLI::App& command, PanelFlags& flags) {
    command.add_option("--panel-port", flags.port, "Port of the page; default: any free port")
        ->check(CLI::Range(0, 65535));
    command.add_option(
        "--panel-cors", flags.cors,
        "Another origin whose pages may use the panel, such as http://localhost:8080");
    command.add_flag("--panel-compat", flags.compat,
                     "Require neither the token nor, in posts, the content type "
                     "application/json, for clients that do not support them; only on a "
                     "loopback address");
}

void add_guard(CLI::App& command, GuardFlags& flags) {
    command.add_option("--guard", flags.level,
                       "Which actions need approval or are denied: off, standard or strict");
    command.add_option("--guard-rules", flags.rules, "JSON file with your own rules for the guard")
        ->allow_extra_args(false); // otherwise the task would be a second file
    // A flag, so that a task after it is not taken for the file.
    command
        .add_flag("--unattended", flags.unattended,
                  "Ask no user: what needs approval is denied; --unattended=FILE: also "
                  "--guard-rules FILE")
        ->option_text("[=FILE]");
    command.add_option("--approve", flags.approve, "always: the same as --guard strict");
}

void add_secrets(CLI::App& command, std::string& file) {
    command.add_option("--secrets", file,
                       "JSON file that names secrets, which the model can type but not read");
}

void add_limits(CLI::App& command, LimitFlags& flags) {
    command
        .add_option("--max-time", flags.max_time,
                    "Maximum duration of the run in seconds; 0: no limit")
        ->check(CLI::Range(0.0, 86400.0));
    command
        .add_option("--max-total-tokens", flags.max_tokens,
                    "Maximum number of tokens of all requests and replies; 0: no limit")
        ->check(CLI::Range(0, 2000000000));
    command
        .add_option("--max-actions-per-minute", flags.max_actions_per_minute,
                    "End a run that acts more often; 0: no limit")
        ->check(CLI::Range(0, 100000));
    command
        .add_option("--max-run-mib", flags.max_mib,
                    "Maximum size of the run's files in MiB; 0: no limit")
        ->check(CLI::Range(0, 1000000));
}

void add_journal_key(CLI::App& command, std::string& file) {
    command.add_option("--journal-key-file", file,
                       "File with a secret key: agent-cli verify then detects changes of the run's "
                       "files by anyone without the key");
}

void add_hand(CLI::App& command, HandFlags& flags) {
    command.add_option("--stop-key", flags.stop_key,
                       "Keys that stop the run, whichever window has the focus, or \"none\"; "
                       "default: ctrl+alt+pause");
    command.add_option("--takeover", flags.takeover,
                       "What happens when you use the mouse or the keyboard: pause the run "
                       "(default) or ignore it");
}

void add_panel(CLI::App& command, PanelFlags& flags) {
    command.add_flag("--panel", flags.on,
                     "Show the run on a local page, to pause it, send messages and stop it");
    add_panel_way(command, flags);
}

// Flags for settings of a run.
void add_settings(CLI::App& command, RunFlags& flags) {
    add_profile(command, flags.profile);
    add_endpoint(command, flags.server);
    add_view(command, flags.view);
    command
        .add_option("--max-turns,--max-steps", flags.max_turns,
                    "Maximum number of turns (model replies)")
        ->check(CLI::Range(1, 1000000));
    add_limits(command, flags.limits);
    add_journal_key(command, flags.journal_key_file);
    add_hand(command, flags.hand);
    command.add_option("--run-dir", flags.run_dir, "Folder for run directories; default: runs");
    command.add_flag("--record-desktop", flags.record_desktop,
                     "Record captures, windows and input, so that the run can be replayed");
    command.add_option("--with", flags.with, "Offer this further tool; may be repeated")
        ->allow_extra_args(false); // otherwise the task would be a second tool
    command.add_option("--lmstudio-logs", flags.lmstudio_logs,
                       "Keep LM Studio's log of the run: its folder, \"auto\" or \"off\"");
    command.add_flag("--heat", flags.heat,
                     "Mark in screenshots where the agent has acted, for the model to see");
    command.add_option("--annotate", flags.annotate,
                       "What draws over screenshots: native or panel");
    add_coordinates(command, flags.coordinates);
    command.add_option("--calibration", flags.calibration,
                       "off: do not use the calibration of the model (agent-cli calibrate)");
    add_dialect(command, flags.dialect);
    command.add_option("--refine", flags.refine,
                       "Ask the model for the exact position before clicks: off, on or small (only "
                       "for small targets)");
    command.add_option("--reasoning-effort", flags.reasoning_effort,
                       "How much the model reasons: none, minimal, low, medium, high or xhigh");
    command
        .add_option("--thinking-tokens", flags.thinking_tokens,
                    "Maximum number of tokens of the model's reasoning; 0: no reasoning, -1: the "
                    "server's limit")
        ->check(CLI::Range(-1, max_tokens));
    command.add_option("--image-detail", flags.image_detail,
                       "How closely the model looks at screenshots: low, high, auto or original");
    command.add_option("--watch", flags.watch,
                       "When the screen changes while the model thinks: resend, check or off");
    add_guard(command, flags.guard);
    add_redaction(command, flags.redaction);
    add_panel(command, flags.panel);
    add_probe(command, flags.no_probe);
}

void add_program_tools(CLI::App& command, ProgramToolFlags& flags) {
    command
        .add_option("--tool", flags.files,
                    "JSON file that describes one of your programs as a tool")
        ->allow_extra_args(false); // otherwise the task would be a second file
    command
        .add_option("--allow-tool", flags.allowed,
                    "Run the tool of this name without asking before each call")
        ->allow_extra_args(false);
}

void add_mcp_servers(CLI::App& command, McpServerFlags& flags) {
    command
        .add_option("--mcp-config", flags.files,
                    "JSON file with servers of the Model Context Protocol, whose tools the run may "
                    "use")
        ->allow_extra_args(false);
}

void add_record(CLI::App& command, std::string& file) {
    command.add_option("--record", file, "Record requests and replies to this new file (cassette)");
}

void add_run(CLI::App& command, RunFlags& flags) {
    add_settings(command, flags);
    add_program_tools(command, flags.tools);
    add_mcp_servers(command, flags.mcp);
    add_secrets(command, flags.secrets);
    add_record(command, flags.cassette.record);
    command
        .add_option("--replay", flags.cassette.replay,
                    "Cassette that answers instead of the model; actions are still executed")
        ->excludes("--record");
    command
        .add_flag("--replay-strict", flags.cassette.strict,
                  "Each request must equal the recorded one, screenshots included")
        ->needs("--replay");
    command.add_flag("--json", flags.json, "Print the run's events to standard output");
    command.add_flag("-v,--verbose", flags.verbose, "Show texts, arguments and results in full");
    command.add_flag("--quiet", flags.quiet,
                     "Show only the final answer, or the reason for a missing answer");
}

// CLI::Range lets NaN through.
CLI::Validator within(double min, double max) {
    return {[=](std::string& text) {
                double value = 0;
                const bool is_number = CLI::detail::lexical_cast(text, value);
                return is_number && value >= min && value <= max
                           ? std::string()
                           : fmt::format("{} is not a number from {} to {}", text, min, max);
            },
            fmt::format("[{} - {}]", min, max)};
}

void add_ask(CLI::App& command, AskFlags& flags) {
    command.add_option("TEXT", flags.text, "The question; - reads it from standard input")
        ->required();
    command.add_option("--image", flags.images, "PNG, JPEG, WebP or GIF file; may be repeated")
        ->allow_extra_args(false); // otherwise the question would be a second file
    add_endpoint(command, flags.server);
    command.add_option("--system", flags.system, "System prompt");
    command.add_option("--max-tokens", flags.max_tokens, "Maximum length of the answer in tokens")
        ->check(CLI::Range(1, max_tokens));
    command.add_option("--temperature", flags.temperature, "Sampling temperature, 0 to 2")
        ->check(within(0, 2));
    command.add_flag("--stream", flags.stream, "Print the answer as it arrives")
        ->excludes(command.get_option("--no-stream"));
    command.add_flag("--json", flags.json, "Print the reply as a JSON object");
    command.add_flag("-v,--verbose", flags.verbose, "Also print reasoning, tokens and times");
}

void add_profile_actions(CLI::App& command, ProfileFlags& flags) {
    command.require_subcommand(1);
    const auto action = [&](const char* name, const char* description) {
        CLI::App* added = command.add_subcommand(name, description);
        added->callback([&flags, name] { flags.action = name; });
        return added;
    };
    const auto about_one = [&](const char* name, const char* description) {
        CLI::App* added = action(name, description);
        added->add_option("NAME", flags.name, "Built-in profile or profile folder")->required();
        return added;
    };
    action("list", "List the built-in profiles");
    about_one("show", "Print all values of a profile as JSON");
    about_one("export", "Write a profile's files to a new folder, where you can change them")
        ->add_option("DIR", flags.folder, "The folder to create")
        ->required();
}

// do ACTION ...: coordinates are 0 to 1000 over the area.
void add_actions(CLI::App& command, DoFlags& flags) {
    command.require_subcommand(1);
    const auto action = [&](const char* name, const char* description) {
        CLI::App* added = command.add_subcommand(name, description);
        added->callback([&flags, name] { flags.action = name; });
        added->set_help_flag("--help",
                             "Print this help message and exit"); // -h may be text to type
        added->add_flag("--json", flags.json, "Print the result as JSON");
        return added;
    };
    const auto acting = [&](const char* name, const char* description) {
        CLI::App* added = action(name, description);
        added->add_option("--guard", flags.guard.level, "off: no rule can deny the action")
            ->check(CLI::IsMember({"off", "standard"}));
        added->add_option("--guard-rules", flags.guard.rules, "JSON file with your own rules")
            ->allow_extra_args(false);
        return added;
    };
    const auto in_an_area = [&](const char* name, const char* description) {
        CLI::App* added = acting(name, description);
        add_area(*added, flags.view);
        add_config(*added, flags.view.config);
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
        added->add_option(what, flags.text, "Write it after -- if it begins with a dash")
            ->required();
        return added;
    };
    at_a_place("move", "Move the pointer");
    at_a_place("click", "Click");
    at_a_place("double-click", "Double-click");
    at_a_place("triple-click", "Click three times");
    at_a_place("right-click", "Click with the right button");
    at_a_place("middle-click", "Click with the middle button");
    in_an_area("drag", "Drag along two or more points: X1 Y1 X2 Y2 ...")
        ->add_option("POINTS", flags.corners, "X Y of each point")
        ->required()
        ->expected(4, 2000)
        ->check(share);
    CLI::App* scroll = at_a_place("scroll", "Turn the wheel: notches above 0 scroll up or right");
    scroll->add_option("NOTCHES", flags.notches)->required()->check(CLI::Range(-100, 100));
    scroll->add_flag("--horizontal", flags.horizontal, "Scroll horizontally");
    with_text("type", "TEXT", "Type text; line breaks are Enter, tabs Tab");
    with_text("press", "CHORD", "Press keys together, such as ctrl+shift+s");
    with_text("paste", "TEXT", "Paste text through the clipboard, and restore the clipboard");
    action("windows", "List the windows, topmost first");
    with_text("focus", "TITLE", "Bring the window whose title contains TITLE to the foreground")
        ->add_option("--wait", flags.wait, "Seconds to wait until it appears")
        ->check(within(0, 3600));
    with_text("launch", "COMMAND", "Start a program, or open a document");
}

void add_mcp(CLI::App& command, McpFlags& flags) {
    command
        .add_option("--http", flags.http,
                    "Serve Streamable HTTP on this port of 127.0.0.1; 0: any free port; default: "
                    "standard input and output")
        ->check(CLI::Range(0, 65535));
    command
        .add_option(
            "--token-file", flags.token_file,
            "File with the token that HTTP clients must send; created if it does not exist; "
            "default: a new token")
        ->needs("--http");
    command
        .add_flag("--without-token", flags.without_token,
                  "Let each program of this computer use the HTTP endpoint")
        ->needs("--http")
        ->excludes("--token-file");
    command.add_option("--print-config", flags.print_config,
                       fmt::format("Print the configuration for a client and exit: {}",
                                   fmt::join(mcp_client_names(), ", ")));
    command.add_flag("--allow-run-task", flags.allow_run_task,
                     "Offer the tool run_task: an agent with the model of --endpoint");
    RunFlags& run = flags.run;
    add_view(command, run.view);
    command.get_option("--display")->description("Display ID, or \"all\" (default)");
    add_coordinates(command, run.coordinates);
    command.get_option("--coordinates")
        ->description(fmt::format("The numbers in which clients state positions: {}; default: "
                                  "image_pixels",
                                  fmt::join(agent::coordinate_words(), ", ")));
    command.add_option("--run-dir", run.run_dir,
                       "Folder for run directories; default: the folder of the user's settings");
    add_limits(command, run.limits);
    add_journal_key(command, run.journal_key_file);
    command.add_flag("--record-desktop", run.record_desktop,
                     "Record captures, windows and input, so that sessions can be replayed");
    command.add_option("--stop-key", run.hand.stop_key,
                       "Keys that stop all sessions, whichever window has the focus, or \"none\" "
                       "(Escape held for a second and the corners of a display still do); "
                       "default: ctrl+alt+pause");
    add_guard(command, run.guard);
    add_redaction(command, run.redaction);
    add_secrets(command, run.secrets);
    add_panel(command, run.panel);
    // Of run_task.
    add_profile(command, run.profile);
    add_endpoint(command, run.server);
    command.add_option("--max-turns", run.max_turns, "run_task: maximum number of turns")
        ->check(CLI::Range(1, 1000000));
    add_probe(command, run.no_probe);
}

/// The arguments without those of --print-config.
std::vector<std::string> without_print_config(std::vector<std::string> arguments) {
    for (auto it = arguments.begin(); it != arguments.end();) {
        if (it->starts_with("--print-config=")) {
            it = arguments.erase(it);
        } else if (*it == "--print-config") {
            it = arguments.erase(it);
            if (it != arguments.end()) it = arguments.erase(it);
        } else {
            ++it;
        }
    }
    return arguments;
}

int complain(ExitCode code, const std::string& reason) {
    print_to(stderr, "agent-cli: " + printable(reason) + "\n"); // it may contain a window's title
    return static_cast<int>(code);
}

// replay RUN: what the run directory does not contain.
void add_replay(CLI::App& command, ReplayFlags& flags) {
    command.add_option("RUN", flags.directory, "The run directory")->required();
    command.add_option("--guard", flags.guard.level,
                       "Level of the guard: off, standard or strict; default: the run's");
    command
        .add_option("--guard-rules", flags.guard.rules,
                    "JSON file with rules for the guard; name the files of the run again")
        ->allow_extra_args(false);
    add_program_tools(command, flags.tools);
    add_secrets(command, flags.secrets);
    add_journal_key(command, flags.journal_key_file);
    command.add_flag("--json", flags.json, "Print the differences as JSON");
}

} // namespace

int run_program(std::vector<std::string> arguments) {
    CLI::App app("Eyehand: agents that control a desktop through screenshots, mouse and keyboard.",
                 "agent-cli");
    app.set_version_flag("--version", "agent-cli " + std::string(agent::version()));
    app.footer(exit_codes);
    app.allow_windows_style_options(false); // /usr/bin is text, not an option
    app.require_subcommand(1);

    RunFlags run;
    CLI::App* run_command = app.add_subcommand("run", "Run an agent on a task");
    run_command->add_option("TASK", run.task, "The task; without it, agent-cli asks for it");
    add_run(*run_command, run);

    RunFlags settings;
    CLI::App* config_command =
        app.add_subcommand("config", "Print each setting of a run with its value and source");
    add_settings(*config_command, settings);
    config_command->add_flag("--json", settings.json, "Print them as a JSON object");

    TrustFlags trust;
    CLI::App* trust_command = app.add_subcommand(
        "trust", "Trust a file with settings, such as eyehand.json, until it changes");
    CLI::Option* trusted_file =
        trust_command->add_option("FILE", trust.file, "The file with settings")
            ->default_str(found_file);
    CLI::Option* list_option =
        trust_command->add_flag("--list", trust.list, "List the trusted files")
            ->excludes(trusted_file);
    trust_command->add_flag("--revoke", trust.revoke, "No longer trust the file")
        ->excludes(list_option);

    ScenarioFlags scenario;
    CLI::App* scenario_command =
        app.add_subcommand("scenario", "List, show or run named tasks with checks");
    scenario_command->require_subcommand(1);
    CLI::App* scenario_list = scenario_command->add_subcommand("list", "List the scenarios");
    CLI::App* scenario_show = scenario_command->add_subcommand("show", "Print a scenario as JSON");
    CLI::App* scenario_run =
        scenario_command->add_subcommand("run", "Set up a scenario, run it, and check the result");
    for (CLI::App* command : {scenario_show, scenario_run})
        command->add_option("NAME", scenario.name, "Name, number such as basic:2, or file")
            ->required();
    add_run(*scenario_run, scenario.run);

    ResumeFlags resume;
    CLI::App* resume_command =
        app.add_subcommand("resume", "Continue a run that was interrupted, stopped or killed, that "
                                     "failed, or that used up its turns");
    resume_command->add_option("RUN", resume.directory, "The run directory")->required();
    add_endpoint(*resume_command, resume.server);
    add_area(*resume_command, resume.view);
    add_program_tools(*resume_command, resume.tools);
    add_mcp_servers(*resume_command, resume.mcp);
    const auto describe = [&](const char* option, const char* description) {
        resume_command->get_option(option)->description(description);
    };
    describe("--endpoint", "Server: http://host:1234, .../v1 or the full URL; default: the run's");
    describe("--api", "Interface of the server; default: the run's");
    describe("--model", "Model ID; default: the run's");
    describe("--display", "Display ID, or \"all\"; default: the run's");
    describe("--window", "Window whose title contains this text; default: the run's");
    describe("--crop", "Only this part of it: x1,y1,x2,y2 in 0..1000; default: the run's");
    describe("--tool", "JSON file that describes one of your programs as a tool; name the tools of "
                       "the run again");
    add_coordinates(*resume_command, resume.coordinates);
    describe("--coordinates",
             "The numbers in which the model states positions, such as auto; default: the run's");
    add_record(*resume_command, resume.record);
    add_probe(*resume_command, resume.no_probe);
    add_guard(*resume_command, resume.guard);
    add_redaction(*resume_command, resume.redaction);
    add_secrets(*resume_command, resume.secrets);
    add_panel(*resume_command, resume.panel);
    resume_command
        ->add_option("--max-turns,--max-steps", resume.max_turns,
                     "Maximum number of turns, including the earlier ones; default: the run's")
        ->check(CLI::Range(1, 1000000));
    add_limits(*resume_command, resume.limits);
    add_journal_key(*resume_command, resume.journal_key_file);
    add_hand(*resume_command, resume.hand);
    resume_command->add_flag("--json", resume.json, "Print the run's events to standard output");
    resume_command->add_flag("-v,--verbose", resume.verbose,
                             "Show texts, arguments and results in full");
    resume_command->add_flag("--quiet", resume.quiet,
                             "Show only the final answer, or the reason for a missing answer");

    std::string reported;
    CLI::App* report_command =
        app.add_subcommand("report", "Write the report of a run: one HTML file");
    report_command->add_option("RUN", reported, "The run directory")->required();

    std::string exported;
    std::string format;
    CLI::App* export_command =
        app.add_subcommand("export", "Print a run in another form, such as a script");
    export_command->add_option("RUN", exported, "The run directory")->required();
    export_command
        ->add_option("--as", format,
                     "script: a shell script of agent-cli do commands that repeats the run without "
                     "a model")
        ->required()
        ->check(CLI::IsMember({"script"}));

    VerifyFlags verify;
    CLI::App* verify_command =
        app.add_subcommand("verify", "Find what was changed in the files of a run");
    verify_command->add_option("RUN", verify.directory, "The run directory")->required();
    add_journal_key(*verify_command, verify.journal_key_file);
    add_config(*verify_command, verify.config);

    ReplayFlags replay;
    CLI::App* replay_command = app.add_subcommand(
        "replay", "Repeat a run without a desktop and a model, and compare it with its recording");
    add_replay(*replay_command, replay);

    AskFlags ask;
    CLI::App* ask_command = app.add_subcommand("ask", "Ask the model one question");
    add_ask(*ask_command, ask);

    ScreenshotFlags screenshot;
    CLI::App* screenshot_command = app.add_subcommand(
        "screenshot", "Save a screenshot in the size and format of the settings");
    screenshot_command
        ->add_option("FILE", screenshot.file, "PNG, JPEG or WebP file to write, by its extension")
        ->required();
    add_view(*screenshot_command, screenshot.view);
    add_config(*screenshot_command, screenshot.view.config);
    screenshot_command->add_flag("--no-cursor", screenshot.view.no_cursor,
                                 "Without the mouse pointer");

    DoFlags by_hand;
    CLI::App* do_command =
        app.add_subcommand("do", "Perform a single action and report its effect");
    add_actions(*do_command, by_hand);

    ProfileFlags profile;
    add_profile_actions(*app.add_subcommand("profile", "List, show or export profiles"), profile);

    PanelCommandFlags panel;
    CLI::App* panel_command = app.add_subcommand(
        "panel", "Show a finished run, or a run of another process, on a local page");
    panel_command->add_option("RUN", panel.directory, "The run directory; default: the latest one");
    panel_command->add_option("--run-dir", panel.run_dir,
                              "Folder with the run directories; default: runs");
    add_panel_way(*panel_command, panel.panel);
    add_config(*panel_command, panel.config);

    StopFlags stop;
    CLI::App* stop_command =
        app.add_subcommand("stop", "Stop a run of another process, also if it does not react");
    stop_command->add_option("RUN", stop.directory,
                             "The run directory; default: the latest run in progress");
    stop_command->add_option("--run-dir", stop.run_dir,
                             "Folder with the run directories; default: runs");
    stop_command->add_flag("--now", stop.now, "Interrupt an action that has started");
    add_config(*stop_command, stop.config);

    GuardTestFlags tested;
    std::string explained;
    CLI::App* guard_command = app.add_subcommand("guard", "Show how the guard decides on actions");
    guard_command->require_subcommand(1);
    CLI::App* guard_test =
        guard_command->add_subcommand("test", "Print the decision on an action, and its rule");
    guard_test
        ->add_option("EFFECT", tested.effect,
                     "move, click, scroll, key, text, clipboard_write, clipboard_read, window, "
                     "launch or program")
        ->required();
    guard_test->add_option("TEXT", tested.text,
                           "The text, the chord, the command, or the label of a click's target");
    guard_test->add_option("--process", tested.process, "Program of the window that receives it");
    guard_test->add_option("--class", tested.window_class, "Class of this window");
    guard_test->add_option("--title", tested.title, "Title of this window");
    guard_test->add_flag("--elevated", tested.elevated, "Its program has more rights than Eyehand");
    guard_test->add_option("--tool-name", tested.tool, "Registered name of the tool");
    guard_test->add_option("--provenance", tested.provenance,
                           "What decided: native, text, reply, recovery or user; default: native");
    add_guard(*guard_test, tested.guard);
    CLI::App* guard_explain =
        guard_command->add_subcommand("explain", "Print the decisions in a run, and their rules");
    guard_explain->add_option("RUN", explained, "The run directory")->required();

    McpFlags served;
    CLI::App* mcp_command = app.add_subcommand(
        "mcp", "Offer the desktop to a client of the Model Context Protocol (MCP)");
    add_mcp(*mcp_command, served);
    served.arguments = without_print_config(arguments);

    // Started by other commands, not by users: releases what they press if they cannot.
    CLI::App* watchdog_command = app.add_subcommand("watchdog")->group("");

    DoctorFlags doctor;
    CLI::App* doctor_command =
        app.add_subcommand("doctor", "Check the desktop, the server and the model");
    add_endpoint(*doctor_command, doctor.server);
    add_mcp_servers(*doctor_command, doctor.mcp);
    doctor_command->add_flag("--ask", doctor.ask,
                             "Test with short requests what the server does not report");

    CalibrateFlags calibrate;
    CLI::App* calibrate_command = app.add_subcommand(
        "calibrate", "Measure how the model states positions, and store the result for runs");
    add_endpoint(*calibrate_command, calibrate.server);
    add_profile(*calibrate_command, calibrate.profile);
    add_dialect(*calibrate_command, calibrate.dialect);
    add_coordinates(*calibrate_command, calibrate.coordinates);
    add_image_format(*calibrate_command, calibrate.image_format);
    calibrate_command
        ->add_option("--requests", calibrate.requests, "Number of requests; default: 40")
        ->check(CLI::Range(session::min_calibration_requests, session::max_calibration_requests));
    calibrate_command->add_flag("--refine", calibrate.refine,
                                "Also measure the hit rate with refined positions (run --refine on "
                                "and small) on targets of 8 and 12 pixels; one more request per "
                                "target");
    calibrate_command->add_option("--image-out", calibrate.image_out,
                                  "Draw targets, hits and misses to this PNG file");
    calibrate_command->add_flag("--json", calibrate.json, "Print the result as JSON");

    // CLI11 does not tell it from the flag alone, and rules that deny would be missing.
    if (std::ranges::find(arguments, "--unattended=") != arguments.end())
        return complain(ExitCode::usage,
                        "--unattended= is followed by no file; name a file of rules, "
                        "or leave out the \"=\"");
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
        else if (*panel_command)
            code = show_run(panel);
        else if (*stop_command)
            code = stop_run(stop);
        else if (*resume_command)
            code = resume_run(resume);
        else if (*export_command)
            code = export_run(exported);
        else if (*verify_command)
            code = verify_run(verify);
        else if (*replay_command)
            code = replay_run(replay);
        else if (*report_command)
            code = report_run(reported);
        else if (*ask_command)
            code = ask_model(ask);
        else if (*config_command)
            code = print_config(settings);
        else if (*trust_command)
            code = trust_file(trust);
        else if (*scenario_list)
            code = list_scenarios();
        else if (*scenario_show)
            code = show_scenario(scenario.name);
        else if (*scenario_run)
            code = run_scenario(std::move(scenario));
        else if (*screenshot_command)
            code = take_screenshot(screenshot);
        else if (*do_command)
            code = do_action(by_hand);
        else if (!profile.action.empty())
            code = profile_command(profile);
        else if (*mcp_command)
            code = serve_mcp(std::move(served));
        else if (*watchdog_command)
            code = run_watchdog();
        else if (*calibrate_command)
            code = calibrate_model(calibrate);
        else if (*doctor_command)
            code = run_doctor(doctor);
        else if (*guard_test)
            code = test_guard(tested);
        else if (*guard_explain)
            code = explain_guard(explained);
        return static_cast<int>(code);
    } catch (const UsageError& error) {
        return complain(ExitCode::usage, error.what());
    } catch (const winio::Error& error) {
        const bool interrupted = error.code() == winio::errc::cancelled;
        return complain(interrupted ? ExitCode::interrupted : ExitCode::desktop, error.what());
    } catch (const vlm::Error& error) {
        const ExitCode code = error.code() == vlm::errc::bad_url     ? ExitCode::usage
                              : error.code() == vlm::errc::cancelled ? ExitCode::interrupted
                                                                     : ExitCode::endpoint;
        return complain(code, error.what());
    } catch (const agent::Error& error) {
        const bool mid_run = error.code() == agent::errc::journal_failed ||
                             error.code() == agent::errc::journal_corrupt ||
                             error.code() == agent::errc::bad_run;
        return complain(mid_run ? ExitCode::failed : ExitCode::usage, error.what());
    } catch (const std::exception& error) {
        return complain(ExitCode::failed, base::exception_text(error));
    }
}

} // namespace eyehand::cli
