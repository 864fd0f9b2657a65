// agent-cli run TASK
#include "acting_desktop.hpp"
#include "commands.hpp"

#include "calibrations.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/lmstudio_log.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/vlm/cassette.hpp"
#include "guard.hpp"
#include "participants.hpp"
#include "platform.hpp"
#include "secrets.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace eyehand::cli {
namespace {

std::string ask_for_task() {
    if (!input_is_terminal()) {
        throw UsageError("no task was given: write it as agent-cli run \"TASK\"");
    }
    print_to(stderr, "Task: ");
    return read_line();
}

// --- Settings by name ----------------------------------------------------------------------------

std::optional<std::string> value_of(const std::vector<agent::Setting>& settings,
                                    std::string_view name) {
    for (const agent::Setting& it : settings)
        if (it.name == name && !it.value.empty()) return it.value;
    return std::nullopt;
}

void put(std::vector<agent::Setting>& settings, const agent::Setting& setting) {
    for (agent::Setting& it : settings) {
        if (it.name != setting.name) continue;
        it = setting;
        return;
    }
    settings.push_back(setting);
}

void drop(std::vector<agent::Setting>& settings, std::string_view name) {
    std::erase_if(settings, [&](const agent::Setting& it) { return it.name == name; });
}

// --- A run and its surroundings ------------------------------------------------------------------

agent::RunDirectory create_directory(const RunSettings& settings) {
    try {
        return agent::RunDirectory::create(settings.run_dir);
    } catch (const agent::Error& error) {
        throw UsageError(fmt::format("{}; choose another folder with --run-dir", error.what()));
    }
}

/// Takes the flags of `run` or `resume`.
template <class Flags>
Detail detail(const Flags& flags) {
    if (flags.quiet) return Detail::quiet;
    return flags.verbose ? Detail::verbose : Detail::normal;
}

/// Calls `at_first` before it passes on the first event, which shows that the run has continued.
class FromFirstEvent final : public agent::Observer {
public:
    FromFirstEvent(agent::Observer& next, std::function<void()> at_first)
        : next_(next), at_first_(std::move(at_first)) {}
    void on_event(const agent::Event& event) override {
        if (at_first_) std::exchange(at_first_, nullptr)();
        next_.on_event(event);
    }
    void on_delta(const vlm::Delta& delta) override { next_.on_delta(delta); }
    void on_progress(const agent::ToolProgress& progress) override { next_.on_progress(progress); }
    void on_state(const agent::ModeState& state) override { next_.on_state(state); }

private:
    agent::Observer& next_;
    std::function<void()> at_first_;
};

/// The folders of LM Studio's log that the setting names; empty for "off".
std::vector<std::filesystem::path> server_logs(const std::string& setting) {
    if (setting == "off") return {};
    if (setting != "auto") return {path_of(setting)};
    const auto windows = text_variable("USERPROFILE");
    return agent::lmstudio_log_folders(
        path_of(windows ? *windows : text_variable("HOME").value_or(".")));
}

/// Reports a cassette that exists already, or cannot be read, as a mistake in the flags.
session::RunSession make_session(winio::Desktop& desktop, session::SessionOptions options) {
    try {
        return {desktop, std::move(options)};
    } catch (const vlm::CassetteError& error) {
        throw UsageError(error.what());
    }
}

/// Prints the remarks of a session.
std::function<void(const std::string&)> remarks_to_terminal(bool quiet) {
    return [quiet](const std::string& remark) {
        if (!quiet) print_to(stderr, "      " + printable(remark) + "\n");
    };
}

/// The built-in tools, the program tools and those of other servers; the latter two are offered in addition to the
/// profile's tools.
agent::Toolbox with_programs(const ProgramTools& programs, McpServers& servers,
                             agent::AgentOptions& options, bool verbose) {
    agent::Toolbox tools = agent::built_in_tools();
    programs.add_to(tools, options.guard);
    for (std::string& name : programs.names()) options.with.push_back(std::move(name));
    for (agent::Setting& setting : programs.settings())
        options.settings.push_back(std::move(setting));
    servers.connect(tools, options, verbose);
    for (agent::Setting& setting : servers.settings())
        options.settings.push_back(std::move(setting));
    return tools;
}

/// `config` has the guard of the run. A directory from another user cannot weaken the current one.
void add_guard(session::Config& config, const session::Config& current, const GuardFlags& flags) {
    // `--approve never`, the default, chooses no level.
    if (!flags.level.empty() || flags.approve == "always") {
        config.add(session::config_from_flag("guard", "--guard", "off"));
        config.add(session::config_from_flag("approve", "--approve", "never"));
        add_guard_flags(config, flags);
        return;
    }
    if (!flags.approve.empty())
        (void)session::config_from_flag("approve", "--approve", flags.approve); // may throw
    if (guard_level(current) <= guard_level(config)) return;
    for (session::ConfigEntry entry : current.entries())
        if (entry.setting->name == "guard" || entry.setting->name == "approve") {
            entry.layer = session::ConfigLayer::flag; // above the run's, also as a default
            config.add(std::move(entry));
        }
}

/// A resumed run redacts what the run redacted, and what the current settings redact. Only a flag
/// shows the own windows again.
void add_redaction(session::Config& config, const session::Config& current,
                   const RedactionFlags& flags) {
    std::vector<std::string> elements = current.list("redact");
    for (const std::string& element : flags.redact) elements.push_back(element);
    const bool own = current.boolean("redact_own_windows") && !flags.show_own_windows;
    add_redaction_flags(
        config, {.redact = std::move(elements), .show_own_windows = flags.show_own_windows});
    if (own)
        config.add(session::config_from_flag("redact_own_windows", "redact_own_windows", "true"));
}

/// The settings of the run, overridden by the flags for the area, and by the current settings for
/// the panel. The guard is at least as strict as in the run and in the current settings, unless a
/// flag sets it.
session::Config config_of_run(const ResumeFlags& flags, std::vector<agent::Setting>& kept) {
    // The user who resumes the run decides on access to the panel and on the key: the directory may
    // come from another user.
    constexpr std::array<std::string_view, 9> of_people{
        "panel",    "host",          "port",    "panel_cors", "panel_compat", "journal_key_file",
        "stop_key", "stop_gestures", "takeover"};
    const auto is_of_people = [&](std::string_view name) {
        return std::find(of_people.begin(), of_people.end(), name) != of_people.end();
    };
    for (const std::string_view name : of_people) drop(kept, name);
    session::Config config = session::default_config(setting_registry());
    config.add(session::config_from_settings(kept, "run.json", setting_registry()));
    const session::Config current = configuration(flags.server.config);
    for (const session::ConfigEntry& entry : current.entries())
        if (is_of_people(entry.setting->name)) config.add(entry);
    add_area_flags(config, flags.view);
    add_panel_flags(config, flags.panel);
    add_limit_flags(config, flags.limits);
    add_journal_flag(config, flags.journal_key_file);
    add_hand_flags(config, flags.hand);
    add_guard(config, current, flags.guard);
    add_redaction(config, current, flags.redaction);
    const std::vector<agent::Setting> now = session::effective_settings(config);
    for (const char* name :
         {"display", "window", "crop", "guard", "approve", "redact", "redact_own_windows",
          "max_time_ms", "max_total_tokens", "max_actions_per_minute", "max_run_mib"}) {
        drop(kept, name);
        for (const agent::Setting& setting : now)
            if (setting.name == name) put(kept, setting);
    }
    for (const agent::Setting& setting : now)
        if (is_of_people(setting.name)) put(kept, setting);
    return config;
}

/// The settings of the server for a resumed run: the run's endpoint and API, unless a flag names
/// another endpoint, and the other current settings. The query of the endpoint was not stored, because it may
/// contain keys; it is taken from the current settings if they name the same endpoint. The user's key
/// is sent only to the origin that the user configured: a run directory from another user must not
/// redirect it.
ServerSettings server_of_run(const EndpointFlags& flags, const std::vector<agent::Setting>& kept,
                             bool quiet) {
    const std::string configured = configured_endpoint(flags);
    const std::optional<std::string> stored = value_of(kept, "endpoint");
    const auto without_query = [](const std::string& url) { return url.substr(0, url.find('?')); };
    if (flags.endpoint || !stored) return server_settings(flags);
    const bool is_configured = without_query(configured) == *stored;
    std::vector<agent::Setting> of_run;
    for (const agent::Setting& it : kept)
        if ((it.name == "endpoint" && !it.value.empty() && !is_configured) ||
            (it.name == "api" && vlm::parse_api(it.value)))
            of_run.push_back(it);
    // Versions without the setting knew only chat completions.
    if (!value_of(kept, "api"))
        of_run.push_back({"api", std::string(to_string(vlm::Api::chat_completions)), "run.json"});
    ServerSettings server = server_settings(flags, of_run);
    if (!quiet && !is_configured && origin(*stored) != origin(configured))
        print_to(stderr,
                 printable(fmt::format(
                     "      the run's endpoint {} is used, which is not the configured one{}\n",
                     origin(*stored),
                     server.key_withheld ? "; no key is sent there: to send it, pass --endpoint URL"
                                         : "")));
    return server;
}

/// Updates the settings in run.json: removes the results of the earlier probe, which may be
/// outdated, except the number of screenshots that the profile was adapted to.
void bring_up_to_date(std::vector<agent::Setting>& kept, const ServerSettings& server) {
    std::erase_if(kept, [](const agent::Setting& it) {
        return it.source == "probe" && it.name != "drop_screenshots";
    });
    for (const std::string& name : server_setting_names()) drop(kept, name);
    for (const agent::Setting& setting : server.settings) put(kept, setting);
}

} // namespace

