#include "agent/agent.hpp"

#include "agent/error.hpp"
#include "agent/journal.hpp"
#include "desktop_world.hpp"
#include "modes/conversation_mode.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace agent {
namespace {

void add(std::optional<int>& total, const std::optional<int>& more) {
    if (more) total = total.value_or(0) + *more;
}

/// The profile's tools under their faces, then those that are wanted besides.
Toolbox offered(const Toolbox& tools, const Profile& profile,
                const std::vector<std::string>& with) {
    std::vector<ToolFace> faces = profile.tools;
    for (const std::string& name : with) faces.push_back({name, {}, {}, std::nullopt});
    return tools.faced(faces);
}

/// Everybody who is told of an event: the execution log, the caller's observer, and the totals.
class Audience {
public:
    Audience(RunDirectory& directory, Observer* observer)
        : directory_(directory), observer_(observer) {}

    void tell(const Event& event) {
        visit(
            event,
            [this](const Replied& fact) {
                add(usage_.prompt_tokens, fact.reply.usage.prompt_tokens);
                add(usage_.cached_tokens, fact.reply.usage.cached_tokens);
                add(usage_.completion_tokens, fact.reply.usage.completion_tokens);
            },
            [](const auto&) {});
        directory_.log_event(event);
        watched([&] { observer_->on_event(event); });
    }
    void tell(const vlm::Delta& delta) {
        watched([&] { observer_->on_delta(delta); });
    }
    [[nodiscard]] const vlm::Usage& usage() const { return usage_; }

private:
    /// Who only watches must not be able to end the run.
    template <class Call>
    void watched(Call call) {
        if (observer_ == nullptr) return;
        try {
            call();
        } catch (const std::exception& problem) {
            observer_ = nullptr;
            directory_.log_note(fmt::format("OBSERVER FAILED: {}\n", problem.what()));
        }
    }
    RunDirectory& directory_;
    Observer* observer_;
    vlm::Usage usage_;
};

} // namespace

Agent::Agent(winio::Desktop& desktop, vlm::ChatModel& model, Profile profile, const Toolbox& tools,
             AgentOptions options)
    : desktop_(desktop), model_(model), profile_(std::move(profile)),
      tools_(offered(tools, profile_, options.with)), options_(std::move(options)) {
    // An area that no display could have is the caller's mistake, and better told now than in
    // mid-run.
    const std::vector<winio::Display> any{
        {.id = "any", .bounds = {0, 0, 1000, 1000}, .primary = true}};
    (void)winio::choose_area(any, {.crop = options_.area.crop});
}

RunFinished Agent::run(const std::string& task, RunDirectory& directory, RunControl& control,
                       Observer* observer) {
    if (trim(task).empty())
        throw Error(errc::empty_task, "the task is empty: say what is to be done");
    const auto start = std::chrono::steady_clock::now();
    if (std::filesystem::exists(directory.journal_file())) {
        throw Error(errc::run_exists, "the run directory holds a run already: create another one");
    }
    Audience audience(directory, observer);
    Journal journal(directory.journal_file(), [&](const Event& event) { audience.tell(event); });
    const RunSummary summary{task, profile_, tools_.specs(), options_.settings};
    directory.write_summary(summary);
    DesktopWorld world(desktop_, model_, tools_, profile_, options_, directory, control,
                       [&](const vlm::Delta& delta) { audience.tell(delta); });
    ConversationMode mode(profile_, task, summary.tools);

    bool closed = false;
    const auto close = [&](Outcome outcome, const std::string& why) {
        RunFinished result;
        result.outcome = outcome;
        result.why = why;
        result.turns = mode.state().turn;
        result.usage = audience.usage();
        result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - start);
        closed = true; // a run ends once, even if the next line fails
        journal.append(Payload(result), result.turns);
        directory.write_summary(summary, &result);
        return result;
    };
    try {
        journal.append(Payload(RunStarted{task, profile_.name, profile_.model}), 0);
        const Finish finish = drive(mode, journal, world);
        return close(finish.outcome, finish.why);
    } catch (const std::exception& problem) {
        // A file that cannot be written, a tool that throws: what can still be told is told.
        try {
            if (!closed) close(Outcome::failed, problem.what());
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): the first problem counts
        }
        throw;
    }
}

} // namespace agent
