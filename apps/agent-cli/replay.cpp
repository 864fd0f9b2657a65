// agent-cli replay RUN
#include "eyehand/agent/replay.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "guard.hpp"
#include "platform.hpp"
#include "secrets.hpp"
#include "terminal_view.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace eyehand::cli {
namespace {

namespace json = boost::json;

const agent::Setting* find(const std::vector<agent::Setting>& settings, std::string_view name) {
    const auto found = std::ranges::find(settings, name, &agent::Setting::name);
    return found == settings.end() || found->value.empty() ? nullptr : &*found;
}

/// The run's settings for the area, the tools and the guard. Nothing else in the run directory, which
/// may come from another user, has an effect.
session::Config config_of_run(const std::vector<agent::Setting>& stored, const ReplayFlags& flags) {
    constexpr std::array<std::string_view, 8> used{
        "display",           "window",          "crop", "with", "guard", "approve",
        "screenshot_prefix", "screenshot_start"};
    std::vector<agent::Setting> kept;
    for (const agent::Setting& setting : stored)
        if (std::ranges::find(used, setting.name) != used.end()) kept.push_back(setting);
    session::Config config = session::default_config(setting_registry());
    config.add(session::config_from_settings(kept, "run.json", setting_registry()));
    add_journal_flag(config, flags.journal_key_file);
    add_guard_flags(config, flags.guard);
    return config;
}

/// Those of runs and of MCP sessions.
agent::ModeRegistry all_modes() {
    agent::ModeRegistry modes = agent::ModeRegistry::built_in();
    modes.add(mcp::session_mode());
    return modes;
}

agent::ReplayOptions options_of(const agent::StoredRun& stored, const ReplayFlags& flags) {
    const std::vector<agent::Setting>& settings = stored.summary.settings;
    if (const auto* rules = find(settings, "guard_rules");
        rules != nullptr && flags.guard.rules.empty() && flags.guard.level.empty())
        throw UsageError(fmt::format("this run has rules for the guard; name their files with "
                                     "--guard-rules ({}), or a level with --guard",
                                     rules->value));
    const agent::Secrets secrets = read_secrets(flags.secrets);
    if (secrets.empty() && find(settings, "secrets") != nullptr)
        throw UsageError("this run types secrets: name their file with --secrets");
    const session::Config config = config_of_run(settings, flags);
    agent::ReplayOptions options{.tools = mcp::session_tools(), .agent = {}, .modes = all_modes()};
    options.agent = agent_options(config);
    options.agent.guard = make_guard(guard_level(config), flags.guard);
    options.agent.secrets = secrets;
    options.agent.screenshot_names = session::screenshot_names(config, stored.summary.profile);
    const ProgramTools programs(flags.tools);
    programs.add_to(options.tools, options.agent.guard);
    for (std::string& name : programs.names()) options.agent.with.push_back(std::move(name));
    return options;
}

std::string json_of(const agent::ReplayReport& report) {
    const auto texts = [](const std::vector<std::string>& all) {
        return json::array(all.begin(), all.end());
    };
    json::array differences;
    for (const agent::ReplayDifference& it : report.differences)
        differences.push_back(json::object{{"turn", it.turn},
                                           {"subject", it.subject},
                                           {"recorded", texts(it.recorded)},
                                           {"replayed", texts(it.replayed)}});
    return json::serialize(json::object{{"identical", report.identical()},
                                        {"commands", report.commands},
                                        {"results", report.results},
                                        {"inputs", report.inputs},
                                        {"replies", report.replies},
                                        {"differences", std::move(differences)},
                                        {"not_compared", texts(report.not_compared)}}) +
           "\n";
}

} // namespace

ExitCode replay_run(const ReplayFlags& flags) {
    agent::ReplayReport report;
    try {
        const auto directory = agent::RunDirectory::open(path_of(flags.directory));
        report = agent::replay_run(directory,
                                   options_of(agent::load_run(directory, all_modes()), flags));
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    print_to(stdout, flags.json ? json_of(report) : printable(agent::to_text(report)));
    return report.identical() ? ExitCode::completed : ExitCode::failed;
}

} // namespace eyehand::cli
