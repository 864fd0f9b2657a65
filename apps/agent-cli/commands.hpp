// The program's commands. Each returns the exit status, and throws UsageError, winio::Error,
// vlm::Error or agent::Error that `run_program` reports.
#pragma once

#include "exit_code.hpp"
#include "eyehand/winio/desktop.hpp"
#include "settings.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace eyehand::cli {

struct ScreenshotFlags {
    std::string file;
    ViewFlags view;
};

struct AskFlags {
    std::string text; ///< "-": standard input
    EndpointFlags server;
    std::vector<std::string> images; ///< files
    std::optional<std::string> system;
    std::optional<int> max_tokens;
    std::optional<double> temperature;
    bool stream = false;
    bool json = false;
    bool verbose = false;
};

/// A single action. The action determines which members are used.
struct DoFlags {
    std::string action; ///< "click", "type", ...: the subcommand's name
    ViewFlags view;
    winio::NormPoint at;
    std::vector<double> corners; ///< of a drag: x and y alternate, 0 to 1000
    std::string text;            ///< to type or paste; a chord, a window's title, a command
    int notches = 0;
    bool horizontal = false;
    double wait = 0;    ///< maximum seconds until the window appears
    GuardFlags guard{}; ///< level: empty or "off"
    bool json = false;
};

/// An action for `guard test`.
struct GuardTestFlags {
    std::string effect;
    std::string text; ///< to type or paste; a chord, a command, or the label of a target
    std::string tool;
    std::string provenance; ///< empty: a call of the model
    std::string process;
    std::string window_class;
    std::string title;
    bool elevated = false; ///< the window's program has more rights than this one
    GuardFlags guard;
};

struct ProfileFlags {
    std::string action; ///< "list", "show", "export"
    std::string name;   ///< a built-in profile or a folder
    std::string folder; ///< to export to
};

struct ResumeFlags {
    std::string directory;
    EndpointFlags server;
    ViewFlags view; ///< only the area is used
    std::optional<int> max_turns;
    LimitFlags limits;
    std::string journal_key_file; ///< empty: not given
    HandFlags hand;
    ProgramToolFlags tools;
    McpServerFlags mcp;
    GuardFlags guard;
    RedactionFlags redaction;
    std::string secrets;     ///< file; empty: not given
    std::string coordinates; ///< empty: not given
    PanelFlags panel;
    std::string record; ///< empty: not given
    bool no_probe = false;
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

struct PanelCommandFlags {
    std::string directory; ///< of the run; empty: the latest run
    std::string run_dir;   ///< where the latest run is looked up; empty: not given
    PanelFlags panel;
    std::optional<std::string> config;
};

struct StopFlags {
    std::string directory; ///< of the run; empty: the latest run in progress
    std::string run_dir;   ///< where it is looked up; empty: not given
    bool now = false;      ///< an action that has started is interrupted
    std::optional<std::string> config;
};

struct VerifyFlags {
    std::string directory;        ///< of the run
    std::string journal_key_file; ///< empty: not given
    std::optional<std::string> config;
};

struct ReplayFlags {
    std::string directory; ///< of the run
    GuardFlags guard;
    ProgramToolFlags tools;
    std::string secrets;          ///< file; empty: not given
    std::string journal_key_file; ///< empty: not given
    bool json = false;
};

struct TrustFlags {
    std::string file = "eyehand.json"; ///< with settings
    bool list = false;
    bool revoke = false;
};

struct CalibrateFlags {
    EndpointFlags server;
    std::string profile;     ///< empty: not given
    std::string dialect;     ///< the same
    std::string coordinates; ///< the same
    ImageFormatFlags image_format;
    std::optional<int> requests;
    bool refine = false;
    std::string image_out; ///< file; empty: no image is written
    bool json = false;
};

struct DoctorFlags {
    EndpointFlags server;
    McpServerFlags mcp;
    bool ask = false; ///< tests what the server does not report
};

struct McpFlags {
    RunFlags run;            ///< settings of the sessions, and of run_task
    std::optional<int> http; ///< port; not given: standard input and output
    std::string token_file;  ///< empty: not given
    bool without_token = false;
    bool allow_run_task = false;
    std::string print_config;           ///< a client; empty: not given
    std::vector<std::string> arguments; ///< of the program, without --print-config
};

/// Which scenario, and how it is run.
struct ScenarioFlags {
    std::string name; ///< a name, a number such as "basic:2", or a file
    RunFlags run;
};

struct CompletedRun {
    agent::RunFinished finished;
    std::filesystem::path directory;
};
/// Runs `flags.task` and reports the progress on the terminal.
[[nodiscard]] CompletedRun carry_out(const RunFlags& flags, RunSettings& settings,
                                     winio::Desktop& desktop);

[[nodiscard]] ExitCode run_task(RunFlags flags);
[[nodiscard]] ExitCode resume_run(const ResumeFlags& flags);
/// Stops a run of another process, and waits until it has ended.
[[nodiscard]] ExitCode stop_run(const StopFlags& flags);
[[nodiscard]] ExitCode show_run(const PanelCommandFlags& flags);
/// Prints a script of `agent-cli do` commands that repeats a run.
[[nodiscard]] ExitCode export_run(const std::string& directory);
/// Finds what was changed in a run directory.
[[nodiscard]] ExitCode verify_run(const VerifyFlags& flags);
/// Replays a run directory without a desktop and prints the differences.
[[nodiscard]] ExitCode replay_run(const ReplayFlags& flags);
/// Writes the report of a run directory again and prints its path.
[[nodiscard]] ExitCode report_run(const std::string& directory);
/// Prints how the guard decides on an action, and by which rule.
ExitCode test_guard(const GuardTestFlags& flags);
/// Prints the guard's decisions in a run.
ExitCode explain_guard(const std::string& directory);
[[nodiscard]] ExitCode ask_model(const AskFlags& flags);
[[nodiscard]] ExitCode print_config(const RunFlags& flags);
/// Measures how the model states positions, and stores the result for runs.
[[nodiscard]] ExitCode calibrate_model(const CalibrateFlags& flags);
/// Pins a file with settings, or ends the trust in it, or lists the trusted files.
[[nodiscard]] ExitCode trust_file(const TrustFlags& flags);
[[nodiscard]] ExitCode list_scenarios();
[[nodiscard]] ExitCode show_scenario(const std::string& name);
[[nodiscard]] ExitCode run_scenario(ScenarioFlags flags);
[[nodiscard]] ExitCode take_screenshot(const ScreenshotFlags& flags);
/// Serves the desktop to clients of the Model Context Protocol, until standard input ends or the user
/// interrupts it.
[[nodiscard]] ExitCode serve_mcp(McpFlags flags);
/// Serves as the watchdog of the program that started this one.
ExitCode run_watchdog();
[[nodiscard]] ExitCode do_action(const DoFlags& flags);
/// The same on a desktop that is open; `flags` must be valid.
[[nodiscard]] ExitCode do_action(const DoFlags& flags, const winio::AreaChoice& choice,
                                 winio::Desktop& desktop);
[[nodiscard]] ExitCode profile_command(const ProfileFlags& flags);
/// Loads a built-in profile or a profile folder. Throws if it names a tool that this program does
/// not have.
[[nodiscard]] agent::Profile load_checked_profile(const std::string& name_or_folder);
[[nodiscard]] ExitCode run_doctor(const DoctorFlags& flags);

/// Parses the arguments (UTF-8, without the program's name) and runs the command they name.
[[nodiscard]] int run_program(std::vector<std::string> arguments);

} // namespace eyehand::cli
