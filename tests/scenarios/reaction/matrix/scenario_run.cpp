#include "scenario_run.hpp"

#include "eventually.hpp"
#include "eyehand/agent/run_store.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace reaction {

using namespace eyehand;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// More than any run needs.
constexpr int max_turns = 100;
constexpr int max_clicks_in_vain = 2;
constexpr int unlimited = 1000;

void wait_for(const std::string& what, const std::function<bool()>& condition) {
    if (!test::eventually(condition)) throw std::runtime_error("not within a minute: " + what);
}

std::optional<LogEntry::Kind> kind_of(const std::string& word) {
    if (word == "painting") return LogEntry::Kind::painting;
    if (word == "visible") return LogEntry::Kind::visible;
    if (word == "press") return LogEntry::Kind::press;
    return std::nullopt;
}

/// The complete lines of the log; none if it does not exist yet.
std::vector<LogEntry> read_log(const std::filesystem::path& file) {
    std::vector<LogEntry> entries;
    std::ifstream in(file, std::ios::binary);
    for (std::string line; std::getline(in, line) && !in.eof();) {
        std::istringstream words(line);
        std::string event;
        std::string name;
        std::int64_t microseconds = 0;
        words >> event >> name >> microseconds;
        const auto kind = kind_of(event);
        const auto view = view_of(name);
        if (!words || !kind || !view) throw std::runtime_error("a line of the log: " + line);
        entries.push_back(
            {*kind, *view, Clock::time_point(std::chrono::microseconds(microseconds))});
    }
    return entries;
}

/// The reaction window; closed by the destructor.
class Window {
public:
    Window(winio::Desktop& desktop, const std::string& scenario) : desktop_(desktop) {
        desktop.launch({'"' + test::program_file("eyehand-reaction-window").string() + "\" \"" +
                        log_file().string() + "\" " + scenario});
        wait_for("the window is visible and in the foreground", [&] {
            const auto window = find();
            return window && window->foreground &&
                   std::ranges::any_of(log(), [](const LogEntry& entry) {
                       return entry.kind == LogEntry::Kind::visible;
                   });
        });
    }
    ~Window() {
        try {
            // Its dialog disappears with it.
            if (const auto window = find())
                desktop_.windows()->apply({window->id, winio::WindowAction::close, {}});
            wait_for("the window disappears", [&] { return !find(); });
        } catch (const std::exception& error) {
            std::fprintf(stderr, "closing the window: %s\n", error.what());
        }
    }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    [[nodiscard]] std::vector<LogEntry> log() const { return read_log(log_file()); }

private:
    [[nodiscard]] std::filesystem::path log_file() const { return folder_ / "log"; }
    [[nodiscard]] std::optional<winio::WindowInfo> find() const {
        return winio::find_window(desktop_.windows()->list(), {.title = window_title});
    }

    test::TempFolder folder_;
    winio::Desktop& desktop_;
};

class Collector final : public agent::Observer {
public:
    void on_event(const agent::Event& event) override { events.push_back(event); }
    std::vector<agent::Event> events;
};

} // namespace

std::vector<LogEntry> RunRecord::all(LogEntry::Kind kind) const {
    std::vector<LogEntry> found;
    std::ranges::copy_if(log, std::back_inserter(found),
                         [&](const LogEntry& entry) { return entry.kind == kind; });
    return found;
}

RunRecord run_scenario(winio::Desktop& desktop, const Setup& setup) {
    const Window window(desktop, setup.scenario);
    LookingModel model(setup.thinking_time,
                       setup.scenario == "no_effect" ? max_clicks_in_vain : unlimited);
    RecordingDesktop recording(desktop, [&] { return model.latest_thought(); });
    agent::AgentOptions options;
    options.guard = agent::Guard(agent::GuardLevel::off); // the window belongs to this process
    options.watch = agent::Watch::resend;
    if (!setup.true_screen) {
        options.watch = agent::Watch::off;
        options.reaction = winio::no_reaction_wait;
    }
    agent::Profile profile = agent::load_profile("observer");
    profile.max_turns = max_turns;
    agent::Agent agent(recording, model, profile, agent::built_in_tools(), options);
    agent::MemoryStore store;
    const agent::RunControl control;
    Collector collector;
    const agent::RunFinished finished =
        agent.run("Press the buttons until the work is done.", store, control, &collector);
    const auto presses_in_log = [&] {
        return std::ranges::count(window.log(), LogEntry::Kind::press, &LogEntry::kind);
    };
    wait_for("the window receives the presses", [&] {
        return presses_in_log() >= static_cast<std::ptrdiff_t>(recording.presses().size());
    });
    return {setup,
            finished,
            std::move(collector.events),
            model.thoughts(),
            recording.captures(),
            recording.presses(),
            window.log()};
}

} // namespace reaction