CompletedRun carry_out(const RunFlags& flags, RunSettings& settings, winio::Desktop& desktop) {
    TerminalView view(
        {.detail = detail(flags), .json = flags.json, .terminal = errors_go_to_terminal()},
        settings.profile);
    settings.client.on_retry = [&](const vlm::Attempt& attempt) { view.on_retry(attempt); };
    Participants participants({settings.panel, flags.guard.asks_no_user(),
                               settings.agent.guard.level(), detail(flags), flags.json,
                               settings.hand});
    settings.agent.approvals = participants.approvals();
    const agent::Toolbox tools =
        with_programs(settings.programs, settings.servers, settings.agent, flags.verbose);
    session::RunSession session =
        make_session(desktop, {.profile = settings.profile,
                               .model = settings.model,
                               .client = settings.client,
                               .agent = settings.agent,
                               .tools = tools,
                               .probe = settings.probe,
                               .fit_context = settings.batch_of_profile,
                               .choose_watch = settings.choose_watch,
                               .calibrations = settings.calibrations,
                               .cassette = {.record = path_of(flags.cassette.record),
                                            .replay = path_of(flags.cassette.replay),
                                            .strict = flags.cassette.strict},
                               .server_logs = server_logs(settings.lmstudio_logs),
                               .control = participants.control(),
                               .on_remark = remarks_to_terminal(flags.quiet)});
    // Created last, so that a mistake in the settings does not leave an empty directory.
    agent::RunDirectory directory = create_directory(settings);
    agent::RunFinished finished = participants.follow(
        directory, session.profile(), settings.agent.annotation, view, desktop,
        [&](std::span<agent::Observer* const> observers) {
            return session.run(flags.task + settings.agent.secrets.instructions(), directory,
                               observers);
        });
    return {std::move(finished), directory.path()};
}

