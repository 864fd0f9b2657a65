#include "participants.hpp"

#include "commands.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/session/stop_request.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/keys.hpp"
#include "platform.hpp"
#include "terminal_approvals.hpp"

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
                         "--unattended, all actions are denied that no rule of yours allows");
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

/// Executes the run. When it has ended, Ctrl+C ends the program as usual: all files are complete.
session::RunResult Participants::take_part(const agent::RunDirectory& directory,
                                           const agent::Profile& profile, agent::Source annotation,
                                           agent::Observer& view, winio::Desktop& desktop,
                                           const Go& go) {
    const auto say = [this](const std::string& text) {
        if (options_.detail != Detail::quiet) print_to(stderr, text);
    };
    LastResort last_resort;
    std::atomic<int> interrupts = 0; // by Ctrl+C and by the stop key, on two threads
    const auto interrupt_by = [&](const std::string& keys) {
        constexpr const char* by_user = "interrupted by the user";
        const int count = ++interrupts;
        if (count == 1) {
            control_.stop(by_user);
            say("stopping; press " + keys + " again to stop at once\n");
        } else if (count == 2) {
            control_.stop_now(by_user);
            say("stopping at once; press " + keys + " again to end the program\n");
        } else {
            last_resort.begin();
        }
    };
    const InterruptWatch watch([&](Interrupt interrupt) {
        if (interrupt != Interrupt::forced) return interrupt_by("Ctrl+C");
        ++interrupts;
        control_.stop_now("interrupted by the user");
    });
    std::unique_ptr<winio::HotKey> stop_key;
    if (options_.stop_key) {
        const std::string keys = winio::to_string(*options_.stop_key);
        try {
            stop_key = desktop.hot_key(*options_.stop_key, [&, keys] { interrupt_by(keys); });
        } catch (const std::system_error& error) { // a winio::Error, or no thread or pipe
            say(printable(keys + " does not stop this run: " + error.what()) + "\n");
        }
    }
    constexpr const char* by_command = "stopped with agent-cli stop";
    const session::StopRequestWatch requests(directory, [&](session::StopRequest request) {
        if (request == session::StopRequest::end_program) return last_resort.begin();
        say("stopping: another program requests it\n");
        if (request == session::StopRequest::at_once) return control_.stop_now(by_command);
        control_.stop(by_command);
    });
    // After the watch: a thread inherits the signal mask of the thread that starts it.
    std::optional<TerminalApprovals> approvals;
    if (terminal_can_ask()) approvals.emplace(control_);
    std::vector<agent::Observer*> observers{&view};
    if (!panel_) return go(observers);
    const auto page = panel_->show(directory, control_, profile, annotation);
    observers.push_back(page.get());
    return go(observers);
}

} // namespace eyehand::cli
