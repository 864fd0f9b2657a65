// A scenario: a named task, the steps that prepare it, and the checks that verify its result.
//
//     const session::Scenario scenario = session::load_scenario("notepad-save");
//     session::set_up(scenario, *desktop);
//     ... run scenario.task ...
//     for (const session::CheckResult& result : session::check(scenario, *desktop)) ...
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_view.hpp"
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

/// A preparation for the task: starts a program, or waits for a window.
struct ScenarioStep {
    std::string launch{};          ///< a command; empty: this step waits
    std::string wait_for_window{}; ///< a part of the title
    std::chrono::milliseconds timeout{20000};
};

enum class CheckKind {
    file_exists,     ///< the file `subject` exists
    file_contains,   ///< the file contains `text`
    file_equals,     ///< `text` is the whole content
    window_title,    ///< `subject` is a part of a window's title
    clipboard,       ///< the text of the clipboard is `text`
    registry,        ///< the value `value` of the key `subject` is `text` (Windows only)
    process_running, ///< a program with the file name `subject` is running
    pointer_in,      ///< the pointer is in `box` of the primary display
    called,          ///< the run called one of `tools` successfully, at least `times`; the texts of
                     ///< these calls together contain `text`
};

/// A condition for the result. Comparisons ignore the byte order mark and the kind of line breaks.
/// Files may be UTF-8, or UTF-16 with a byte order mark.
struct ScenarioCheck {
    CheckKind kind = CheckKind::file_exists;
    std::string subject{}; ///< in a path, ${NAME} stands for an environment variable
    std::string value{};
    std::string text{};
    winio::NormBox box{};
    std::vector<std::string> tools{}; ///< by their registered names
    int times = 1;
};

struct Scenario {
    std::string name;
    std::string description;
    std::string profile = "observer";
    int number = 0; ///< "basic:2" names number 2 of the profile basic; 0: no number
    std::string task;
    std::optional<int> max_turns; ///< not set: the limit of the profile
    std::vector<ScenarioStep> setup;
    std::vector<ScenarioCheck> checks;
};

/// Parses a scenario's JSON. Throws agent::Error{bad_scenario}; the message contains `where`, the
/// member and the reason. Unknown members are errors, too: a misspelled check must not pass.
[[nodiscard]] EYEHAND_SESSION_API Scenario parse_scenario(std::string_view text,
                                                          const std::string& where);
/// The built-in scenarios: first the numbered ones by profile and number, then the others by name.
[[nodiscard]] EYEHAND_SESSION_API std::vector<Scenario> scenarios();
/// A built-in scenario by name ("notepad-save") or number ("basic:2"), or a file. Throws
/// agent::Error{scenario_not_found}, whose message lists the built-in scenarios, and
/// agent::Error{bad_scenario}.
[[nodiscard]] EYEHAND_SESSION_API Scenario load_scenario(const std::string& name_or_file);
/// The scenario as JSON that `parse_scenario` reads.
[[nodiscard]] EYEHAND_SESSION_API std::string to_json(const Scenario& scenario);
/// The scenario's profile and limits, as settings.
[[nodiscard]] EYEHAND_SESSION_API std::vector<ConfigEntry> config_of(const Scenario& scenario);

/// Executes the steps of `setup`. Throws winio::Error if a program does not start, a window does
/// not appear in time, or the desktop cannot list windows.
EYEHAND_SESSION_API void set_up(const Scenario& scenario, winio::Desktop& desktop,
                                const std::stop_token& stop = {});

struct CheckOptions {
    /// Checks of files that were last written before this time fail: the run did not write them.
    std::optional<std::filesystem::file_time_type> since{};
    /// Returns the values of variables in paths; not set: no variable has a value.
    std::function<std::optional<std::string>(const std::string& name)> variable{};
    /// The run, for checks of its calls; they fail without it. Must outlive the call.
    const agent::RunView* run = nullptr;
};

struct CheckResult {
    std::string what{}; ///< "the file C:/note.txt contains \"hello\""
    bool holds = false;
    std::string reason{}; ///< why it does not hold
};

/// Evaluates the checks of a scenario. A check that cannot be evaluated (the registry on other
/// systems than Windows, an unreadable file) does not hold, and its reason names the cause; it does
/// not throw.
[[nodiscard]] EYEHAND_SESSION_API std::vector<CheckResult>
check(const Scenario& scenario, winio::Desktop& desktop, const CheckOptions& options = {});

} // namespace eyehand::session
