// agent-cli mcp
#include "acting_desktop.hpp"
#include "commands.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/mcp/desktop_server.hpp"
#include "eyehand/mcp/server.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/session/stop_request.hpp"
#include "eyehand/winio/error.hpp"
#include "mcp_config.hpp"
#include "platform.hpp"
#include "terminal_questions.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <list>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

namespace eyehand::cli {
namespace {

// ---- access -------------------------------------------------------------------------------------

std::string new_token() {
    std::random_device random;
    std::string token;
    for (int i = 0; i < 8; ++i) token += fmt::format("{:08x}", random());
    return token;
}

/// The token of the file, which is created if it does not exist.
std::string token_of_file(const std::string& name) {
    const std::filesystem::path file = path_of(name);
    if (std::error_code problem; !std::filesystem::exists(file, problem)) {
        std::string token = new_token();
        if (!write_private_file(file, token + "\n"))
            throw UsageError(fmt::format("--token-file: {} cannot be written", name));
        return token;
    }
    std::ifstream in(file);
    std::string token;
    std::getline(in, token);
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
    const bool usable = token.size() >= 16 &&
                        std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
    if (!usable)
        throw UsageError(fmt::format("--token-file: the first line of {} must be a token of at "
                                     "least 16 characters of ASCII without spaces",
                                     name));
    return token;
}

// ---- sessions -----------------------------------------------------------------------------------

/// The runs in progress, to be stopped by the user.
class LiveRuns {
public:
    using Entry = std::list<agent::RunControl>::iterator;

