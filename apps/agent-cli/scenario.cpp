// agent-cli scenario list|show|run
#include "acting_desktop.hpp"
#include "commands.hpp"

#include "environment.hpp"
#include "eyehand/agent/json_view.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/session/scenario.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

std::string line_of(const session::CheckResult& result, bool json) {
    if (json)
        return fmt::format(R"({{"type":"check","what":{},"holds":{},"why":{}}})",
                           agent::json_quote(result.what), result.holds,
                           agent::json_quote(result.reason));
    if (result.holds) return "pass  " + one_line(result.what);
    return fmt::format("FAIL  {}: {}", one_line(result.what), one_line(result.reason));
}

} // namespace

ExitCode list_scenarios() {
    std::string all;
    for (const session::Scenario& scenario : session::scenarios()) {
        const std::string number =
            scenario.number == 0 ? "" : fmt::format("{}:{}", scenario.profile, scenario.number);
        all += fmt::format("{:<18} {:<11} {}\n", scenario.name, number, scenario.description);
    }
    print_to(stdout, all);
    return ExitCode::completed;
}

ExitCode show_scenario(const std::string& name) {
    print_to(stdout, session::to_json(session::load_scenario(name)));
    return ExitCode::completed;
}

ExitCode run_scenario(ScenarioFlags flags) {
    const session::Scenario scenario = session::load_scenario(flags.name);
    flags.run.task = scenario.task;
    RunSettings settings = resolve(flags.run, session::config_of(scenario));
    const auto desktop = open_acting_desktop();
    const auto since = std::filesystem::file_time_type::clock::now();
    session::set_up(scenario, *desktop);
    const CompletedRun completed_run = carry_out(flags.run, settings, *desktop);

    const agent::RunView run = agent::read_run(completed_run.directory);
    const std::vector<session::CheckResult> results = session::check(
        scenario, *desktop, {.since = since, .variable = text_variable, .run = &run});
    for (const session::CheckResult& result : results)
        print_to(stdout, line_of(result, flags.run.json) + "\n");
    const bool all_hold =
        std::all_of(results.begin(), results.end(), [](const auto& one) { return one.holds; });
    const bool completed = completed_run.finished.outcome == agent::Outcome::completed;
    return completed && all_hold ? ExitCode::completed : ExitCode::failed;
}

} // namespace eyehand::cli