ExitCode run_task(RunFlags flags) {
    if (flags.task.empty()) flags.task = ask_for_task();
    if (flags.task.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw UsageError("the task is empty: describe what the agent must do");
    }
    RunSettings settings = resolve(flags); // reports mistakes before a desktop is opened
    const auto desktop = open_acting_desktop();
    return exit_code(carry_out(flags, settings, *desktop).finished.outcome);
}

namespace {

/// Screenshots get the size of the new convention.
void change_coordinates(const std::string& word, agent::Profile& profile) {
    const auto words = agent::coordinate_words();
    if (std::ranges::find(words, word) == words.end())
        throw UsageError(fmt::format("--coordinates is \"{}\"; allowed values: {}", word,
                                     fmt::join(words, ", ")));
    profile.coordinates = agent::parse_coordinate_convention(word);
    profile.correction.reset();
    if (const auto* exact = std::get_if<winio::ExactSize>(&profile.image))
        profile.image = winio::FitWithin{exact->size};
}

/// Sets `began` when the run has continued.
agent::RunFinished go_on(const ResumeFlags& flags, bool& began) {
    const std::filesystem::path path = path_of(flags.directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is not a run directory: it contains no run.json", flags.directory));
    const agent::StoredRun stored = agent::load_run(path);
    std::vector<agent::Setting> kept = stored.summary.settings;
    agent::Profile profile = stored.summary.profile;
    std::vector<std::string> remarks = session::differences(stored);
    if (flags.max_turns) {
        remarks.push_back(fmt::format("max_turns is {} now", *flags.max_turns));
        profile.max_turns = *flags.max_turns;
        put(kept, {"max_turns", fmt::format("{}", *flags.max_turns), "--max-turns"});
    }
    if (flags.server.model && *flags.server.model != profile.model) {
        remarks.push_back(fmt::format("the model is {} now", *flags.server.model));
        profile.model = *flags.server.model;
        put(kept, {"model", *flags.server.model, "--model"});
    }
    if (!flags.coordinates.empty()) {
        change_coordinates(flags.coordinates, profile);
        remarks.push_back(fmt::format("coordinates is {} now", flags.coordinates));
        put(kept, {"coordinates", flags.coordinates, "--coordinates"});
    }
    if (value_of(kept, "guard_rules") && flags.guard.rule_files().empty() &&
        flags.guard.level.empty())
        throw UsageError(fmt::format("this run has rules for the guard; name their files with "
                                     "--guard-rules ({}), or a level with --guard",
                                     *value_of(kept, "guard_rules")));
    drop(kept, "guard_rules");
    put_rules(kept, flags.guard);
    McpServers servers(configuration(flags.server.config), flags.mcp);
    const ProgramTools programs(flags.tools,
                                [&](const std::string& tool) { return servers.may_have(tool); });
    const agent::Secrets secrets = read_secrets(flags.secrets);
    if (secrets.empty() && value_of(kept, "secrets"))
        throw UsageError("this run types secrets: name their file with --secrets");
    drop(kept, "secrets");
    put_secrets(kept, secrets);
    // Cassettes of the earlier part are not continued.
    for (const char* name : {"program_tools", "allowed_tools", "mcp_servers", "record", "replay"})
        drop(kept, name);
    ServerSettings server = server_of_run(flags.server, kept, flags.quiet);
    if (flags.no_probe) {
        server.probe = false;
        put(server.settings, {"probe", "false", "--no-probe"});
    }
    bring_up_to_date(kept, server);
    const session::Config config = config_of_run(flags, kept);
    agent::AgentOptions options = agent_options(config);
    const agent::GuardLevel level = guard_level(config);
    options.settings = kept;
    options.screenshot_names = session::screenshot_names(config, profile);
    options.guard = make_guard(level, flags.guard);
    options.secrets = secrets;
    Participants participants({panel_options(config), flags.guard.asks_no_user(), level,
                               detail(flags), flags.json, hand_settings(config)});
    options.approvals = participants.approvals();
    const agent::Toolbox tools = with_programs(programs, servers, options, flags.verbose);
    const auto desktop = open_acting_desktop();
    agent::RunDirectory directory = agent::RunDirectory::open(path);
    TerminalView terminal(
        {.detail = detail(flags), .json = flags.json, .terminal = errors_go_to_terminal()},
        profile);
    server.client.on_retry = [&](const vlm::Attempt& attempt) { terminal.on_retry(attempt); };
    FromFirstEvent view(terminal, [&] { began = true; });
    // Without the flag, the run keeps the numbers that it began with.
    std::filesystem::path calibrations;
    if (!flags.coordinates.empty()) calibrations = calibrations_of_run(config);
    session::RunSession session =
        make_session(*desktop, {.profile = profile,
                                .model = profile.model,
                                .client = server.client,
                                .agent = options,
                                .tools = tools,
                                .probe = server.probe,
                                // The mode must restore its state, which depends on the limits that
                                // it started with.
                                .fit_context = false,
                                .choose_watch = !config.text("watch"),
                                .calibrations = calibrations,
                                .cassette = {.record = path_of(flags.record)},
                                .server_logs = server_logs(*config.text("lmstudio_logs")),
                                .control = participants.control(),
                                .on_remark = remarks_to_terminal(flags.quiet)});
    return participants.follow(directory, profile, options.annotation, view, *desktop,
                               [&](std::span<agent::Observer* const> observers) {
                                   return session.resume(directory, observers, remarks);
                               });
}

} // namespace

ExitCode resume_run(const ResumeFlags& flags) {
    bool began = false;
    try {
        return exit_code(go_on(flags, began).outcome);
    } catch (const agent::Error& error) {
        if (began) throw;
        throw UsageError(error.what()); // the run in this directory cannot be resumed
    }
}

} // namespace eyehand::cli
