// A scenario: a task by name, what has to be there before it, and how to see that it was done.
//
//     const session::Scenario scenario = session::load_scenario("notepad-save");
//     session::set_up(scenario, *desktop);
//     ... run scenario.task ...
//     for (const session::CheckResult& result : session::check(scenario, *desktop)) ...
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/export.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::session {

/// What is done before the task: something is started, or a window is waited for.
struct ScenarioStep {
    std::string launch{};          ///< a command; empty: this step waits
    std::string wait_for_window{}; ///< a part of its title
    std::chrono::milliseconds at_most{20000};
};

enum class CheckKind {
    file_exists,     ///< `subject` is a path
    file_contains,   ///< `text` is somewhere in it
    file_equals,     ///< `text` is all of it
    window_title,    ///< `subject` is a part of some window's title
    clipboard,       ///< `text` is on it
    registry,        ///< value `value` of the key `subject` is `text` (Windows only)
    process_running, ///< `subject` is a program's file name
    pointer_in,      ///< the pointer is in `box` of the primary display
};

/// One thing that has to hold. Texts are compared without a byte order mark, and line breaks of all
/// kinds are alike; files may be UTF-8, or UTF-16 with a byte order mark.
struct ScenarioCheck {
    CheckKind kind = CheckKind::file_exists;
    std::string subject{}; ///< in paths, ${NAME} is a variable
    std::string value{};
    std::string text{};
    winio::NormBox box{};
};

struct Scenario {
    std::string name;
    std::string description;
    std::string profile = "observer";
    int number = 0; ///< "basic:2" is the one of the profile basic with the number 2; 0: none
    std::string task;
    std::optional<int> max_turns; ///< not set: the profile's
    std::vector<ScenarioStep> setup;
    std::vector<ScenarioCheck> checks;
};

/// Parses a scenario's JSON. Throws agent::Error{bad_scenario} naming `where`, the member and the reason;
/// unknown members are errors, too: a check that is misspelt must not count as one that holds.
[[nodiscard]] EYEHAND_SESSION_API Scenario parse_scenario(std::string_view text,
                                                          const std::string& where);
/// The built-in ones: those of profiles by their numbers, then the others by name.
[[nodiscard]] EYEHAND_SESSION_API std::vector<Scenario> scenarios();
/// A built-in scenario by name ("notepad-save") or number ("basic:2"), or a file. Throws
/// agent::Error{scenario_not_found} (naming those there are) and agent::Error{bad_scenario}.
[[nodiscard]] EYEHAND_SESSION_API Scenario load_scenario(const std::string& name_or_file);
/// As JSON that `parse_scenario` reads.
[[nodiscard]] EYEHAND_SESSION_API std::string to_json(const Scenario& scenario);
/// Its profile and limits, as settings.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry> config_of(const Scenario& scenario);

/// Carries out the steps of `setup`. Throws winio::Error when a program does not start, or a window
/// does not come up in time.
EYEHAND_SESSION_API void set_up(const Scenario& scenario, winio::Desktop& desktop,
                                const std::stop_token& stop = {});

struct CheckOptions {
    /// A file that was last written before has not been made by the run: the check fails.
    std::optional<std::filesystem::file_time_type> since{};
    /// The values of variables in paths; not set: there are none.
    std::function<std::optional<std::string>(const std::string& name)> variable{};
};

struct CheckResult {
    std::string what{}; ///< "file C:/note.txt contains \"hello\""
    bool holds = false;
    std::string reason{}; ///< it does not
};

/// Looks whether what the scenario expects holds. What cannot be looked at (the registry elsewhere
/// than on Windows, a file that cannot be read) does not hold, and says so; never throws for it.
[[nodiscard]] EYEHAND_SESSION_API std::vector<CheckResult>
check(const Scenario& scenario, winio::Desktop& desktop, const CheckOptions& options = {});

} // namespace eyehand::session
