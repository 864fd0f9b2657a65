// The program's commands. Each returns the exit status, and throws UsageError, winio::Error,
// vlm::Error or agent::Error for `run_program` to explain.
#pragma once

#include "exit_code.hpp"
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

/// One action by hand. Which of the members count depends on the action.
struct DoFlags {
    std::string action; ///< "click", "type", ...: the subcommand's name
    ViewFlags view;
    winio::NormPoint at;
    std::vector<double> corners; ///< of a drag: x and y by turns, 0 to 1000
    std::string text;            ///< to type or paste; a chord, a window's title, a command
    int notches = 0;
    bool horizontal = false;
    double wait = 0; ///< seconds for a window to come up
    bool json = false;
};

struct ProfileFlags {
    std::string action; ///< "list", "show", "export"
    std::string name;   ///< a built-in profile or a folder
    std::string folder; ///< to export to
};

struct ResumeFlags {
    std::string directory;
    EndpointFlags server;
    ViewFlags view; ///< of it only the area
    std::optional<int> max_turns;
    ProgramToolFlags tools;
    std::string approve; ///< empty: not given
    PanelFlags panel;
    std::string record; ///< empty: not given
    bool no_probe = false;
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

struct PanelCommandFlags {
    std::string directory; ///< of the run; empty: the latest one
    std::string run_dir;   ///< in which it is looked for; empty: not given
    PanelFlags panel;
    std::optional<std::string> config;
};

struct DoctorFlags {
    EndpointFlags server;
    bool ask = false; ///< tries out what the server does not tell
};

/// Which scenario, and how it is run.
struct ScenarioFlags {
    std::string name; ///< or file
    RunFlags run;
};

/// Runs `flags.task`, and tells what happens on the terminal.
[[nodiscard]] agent::RunFinished carry_out(const RunFlags& flags, RunSettings& settings,
                                           winio::Desktop& desktop);

[[nodiscard]] ExitCode run_task(RunFlags flags);
[[nodiscard]] ExitCode resume_run(const ResumeFlags& flags);
[[nodiscard]] ExitCode show_run(const PanelCommandFlags& flags);
/// Writes the report of a run's directory anew and prints its path.
[[nodiscard]] ExitCode report_run(const std::string& directory);
[[nodiscard]] ExitCode ask_model(const AskFlags& flags);
[[nodiscard]] ExitCode print_config(const RunFlags& flags);
[[nodiscard]] ExitCode list_scenarios();
[[nodiscard]] ExitCode show_scenario(const std::string& name);
[[nodiscard]] ExitCode run_scenario(ScenarioFlags flags);
[[nodiscard]] ExitCode take_screenshot(const ScreenshotFlags& flags);
[[nodiscard]] ExitCode do_action(const DoFlags& flags);
[[nodiscard]] ExitCode profile_command(const ProfileFlags& flags);
/// A built-in profile or a folder's, with tools that this program has.
[[nodiscard]] agent::Profile load_checked_profile(const std::string& name_or_folder);
[[nodiscard]] ExitCode run_doctor(const DoctorFlags& flags);

/// Parses the arguments (UTF-8, without the program's name) and runs the command they name.
[[nodiscard]] int run_program(std::vector<std::string> arguments);

} // namespace eyehand::cli
