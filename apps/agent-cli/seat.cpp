#include "seat.hpp"

#include "commands.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_port.hpp"
#include "platform.hpp"
#include "questions.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace eyehand::cli {
namespace {

/// Tells both what happens.
class Both final : public agent::Observer {
public:
    Both(agent::Observer& first, agent::Observer& second) : first_(first), second_(second) {}
    void on_event(const agent::Event& event) override {
        first_.on_event(event);
        second_.on_event(event);
    }
    void on_delta(const vlm::Delta& delta) override {
        first_.on_delta(delta);
        second_.on_delta(delta);
    }
    void on_state(const agent::ModeState& state) override {
        first_.on_state(state);
        second_.on_state(state);
    }

private:
    agent::Observer& first_;
    agent::Observer& second_;
};

} // namespace

Seat::Seat(Options options) : options_(std::move(options)) {
    if (options_.approve != agent::Approve::never && !somebody_can_answer())
        throw UsageError("actions wait for consent (approve), and nobody could give it: run on a "
                         "terminal, or with --panel");
    if (!options_.panel) return;
    try {
        panel_.emplace(*options_.panel);
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    print_to(stderr, "panel: " + panel_->url() + "\n"); // also with --quiet: else nobody finds it
}

bool Seat::somebody_can_answer() const { return options_.panel || terminal_can_ask(); }

agent::AskConsent Seat::ask_user() {
    if (!somebody_can_answer())
        return [](const agent::ToolQuestion&) {
            return agent::Approval{false, "Nobody is there to allow it: do without this tool."};
        };
    return [this](const agent::ToolQuestion& call) {
        return agent::RunPort(control_).request_approval(question_of(call), call.stop);
    };
}

agent::RunFinished
Seat::follow(const agent::RunDirectory& directory, const agent::Profile& profile,
             agent::Source annotation, agent::Observer& view,
             const std::function<agent::RunFinished(agent::RunControl&, agent::Observer&)>& go) {
    const bool quiet = options_.detail == Detail::quiet;
    agent::RunFinished result;
    try {
        result = take_part(directory, profile, annotation, view, go);
    } catch (const agent::Error& error) {
        // Of a run that goes on elsewhere, or was over, there is nothing to add.
        if (error.code() != agent::errc::run_locked && error.code() != agent::errc::run_over)
            leave_report(directory.path(), quiet);
        throw;
    } catch (...) {
        leave_report(directory.path(), quiet);
        throw;
    }
    const bool completed = result.outcome == agent::Outcome::completed;
    if (!completed || !options_.json) {
        print_to(completed ? stdout : stderr, printable(result.reason) + "\n");
    }
    if (!quiet) print_to(stderr, "run directory: " + text_of(directory.path()) + "\n");
    leave_report(directory.path(), quiet);
    return result;
}

/// The run itself. When it is over, Ctrl+C ends the program as usual: nothing is lost any more.
agent::RunFinished
Seat::take_part(const agent::RunDirectory& directory, const agent::Profile& profile,
                agent::Source annotation, agent::Observer& view,
                const std::function<agent::RunFinished(agent::RunControl&, agent::Observer&)>& go) {
    int interrupts = 0;
    const InterruptWatch watch([&](Interrupt interrupt) {
        if (interrupt == Interrupt::forced || ++interrupts > 1) {
            control_.stop_now("interrupted by the user");
            return;
        }
        control_.stop("interrupted by the user");
        if (options_.detail != Detail::quiet)
            print_to(stderr, "stopping; press Ctrl+C again to stop at once\n");
    });
    // After the watch: a thread's signals are those of the thread that starts it.
    std::optional<TerminalQuestions> questions;
    if (terminal_can_ask()) questions.emplace(control_);
    if (!panel_) return go(control_, view);
    const auto page = panel_->show(directory, control_, profile, annotation);
    Both both(view, *page);
    return go(control_, both);
}

} // namespace eyehand::cli