    [[nodiscard]] Entry add(const agent::RunControl& control) {
        const std::lock_guard lock(mutex_);
        return runs_.insert(runs_.end(), control);
    }
    void remove(Entry entry) {
        const std::lock_guard lock(mutex_);
        runs_.erase(entry);
    }
    void stop_now(const std::string& reason) {
        for (agent::RunControl& run : all()) run.stop_now(reason);
    }

private:
    std::list<agent::RunControl> all() {
        const std::lock_guard lock(mutex_);
        return runs_;
    }
    std::mutex mutex_;
    std::list<agent::RunControl> runs_;
};

/// What accompanies the run of a session.
class SessionParticipants final : public agent::Observer {
public:
    SessionParticipants(LiveRuns& live, const agent::RunDirectory& run, agent::RunControl& control,
                        const agent::Profile& profile, panel::Panel* panel, bool terminal)
        : live_(live), entry_(live.add(control)),
          requests_(run, [control](session::StopRequest request) mutable {
              constexpr const char* by_command = "stopped with agent-cli stop";
              if (request == session::StopRequest::at_safe_point) return control.stop(by_command);
              control.stop_now(by_command);
          }) {
        if (terminal) questions_.emplace(control);
        if (panel != nullptr) page_ = panel->show(run, control, profile);
        print_to(stderr, printable("run directory: " + text_of(run.path())) + "\n");
    }
    ~SessionParticipants() override { live_.remove(entry_); }
    void on_event(const agent::Event& event) override {
        if (page_) page_->on_event(event);
    }
    void on_progress(const agent::ToolProgress& progress) override {
        if (page_) page_->on_progress(progress);
    }
    void on_state(const agent::ModeState& state) override {
        if (page_) page_->on_state(state);
    }

private:
    LiveRuns& live_;
    LiveRuns::Entry entry_;
    session::StopRequestWatch requests_;
    std::optional<TerminalQuestions> questions_;
    std::unique_ptr<agent::Observer> page_;
};

std::unique_ptr<winio::UserWatch> watch_stop_key(winio::Desktop& desktop, const HandSettings& hand,
                                                 LiveRuns& live) {
    if (!hand.stop_key && !hand.stop_gestures) return nullptr;
    try {
        return desktop.watch_user(
            {.stop_key = hand.stop_key}, [&live, hand](winio::UserSignal signal) {
                if (signal == winio::UserSignal::watch_ended)
                    return print_to(stderr, "the mouse and the keyboard no longer stop sessions: "
                                            "the watch of them has ended\n");
                const bool gesture =
                    signal == winio::UserSignal::escape || signal == winio::UserSignal::corner;
                if (signal == winio::UserSignal::stop_key || (gesture && hand.stop_gestures))
                    live.stop_now("stopped by the user");
            });
    } catch (const std::system_error& error) {
        print_to(stderr, printable(fmt::format(
                             "the mouse and the keyboard do not stop sessions: {}", error.what())) +
                             "\n");
        return nullptr;
    }
}

// ---- run_task -----------------------------------------------------------------------------------

/// Tells the client about the turns of a run.
class TurnProgress final : public agent::Observer {
public:
    TurnProgress(mcp::Exchange& exchange, int max_turns)
        : exchange_(exchange), max_turns_(max_turns) {}
    void on_event(const agent::Event& event) override {
        if (event.turn <= turn_) return;
        turn_ = event.turn;
        exchange_.progress(turn_, max_turns_, fmt::format("turn {}", turn_));
    }

private:
    mcp::Exchange& exchange_;
    int max_turns_;
    int turn_ = 0;
};

mcp::CallResult run_one_task(const RunSettings& settings, winio::Desktop& desktop, LiveRuns& live,
                             panel::Panel* panel, bool terminal, bool elicits,
                             const std::string& task, int max_turns, mcp::Exchange& exchange) {
    RunSettings own = settings;
    elicits = elicits && mcp::ElicitedApprovals::possible(exchange);
    if (elicits) own.agent.approvals = agent::Approvals::user;
    if (max_turns > 0) own.profile.max_turns = std::min(max_turns, own.profile.max_turns);
    agent::RunControl control;
    session::RunSession session(desktop, {.profile = own.profile,
                                          .model = own.model,
                                          .client = own.client,
                                          .agent = own.agent,
                                          .probe = own.probe,
                                          .fit_context = own.batch_of_profile,
                                          .choose_watch = own.choose_watch,
                                          .calibrations = own.calibrations,
                                          .control = control,
                                          .on_remark = [](const std::string& remark) {
                                              print_to(stderr, printable(remark) + "\n");
                                          }});
    agent::RunDirectory directory = agent::RunDirectory::create(own.run_dir);
    SessionParticipants participants(live, directory, control, session.profile(), panel, terminal);
    std::optional<mcp::ElicitedApprovals> questions;
    if (elicits) questions.emplace(control, exchange);
    TurnProgress progress(exchange, own.profile.max_turns);
    // Polls: the destructor of a std::stop_callback can hang with GCC 12's library on Windows.
    std::mutex mutex;
    std::condition_variable ending;
    bool over = false;
    std::thread watch([&] {
        constexpr std::chrono::milliseconds look_every{50};
        std::unique_lock lock(mutex);
        while (!ending.wait_for(lock, look_every, [&] { return over; }))
            if (exchange.stop().stop_requested()) control.stop_now("canceled by the MCP client");
    });
    const auto end_watch = [&] {
        {
            const std::lock_guard lock(mutex);
            over = true;
        }
        ending.notify_all();
        watch.join();
    };
    std::vector<agent::Observer*> observers{&participants, &progress};
    session::RunResult result;
    try {
        result = session.run(task + own.agent.secrets.instructions(), directory, observers);
    } catch (...) {
        end_watch();
        throw;
    }
    end_watch();
    const bool completed = result.finished.outcome == agent::Outcome::completed;
    mcp::CallResult told = mcp::text_result(fmt::format(
        "{}: {}\n({} turns; {})", agent::to_string(result.finished.outcome), result.finished.reason,
        result.finished.turns, text_of(directory.path().filename())));
    told.is_error = !completed;
    return told;
}

// ---- the server ---------------------------------------------------------------------------------

/// Whether no file, variable or flag sets it.
bool is_default(const std::vector<agent::Setting>& settings, std::string_view name) {
    const auto found = std::ranges::find(settings, name, &agent::Setting::name);
    return found == settings.end() || found->source == "default" || found->source == "profile";
}

/// Clients start their servers in an unknown folder.
std::filesystem::path run_folder(const RunSettings& settings) {
    if (!is_default(settings.agent.settings, "run_dir")) return settings.run_dir;
    const std::filesystem::path own = configuration_folder();
    return own.empty() ? settings.run_dir : own / "runs";
}

agent::CoordinateConvention convention_of(const RunFlags& flags) {
    if (flags.coordinates.empty() || flags.coordinates == "auto")
        return agent::CoordinateConvention::image_pixels;
    const auto convention = agent::parse_coordinate_convention(flags.coordinates);
    if (!convention)
        throw UsageError(fmt::format("--coordinates is \"{}\"; allowed values: {}",
                                     flags.coordinates,
                                     fmt::join(agent::coordinate_words(), ", ")));
    return *convention;
}

mcp::DesktopServerOptions server_options(const McpFlags& flags, const RunSettings& settings) {
    mcp::DesktopServerOptions options;
    options.runs = settings.run_dir;
    options.agent = settings.agent;
    if (is_default(settings.agent.settings, "display") && !options.agent.area.window)
        options.agent.area.display = "all";
    options.coordinates = convention_of(flags.run);
    if (!is_default(settings.agent.settings, "image")) options.image = settings.profile.image;
    options.image_format = settings.profile.image_format;
    return options;
}

void serve_http(mcp::Server& server, const McpFlags& flags, const std::stop_token& stop) {
    mcp::HttpOptions options;
    options.port = static_cast<std::uint16_t>(*flags.http);
    if (!flags.without_token)
        options.token = flags.token_file.empty() ? new_token() : token_of_file(flags.token_file);
    const mcp::HttpEndpoint endpoint(server, options);
    print_to(stderr, "MCP endpoint: " + endpoint.url() + "\n");
    if (!options.token.empty() && flags.token_file.empty())
        print_to(stderr, "clients must send: Authorization: Bearer " + options.token + "\n");
    constexpr std::chrono::milliseconds look_every{50};
    while (!stop.stop_requested()) std::this_thread::sleep_for(look_every);
}

} // namespace

ExitCode serve_mcp(McpFlags flags) {
    if (!flags.print_config.empty()) {
        print_to(stdout, mcp_client_config(flags.print_config, own_program(), flags.arguments));
        return ExitCode::completed;
    }
    if (flags.without_token && !flags.token_file.empty())
        throw UsageError("--token-file and --without-token exclude each other");
    RunSettings settings = resolve(flags.run); // reports mistakes before a desktop is opened
    settings.run_dir = run_folder(settings);
    const bool terminal = flags.http && terminal_can_ask() && !flags.run.guard.asks_no_user();
    if ((settings.panel || terminal) && !flags.run.guard.asks_no_user())
        settings.agent.approvals = agent::Approvals::user;
    std::optional<panel::Panel> panel;
    if (settings.panel) {
        try {
            panel.emplace(*settings.panel);
        } catch (const agent::Error& error) {
            throw UsageError(error.what());
        }
        print_to(stderr, "panel: " + panel->url() + "\n");
    }
    const auto desktop = open_acting_desktop();
    LiveRuns live;
    mcp::DesktopServerOptions options = server_options(flags, settings);
    options.approve_by_elicitation = !flags.run.guard.asks_no_user();
    panel::Panel* const page = panel ? &*panel : nullptr;
    options.on_session = [&](const agent::RunDirectory& run, agent::RunControl& control,
                             const agent::Profile& profile) -> std::unique_ptr<agent::Observer> {
        return std::make_unique<SessionParticipants>(live, run, control, profile, page, terminal);
    };
    if (flags.allow_run_task)
        options.run_task = [&](const std::string& task, int max_turns, mcp::Exchange& exchange) {
            return run_one_task(settings, *desktop, live, page, terminal,
                                !flags.run.guard.asks_no_user(), task, max_turns, exchange);
        };
    mcp::Server server({.name = "eyehand",
                        .title = "Eyehand",
                        .version = std::string(agent::version()),
                        .instructions = "Tools to see and control a desktop. Call look first: "
                                        "positions refer to the image that you received last."});
    std::stop_source stop;
    try {
        const mcp::DesktopServer tools(server, *desktop, std::move(options));
        const InterruptWatch interrupts([&](Interrupt) {
            live.stop_now("the server was interrupted");
            stop.request_stop();
        });
        const auto stop_key = watch_stop_key(*desktop, settings.hand, live);
        if (flags.http)
            serve_http(server, flags, stop.get_token());
        else
            mcp::serve_stdio(server, stop.get_token());
    } catch (const mcp::Error& error) {
        throw UsageError(error.what());
    }
    return stop.stop_requested() ? ExitCode::interrupted : ExitCode::completed;
}

} // namespace eyehand::cli
