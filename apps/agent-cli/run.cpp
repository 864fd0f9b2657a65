// agent-cli run TASK
#include "agent/lmstudio_log.hpp"
#include "commands.hpp"
#include <vector>

#include "agent/error.hpp"
#include "environment.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

namespace cli {
namespace {

std::string ask_for_task() {
    if (!input_is_terminal()) {
        throw UsageError("no task was given: agent-cli run \"what is to be done\"");
    }
    print_to(stderr, "What is to be done? ");
    return read_line();
}

agent::RunDirectory create_directory(const RunSettings& settings) {
    try {
        return agent::RunDirectory::create(settings.run_dir, settings.screenshots);
    } catch (const agent::Error& error) {
        throw UsageError(fmt::format("{}; choose another folder with --run-dir", error.what()));
    }
}

Detail detail(const RunFlags& flags) {
    if (flags.quiet) return Detail::quiet;
    return flags.verbose ? Detail::verbose : Detail::normal;
}

/// Runs `go` with Ctrl+C as its end, and tells how it ended.
agent::RunFinished follow(const agent::RunDirectory& directory, Detail detail, bool json,
                          const std::function<agent::RunFinished(agent::RunControl&)>& go) {
    agent::RunControl control;
    int interrupts = 0;
    const InterruptWatch watch([&](Interrupt interrupt) {
        if (interrupt == Interrupt::forced || ++interrupts > 1) {
            control.stop_now("interrupted by the user");
            return;
        }
        control.stop("interrupted by the user");
        if (detail != Detail::quiet)
            print_to(stderr, "stopping; press Ctrl+C again to stop at once\n");
    });
    agent::RunFinished result = go(control);

    const bool completed = result.outcome == agent::Outcome::completed;
    if (!completed || !json) {
        print_to(completed ? stdout : stderr, printable(result.why) + "\n");
    }
    if (detail != Detail::quiet) {
        const std::u8string path = directory.path().generic_u8string();
        print_to(stderr, "run directory: " + std::string(path.begin(), path.end()) + "\n");
    }
    return result;
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
    static std::filesystem::path path_of(const std::string& utf8) {
        return std::u8string(utf8.begin(), utf8.end());
    }
    static std::filesystem::path home() {
        const auto windows = text_variable("USERPROFILE");
        return path_of(windows ? *windows : text_variable("HOME").value_or("."));
    }
    std::optional<agent::LmStudioLog> log_;
    bool quiet_ = false;
};

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
        profile->max_steps = 1;
        profile->step_delay = {};
        profile->image = winio::FitWithin{{1, 1}};
        profile->screenshots = profile->thinks = {};
    }
    if (agent::to_json(now) != agent::to_json(then))
        remarks.push_back(fmt::format("the profile \"{}\" has changed since; the run goes on with "
                                      "its own copy",
                                      name));
    return remarks;
}

std::vector<std::string> split(const std::string& text, std::string_view separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
        end = text.find(separator, begin);
        parts.push_back(text.substr(begin, end - begin));
    }
    return parts;
}

} // namespace

agent::RunFinished carry_out(const RunFlags& flags, RunSettings& settings,
                             winio::Desktop& desktop) {
    // The directory comes last: what is wrong with the settings is found before one is made for
    // nothing.
    std::optional<agent::RunDirectory> directory;
    settings.client.on_exchange = [&](const vlm::Exchange& exchange) {
        directory->log_exchange(exchange);
    };
    TerminalView view(
        {.detail = detail(flags), .json = flags.json, .terminal = errors_go_to_terminal()});
    settings.client.on_retry = [&](const vlm::Attempt& attempt) { view.on_retry(attempt); };
    vlm::OpenAiClient model(settings.client);
    agent::Agent agent(desktop, model, settings.profile, agent::built_in_tools(), settings.agent);
    directory = create_directory(settings);
    ServerLog server_log(settings.lmstudio_logs, flags.quiet);
    return follow(*directory, detail(flags), flags.json, [&](agent::RunControl& control) {
        try {
            agent::RunFinished result = agent.run(flags.task, *directory, control, &view);
            server_log.save(*directory);
            return result;
        } catch (...) {
            server_log.save(*directory);
            throw;
        }
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

ExitCode resume_run(const ResumeFlags& flags) {
    const std::filesystem::path path(std::u8string(flags.directory.begin(), flags.directory.end()));
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is no run's directory: there is no run.json in it", flags.directory));
    const agent::StoredRun stored = agent::load_run(path);
    const auto setting = [&](std::string_view name) -> std::optional<std::string> {
        for (const agent::Setting& it : stored.summary.settings)
            if (it.name == name && !it.value.empty()) return it.value;
        return std::nullopt;
    };
    agent::Profile profile = stored.summary.profile;
    std::vector<std::string> remarks = differences(stored);
    if (flags.max_steps) {
        remarks.push_back(fmt::format("max_steps is {} now", *flags.max_steps));
        profile.max_steps = *flags.max_steps;
    }
    if (flags.server.model && *flags.server.model != profile.model) {
        remarks.push_back(fmt::format("the model is {} now", *flags.server.model));
        profile.model = *flags.server.model;
    }
    EndpointFlags server = flags.server;
    if (!server.endpoint) server.endpoint = setting("endpoint");
    vlm::ClientOptions client = resolve(server);

    ViewFlags view;
    view.display = setting("display");
    view.window = setting("window");
    view.crop = setting("crop");
    agent::AgentOptions options;
    options.area = area_choice(view);
    options.settings = stored.summary.settings;
    if (const auto with = setting("with")) options.with = split(*with, ", ");

    const auto desktop = winio::open_desktop();
    agent::ScreenshotNames names;
    if (const auto prefix = setting("screenshot_prefix")) names.prefix = *prefix;
    if (const auto start = setting("screenshot_start")) names.offset = std::stoi(*start) - 1;
    agent::RunDirectory directory = agent::RunDirectory::open(path, names);
    client.on_exchange = [&](const vlm::Exchange& exchange) { directory.log_exchange(exchange); };
    const Detail detail = flags.quiet     ? Detail::quiet
                          : flags.verbose ? Detail::verbose
                                          : Detail::normal;
    TerminalView terminal(
        {.detail = detail, .json = flags.json, .terminal = errors_go_to_terminal()});
    client.on_retry = [&](const vlm::Attempt& attempt) { terminal.on_retry(attempt); };
    vlm::OpenAiClient model(client);
    agent::Agent agent(*desktop, model, profile, agent::built_in_tools(), options);
    const agent::RunFinished result =
        follow(directory, detail, flags.json, [&](agent::RunControl& control) {
            return agent.resume(directory, control, &terminal, remarks);
        });
    return exit_code(result.outcome);
}

} // namespace cli
