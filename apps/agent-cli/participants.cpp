#include "participants.hpp"

#include "commands.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/session/stop_request.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/keys.hpp"
#include "platform.hpp"
#include "terminal_questions.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace eyehand::cli {
namespace {

/// Ends the process if something that cannot be interrupted, such as an X server that is stopped,
/// keeps the run from ending. The files of the run are complete up to their last line.
class LastResort {
public:
    LastResort() = default;
    ~LastResort() {
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        ended_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    LastResort(const LastResort&) = delete;
    LastResort& operator=(const LastResort&) = delete;

    void begin() {
        const std::lock_guard beginning(beginning_);
        if (thread_.joinable()) return;
        thread_ = std::thread([this] {
            // The run may be releasing keys and buttons.
            constexpr std::chrono::seconds patience{1};
            std::unique_lock lock(mutex_);
            if (ended_.wait_for(lock, patience, [this] { return over_; })) return;
            print_to(stderr, "the run does not end: ending the program\n");
            std::_Exit(static_cast<int>(ExitCode::interrupted));
        });
    }

private:
    std::mutex beginning_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;
    std::thread thread_;
};

} // namespace

Participants::Participants(Options options) : options_(std::move(options)) {
    using agent::GuardLevel;
    const bool unanswered = !options_.unattended && !user_can_answer();
    if (options_.guard == GuardLevel::strict && unanswered)
        throw UsageError("each action requires approval (guard, approve), but there is no terminal "
                         "and no panel to ask: run on a terminal, or with --panel; with "
                         "--unattended, all actions are denied that your own rules do not allow");
    if (options_.guard == GuardLevel::standard && unanswered && options_.detail != Detail::quiet)
        print_to(stderr, "no terminal and no panel: actions that need approval are denied\n");
    if (!options_.panel) return;
    try {
        panel_.emplace(*options_.panel);
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    print_to(stderr,
             "panel: " + panel_->url() + "\n"); // also with --quiet
}

bool Participants::user_can_answer() const {
    return !options_.unattended && (options_.panel || terminal_can_ask());
}

agent::Approvals Participants::approvals() const {
    return user_can_answer() ? agent::Approvals::user : agent::Approvals::unattended;
}

agent::RunFinished Participants::follow(const agent::RunDirectory& directory,
                                        const agent::Profile& profile, agent::Source annotation,
                                        agent::Observer& view, winio::Desktop& desktop,
                                        const Go& go) {
    const session::RunResult result = take_part(directory, profile, annotation, view, desktop, go);
    const bool completed = result.finished.outcome == agent::Outcome::completed;
    if (!completed || !options_.json)
        print_to(completed ? stdout : stderr, printable(result.finished.reason) + "\n");
    if (options_.detail == Detail::quiet) return result.finished;
    print_to(stderr, "run directory: " + text_of(directory.path()) + "\n");
    if (!result.report.empty())
        print_to(stderr, printable("report: " + text_of(result.report)) + "\n");
    return result.finished;
}

void Participants::say(const std::string& text) const {
    if (options_.detail != Detail::quiet) print_to(stderr, text);
}

/// Executes the run. When it has ended, Ctrl+C ends the program as usual: all files are complete.
session::RunResult Participants::take_part(const agent::RunDirectory& directory,
                                           const agent::Profile& profile, agent::Source annotation,
                                           agent::Observer& view, winio::Desktop& desktop,
                                           const Go& go) {
    LastResort last_resort;
    std::atomic<int> interrupts = 0; // on the threads of signals and of the user's input
    const auto interrupt = [&](const std::string& again) {
        constexpr const char* by_user = "interrupted by the user";
        const int count = ++interrupts;
        if (count == 1) {
            control_.stop(by_user);
            say("stopping; " + again + " to stop at once\n");
        } else if (count == 2) {
            control_.stop_now(by_user);
            say("stopping at once; " + again + " to end the program\n");
        } else {
            last_resort.begin();
        }
    };
    const InterruptWatch watch([&](Interrupt kind) {
        if (kind != Interrupt::forced) return interrupt("press Ctrl+C again");
        ++interrupts;
        control_.stop_now("interrupted by the user");
    });
    const std::unique_ptr<winio::UserWatch> user = watch_user(desktop, interrupt);
    constexpr const char* by_command = "stopped with agent-cli stop";
    const session::StopRequestWatch requests(directory, [&](session::StopRequest request) {
        if (request == session::StopRequest::end_program) return last_resort.begin();
        say("stopping: another program requests it\n");
        if (request == session::StopRequest::at_once) return control_.stop_now(by_command);
        control_.stop(by_command);
    });
    // After the watch: a thread inherits the signal mask of the thread that starts it.
    std::optional<TerminalQuestions> questions;
    if (terminal_can_ask() && !options_.unattended) questions.emplace(control_);
    std::vector<agent::Observer*> observers{&view};
    if (!panel_) return go(observers);
    const auto page = panel_->show(directory, control_, profile, annotation);
    observers.push_back(page.get());
    return go(observers);
}

std::unique_ptr<winio::UserWatch>
Participants::watch_user(winio::Desktop& desktop,
                         std::function<void(const std::string& again)> interrupt) {
    const HandSettings& hand = options_.hand;
    if (!hand.any()) return nullptr;
    const std::string keys = hand.stop_key ? winio::to_string(*hand.stop_key) : std::string();
    const auto on_signal = [this, keys,
                            interrupt = std::move(interrupt)](winio::UserSignal signal) {
        switch (signal) {
        case winio::UserSignal::stop_key:
            return interrupt("press " + keys + " again");
        case winio::UserSignal::escape:
            if (options_.hand.stop_gestures) interrupt("hold Escape again");
            return;
        case winio::UserSignal::corner:
            if (options_.hand.stop_gestures) interrupt("move the pointer into a corner again");
            return;
        case winio::UserSignal::input:
            if (options_.hand.takeover) take_over();
            return;
        case winio::UserSignal::watch_ended:
            return watch_has_ended();
        }
    };
    try {
        return desktop.watch_user({.stop_key = hand.stop_key}, on_signal);
    } catch (const std::system_error& error) { // a winio::Error, or no thread or pipe
        say(printable(std::string("the mouse and the keyboard neither stop nor pause this run: ") +
                      error.what()) +
            "\n");
        return nullptr;
    }
}

void Participants::take_over() {
    if (!control_.take_over()) return;
    if (!user_can_answer())
        return control_.stop("the user used the mouse or the keyboard, and no user can be asked "
                             "whether the run continues: continue it with agent-cli resume");
    if (!terminal_can_ask()) // which asks
        say("paused: the mouse or the keyboard was used; continue it in the panel\n");
}

/// On X11, a watch ends with the server, and then the run fails by itself.
#ifdef _WIN32
constexpr bool run_outlives_watch = true;
#else
constexpr bool run_outlives_watch = false;
#endif

void Participants::watch_has_ended() {
    // Also with --quiet: the user relies on the stop key.
    print_to(stderr,
             "the mouse and the keyboard no longer stop or pause this run: the watch of them "
             "has ended\n");
    if (run_outlives_watch && !user_can_answer())
        control_.stop("the watch of the mouse and the keyboard has ended, so that they no longer "
                      "stop this run: continue it with agent-cli resume");
}

} // namespace eyehand::cli
