// agent-cli run TASK
#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/http_log.hpp"
#include "eyehand/agent/lmstudio_log.hpp"
#include "eyehand/winio/error.hpp"
#include "platform.hpp"
#include "seat.hpp"
#include "server_facts.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace eyehand::cli {
namespace {

std::string ask_for_task() {
    if (!input_is_terminal()) {
        throw UsageError("no task was given: agent-cli run \"what is to be done\"");
    }
    print_to(stderr, "What is to be done? ");
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

/// Calls `at_first` before it passes on the first event: from then on the run's directory is ours.
class FromFirstEvent final : public agent::Observer {
public:
    FromFirstEvent(agent::Observer& next, std::function<void()> at_first)
        : next_(next), at_first_(std::move(at_first)) {}
    void on_event(const agent::Event& event) override {
        if (at_first_) std::exchange(at_first_, nullptr)();
        next_.on_event(event);
    }
    void on_delta(const vlm::Delta& delta) override { next_.on_delta(delta); }
    void on_state(const agent::ModeState& state) override { next_.on_state(state); }

private:
    agent::Observer& next_;
    std::function<void()> at_first_;
};

/// Asks the server what it can, and sets the client accordingly.
std::optional<vlm::ServerInfo> heed_server(vlm::ClientOptions& client, const std::string& model,
                                           std::vector<agent::Setting>& settings, bool quiet) {
    std::optional<vlm::ServerInfo> server = ask_server(client, model);
    if (!server) return server;
    client = vlm::apply_capabilities(std::move(client), *server);
    for (const agent::Setting& setting : settings_of(*server)) put(settings, setting);
    if (server->model.images == vlm::Support::no && !quiet)
        print_to(stderr, printable(fmt::format("      {} says that {} does not see images: load a "
                                               "vision model\n",
                                               vlm::to_string(server->kind), server->model.id)));
    return server;
}

/// The size of what will be seen; nothing while it is not there.
std::optional<winio::Size> screen_size(winio::Desktop& desktop, const winio::AreaChoice& area) {
    try {
        const winio::Rect bounds = winio::choose_area(desktop, area).bounds();
        return winio::Size{bounds.width, bounds.height};
    } catch (const winio::Error&) {
        return std::nullopt; // the run's first screenshot tells why
    } catch (const std::invalid_argument&) {
        return std::nullopt; // a crop without a pixel: so does this
    }
}

/// As many screenshots as the model's context has room for.
void fit_to_context(const vlm::ServerInfo& server, winio::Desktop& desktop, RunSettings& settings) {
    if (!settings.batch_of_profile) return;
    const auto screen = screen_size(desktop, settings.agent.area);
    if (!screen) return;
    if (!fit_profile(server, *screen, settings.profile)) return;
    put(settings.agent.settings,
        {"drop_screenshots", fmt::format("{}", settings.profile.screenshots.batch), "probe"});
}

agent::RunDirectory create_directory(const RunSettings& settings) {
    try {
        return agent::RunDirectory::create(settings.run_dir);
    } catch (const agent::Error& error) {
        throw UsageError(fmt::format("{}; choose another folder with --run-dir", error.what()));
    }
}

/// Of the flags of `run` or `resume`.
template <class Flags>
Detail detail(const Flags& flags) {
    if (flags.quiet) return Detail::quiet;
    return flags.verbose ? Detail::verbose : Detail::normal;
}

/// What LM Studio's server logs during a run, where the settings want it.
class ServerLog {
public:
    ServerLog(const std::string& setting, bool quiet) : quiet_(quiet) {
        if (setting == "off") return;
        log_.emplace(setting == "auto" ? agent::lmstudio_log_folders(home())
                                       : std::vector{path_of(setting)});
    }
    void save(const agent::RunDirectory& directory) {
        if (!log_) return;
        const agent::LmStudioLog::Saved saved = log_->save(directory.path());
        log_.reset();
        if (!saved.note.empty() && !quiet_) print_to(stderr, printable(saved.note) + "\n");
    }

private:
    static std::filesystem::path home() {
        const auto windows = text_variable("USERPROFILE");
        return path_of(windows ? *windows : text_variable("HOME").value_or("."));
    }
    std::optional<agent::LmStudioLog> log_;
    bool quiet_ = false;
};

/// Runs `go`, and keeps what LM Studio's server logged meanwhile, however it ends.
agent::RunFinished logged(const std::string& setting, const agent::RunDirectory& directory,
                          bool quiet, const std::function<agent::RunFinished()>& go) {
    ServerLog log(setting, quiet);
    try {
        agent::RunFinished result = go();
        log.save(directory);
        return result;
    } catch (const agent::Error& error) {
        // Of a run that goes on elsewhere, the log is being kept there.
        if (error.code() != agent::errc::run_locked) log.save(directory);
        throw;
    } catch (...) {
        log.save(directory);
        throw;
    }
}

/// All tools there are; those that are programs are offered besides the profile's.
agent::Toolbox with_programs(const ProgramTools& programs, const agent::AskConsent& ask_user,
                             agent::AgentOptions& options) {
    agent::Toolbox tools = agent::built_in_tools();
    programs.add_to(tools, ask_user);
    for (std::string& name : programs.names()) options.with.push_back(std::move(name));
    for (agent::Setting& setting : programs.settings())
        options.settings.push_back(std::move(setting));
    return tools;
}

/// What is not as it was when the run began.
std::vector<std::string> differences(const agent::StoredRun& stored) {
    std::vector<std::string> remarks;
    if (stored.version != agent::version())
        remarks.push_back(fmt::format("the run began with version {}, this is {}", stored.version,
                                      agent::version()));
    const std::string& name = stored.summary.profile.name;
    const std::vector<std::string> built_in = agent::profile_names();
    if (std::find(built_in.begin(), built_in.end(), name) == built_in.end()) return remarks;
    // What flags and variables set is the run's own; prompts and tools are the profile's.
    agent::Profile now = agent::load_profile(name);
    agent::Profile then = stored.summary.profile;
    for (agent::Profile* profile : {&now, &then}) {
        profile->model.clear();
        profile->sampling = {};
        profile->max_turns = 1;
        profile->step_delay = {};
        profile->image = winio::FitWithin{{1, 1}};
        profile->screenshots = profile->thinks = {};
        profile->executed_heat = {};
        profile->bbox_heat = {};
        profile->physical_execution = true;
        profile->pace = {};
        profile->log = {};
        const agent::ModeFactory& mode = agent::mode_of(*profile);
        for (const auto& [option, value] : mode.options(*profile))
            mode.set_option(*profile, option, {});
    }
    if (agent::to_json(now) != agent::to_json(then))
        remarks.push_back(fmt::format("the profile \"{}\" has changed since; the run goes on with "
                                      "its own copy",
                                      name));
    return remarks;
}

/// The run's own settings, with the flags for another area and for people on top.
agent::Config config_of_run(const ResumeFlags& flags, std::vector<agent::Setting>& kept) {
    // Who may take part is today's user's word: the directory may be somebody else's.
    constexpr std::array<std::string_view, 6> of_people{"approve", "panel",      "host",
                                                        "port",    "panel_cors", "panel_compat"};
    const auto is_of_people = [&](std::string_view name) {
        return std::find(of_people.begin(), of_people.end(), name) != of_people.end();
    };
    for (const std::string_view name : of_people) drop(kept, name);
    agent::Config config = agent::default_config();
    config.add(agent::config_from_settings(kept, "run.json"));
    const agent::Config today = configuration(flags.server.config);
    for (const agent::ConfigEntry& entry : today.entries())
        if (is_of_people(entry.setting->name)) config.add(entry);
    add_area_flags(config, flags.view);
    add_panel_flags(config, flags.panel);
    if (!flags.approve.empty())
        config.add(agent::config_from_flag("approve", "--approve", flags.approve));
    const std::vector<agent::Setting> now = agent::effective_settings(config);
    for (const char* name : {"display", "window", "crop"}) {
        drop(kept, name);
        for (const agent::Setting& setting : now)
            if (setting.name == name) put(kept, setting);
    }
    for (const agent::Setting& setting : now)
        if (is_of_people(setting.name)) put(kept, setting);
    return config;
}

/// Scheme, host and port of an endpoint; empty where it is none.
std::string origin(const std::string& endpoint) {
    try {
        const std::string url = vlm::OpenAiClient({.endpoint = endpoint}).url();
        return url.substr(0, url.find('/', url.find("://") + 3));
    } catch (const vlm::Error&) {
        return {};
    }
}

/// How the run's server is asked: at the run's endpoint, unless a flag names another, and else as
/// today's settings say. What follows a "?" was not stored, because keys may be in it: where today's
/// settings name the same endpoint, they have it. A directory that somebody else has made must not
/// have the user's key sent to him: it is for where the user himself said.
ServerSettings server_of_run(EndpointFlags flags, const std::vector<agent::Setting>& kept,
                             bool quiet) {
    const std::string today = *configuration(flags).text("endpoint");
    const std::optional<std::string> stored = value_of(kept, "endpoint");
    const auto without_query = [](const std::string& url) { return url.substr(0, url.find('?')); };
    if (flags.endpoint || !stored || without_query(today) == *stored) return server_settings(flags);
    flags.endpoint = stored;
    ServerSettings server = server_settings(flags);
    // The place is not the flag's.
    for (const agent::Setting& setting : kept)
        if (setting.name == "endpoint") put(server.settings, setting);
    if (origin(*stored) == origin(today)) return server;
    const bool has_key = !server.client.api_key.empty();
    server.client.api_key.clear();
    drop(server.settings, "api_key");
    if (!quiet)
        print_to(stderr,
                 printable(fmt::format(
                     "      the endpoint is the run's, {}, not today's{}\n", origin(*stored),
                     has_key ? "; no key is sent there: --endpoint URL has it sent" : "")));
    return server;
}

/// What run.json tells from now on: what the server was asked before is not true any more, but what
/// came of it for the screenshots stays.
void bring_up_to_date(std::vector<agent::Setting>& kept, const ServerSettings& server) {
    std::erase_if(kept, [](const agent::Setting& it) {
        return it.source == "probe" && it.name != "drop_screenshots";
    });
    for (const std::string& name : server_setting_names()) drop(kept, name);
    for (const agent::Setting& setting : server.settings) put(kept, setting);
}

} // namespace

agent::RunFinished carry_out(const RunFlags& flags, RunSettings& settings,
                             winio::Desktop& desktop) {
    agent::HttpLog http_log;
    settings.client.on_exchange = [&](const vlm::Exchange& exchange) { http_log.add(exchange); };
    TerminalView view(
        {.detail = detail(flags), .json = flags.json, .terminal = errors_go_to_terminal()});
    settings.client.on_retry = [&](const vlm::Attempt& attempt) { view.on_retry(attempt); };
    Seat seat({settings.panel, settings.agent.approve, detail(flags), flags.json});
    const agent::Toolbox tools = with_programs(settings.programs, seat.ask_user(), settings.agent);
    if (settings.probe) {
        const auto server = heed_server(settings.client, settings.profile.model,
                                        settings.agent.settings, flags.quiet);
        if (server) fit_to_context(*server, desktop, settings);
    }
    vlm::OpenAiClient model(settings.client);
    agent::Agent agent(desktop, model, settings.profile, tools, settings.agent);
    // The directory comes last: what is wrong with the settings is found before one is made for
    // nothing.
    agent::RunDirectory directory = create_directory(settings);
    http_log.write_to(directory);
    return logged(settings.lmstudio_logs, directory, flags.quiet, [&] {
        return seat.follow(directory, settings.profile, settings.agent.annotation, view,
                           [&](agent::RunControl& control, agent::Observer& observer) {
                               return agent.run(flags.task, directory, control, &observer);
                           });
    });
}

ExitCode run_task(RunFlags flags) {
    if (flags.task.empty()) flags.task = ask_for_task();
    if (flags.task.find_first_not_of(" \t\r\n") == std::string::npos) {
        throw UsageError("the task is empty: say what is to be done");
    }
    RunSettings settings = resolve(flags); // mistakes are told before a desktop is opened
    const auto desktop = winio::open_desktop();
    return exit_code(carry_out(flags, settings, *desktop).outcome);
}

namespace {

/// `began` becomes true when the run goes on.
agent::RunFinished go_on(const ResumeFlags& flags, bool& began) {
    const std::filesystem::path path = path_of(flags.directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is no run's directory: there is no run.json in it", flags.directory));
    const agent::StoredRun stored = agent::load_run(path);
    std::vector<agent::Setting> kept = stored.summary.settings;
    agent::Profile profile = stored.summary.profile;
    std::vector<std::string> remarks = differences(stored);
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
    const ProgramTools programs(flags.tools);
    for (const char* name : {"program_tools", "allowed_tools"}) drop(kept, name);
    ServerSettings server = server_of_run(flags.server, kept, flags.quiet);
    if (flags.no_probe) {
        server.probe = false;
        put(server.settings, {"probe", "false", "--no-probe"});
    }
    bring_up_to_date(kept, server);
    const agent::Config config = config_of_run(flags, kept);
    agent::AgentOptions options = agent_options(config);
    options.settings = kept;
    options.screenshot_names = agent::screenshot_names(config, profile);
    Seat seat({panel_options(config), options.approve, detail(flags), flags.json});
    const agent::Toolbox tools = with_programs(programs, seat.ask_user(), options);
    agent::HttpLog http_log;
    vlm::ClientOptions& client = server.client;
    client.on_exchange = [&](const vlm::Exchange& exchange) { http_log.add(exchange); };
    // What the machine was told of retention stays: it has to find back to where it was.
    if (server.probe) (void)heed_server(client, profile.model, options.settings, flags.quiet);

    const auto desktop = winio::open_desktop();
    agent::RunDirectory directory = agent::RunDirectory::open(path);
    TerminalView terminal(
        {.detail = detail(flags), .json = flags.json, .terminal = errors_go_to_terminal()});
    client.on_retry = [&](const vlm::Attempt& attempt) { terminal.on_retry(attempt); };
    FromFirstEvent view(terminal, [&] {
        began = true;
        try {
            http_log.write_to(directory);
        } catch (const agent::Error&) { // NOLINT(bugprone-empty-catch): the next exchange tells it
        }
    });
    vlm::OpenAiClient model(client);
    agent::Agent agent(*desktop, model, profile, tools, options);
    return logged(*config.text("lmstudio_logs"), directory, flags.quiet, [&] {
        return seat.follow(directory, profile, options.annotation, view,
                           [&](agent::RunControl& control, agent::Observer& observer) {
                               return agent.resume(directory, control, &observer, remarks);
                           });
    });
}

} // namespace

ExitCode resume_run(const ResumeFlags& flags) {
    bool began = false;
    try {
        return exit_code(go_on(flags, began).outcome);
    } catch (const agent::Error& error) {
        if (began) throw;
        throw UsageError(error.what()); // a directory that cannot be gone on with
    }
}

} // namespace eyehand::cli
