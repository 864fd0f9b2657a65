#include "eyehand/agent/agent.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "modes/conversation/conversation_mode.hpp"
#include "modes/heated_mode.hpp"
#include "modes/team/team_mode.hpp"
#include "modes/visual_loop/visual_loop_mode.hpp"
#include "record/turn_log.hpp"
#include "run/desktop_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

namespace eyehand::agent {
namespace {

void add(std::optional<int>& total, const std::optional<int>& more) {
    if (more) total = total.value_or(0) + *more;
}

/// The tools under the profile's faces, then those that are wanted besides.
Toolbox offered(const Toolbox& tools, std::vector<ToolPresentation> faces, const Profile& profile,
                const std::vector<std::string>& with) {
    for (const auto* more : {&profile.extra_tools, &with}) {
        for (const std::string& name : *more) {
            const bool there =
                std::any_of(faces.begin(), faces.end(),
                            [&](const ToolPresentation& face) { return face.tool == name; });
            if (!there) faces.push_back({name, {}, {}, std::nullopt});
        }
    }
    return tools.present(faces);
}

/// What carries out a visual loop's actions; the model is offered none of them.
Toolbox visual_tools(const Toolbox& tools, const std::vector<std::string>& with) {
    if (!with.empty())
        throw Error(errc::unknown_tool, fmt::format("a visual loop offers no tools: \"{}\" has no "
                                                    "place in it",
                                                    with.front()));
    std::vector<ToolPresentation> faces;
    for (const char* name :
         {"move", "click", "right_click", "double_click", "drag", "type", "press", "scroll"})
        faces.push_back({.tool = name});
    return tools.present(faces);
}

ToolsByRole offered_by_role(const Toolbox& tools, const Profile& profile,
                            const std::vector<std::string>& with) {
    if (profile.visual) return {{"agent", visual_tools(tools, with)}};
    if (!profile.team) return {{"agent", offered(tools, profile.tools, profile, with)}};
    return {{profile.team->lead.name, tools.present(profile.team->lead.tools)},
            {profile.team->worker.name, offered(tools, profile.team->worker.tools, profile, with)}};
}

std::unique_ptr<Mode> make_plain_mode(const Profile& profile, const std::string& task,
                                      const ToolsByRole& tools, const MakeMemory& make_memory) {
    if (profile.visual) return std::make_unique<VisualLoopMode>(profile, task);
    if (profile.mode == "conversation")
        return std::make_unique<ConversationMode>(profile, task, tools.at("agent").specs());
    if (profile.mode != "team" || !profile.team)
        throw Error(
            errc::bad_profile,
            fmt::format("there is no mode \"{}\", or its settings are missing", profile.mode));
    const TeamProfile& team = *profile.team;
    TeamMode::Offers offers{tools.at(team.lead.name).specs(), tools.at(team.worker.name).specs(),
                            tools.at(team.lead.name).name_of("brief")};
    std::unique_ptr<Memory> memory =
        make_memory ? make_memory()
                    : std::make_unique<TeamMemory>(TeamMemoryOptions{
                          .threshold = static_cast<std::size_t>(team.compression_threshold)});
    return std::make_unique<TeamMode>(profile, task, std::move(offers), std::move(memory));
}

std::unique_ptr<Mode> make_mode(const Profile& profile, const std::string& task,
                                const ToolsByRole& tools, const MakeMemory& make_memory) {
    // A visual loop has heat of its own.
    if (profile.visual || !profile.executed_heat.enabled)
        return make_plain_mode(profile, task, tools, make_memory);
    return std::make_unique<HeatedMode>(
        make_plain_mode(with_heat_explained(profile), task, tools, make_memory),
        profile.executed_heat.trail_turns);
}

/// For run.json: what any role is offered, each tool once.
std::vector<vlm::ToolSpec> all_specs(const Profile& profile, const ToolsByRole& tools) {
    std::vector<vlm::ToolSpec> all;
    if (profile.visual) return all;
    for (const auto& [role, box] : tools)
        for (vlm::ToolSpec& spec : box.specs())
            if (std::none_of(all.begin(), all.end(),
                             [&](const vlm::ToolSpec& known) { return known.name == spec.name; }))
                all.push_back(std::move(spec));
    return all;
}

/// Everybody who is told of an event: the totals, the caller's observer, and the execution log.
class Audience {
public:
    Audience(RunDirectory& directory, Observer* observer)
        : directory_(directory), observer_(observer) {}

    /// Called with each look before the mode knows of it.
    void on_look(std::function<void(const Observed&)> call) { on_look_ = std::move(call); }

    void tell(const Event& event) {
        visit(
            event,
            [this](const Observed& fact) {
                if (on_look_) on_look_(fact);
            },
            [this](const Replied& fact) { count(fact); }, [](const auto&) {});
        // First: who watches is told even where the log cannot be written.
        watched([&] { observer_->on_event(event); });
        directory_.log_event(event);
    }
    /// What a reply took; also of those that came before a resumption.
    void count(const Replied& fact) {
        add(usage_.prompt_tokens, fact.reply.usage.prompt_tokens);
        add(usage_.cached_tokens, fact.reply.usage.cached_tokens);
        add(usage_.completion_tokens, fact.reply.usage.completion_tokens);
    }
    void tell(const vlm::Delta& delta) {
        watched([&] { observer_->on_delta(delta); });
    }
    void tell(const ModeState& state) {
        watched([&] { observer_->on_state(state); });
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
    std::function<void(const Observed&)> on_look_;
    vlm::Usage usage_;
};

} // namespace

Agent::Agent(winio::Desktop& desktop, vlm::ChatModel& model, Profile profile, const Toolbox& tools,
             AgentOptions options)
    : desktop_(desktop), model_(model), profile_(std::move(profile)),
      tools_(offered_by_role(tools, profile_, options.with)), options_(std::move(options)) {
    // An area that no display could have is the caller's mistake, and better told now than in
    // mid-run.
    const std::vector<winio::Display> any{
        {.id = "any", .bounds = {0, 0, 1000, 1000}, .primary = true}};
    (void)winio::choose_area(any, {.crop = options_.area.crop});
    if (profile_.visual && options_.first_reply == Source::library) check_first_reply(profile_);
}

/// One run of an agent, from its first or its next fact to its end.
class Agent::Session {
public:
    Session(Agent& agent, const std::string& task, RunDirectory& directory, RunControl& control,
            Audience& audience, Journal& journal)
        : directory_(directory), audience_(audience),
          journal_(journal), summary_{task, agent.profile_, all_specs(agent.profile_, agent.tools_),
                                      agent.options_.settings},
          make_mode_([&agent, task] {
              return make_mode(agent.profile_, task, agent.tools_, agent.options_.make_memory);
          }),
          mode_(make_mode_()), turn_log_(directory, agent.profile_.log.layout),
          world_(
              agent.desktop_, agent.model_, agent.tools_, agent.profile_, agent.options_, directory,
              control, [&](const vlm::Delta& delta) { audience_.tell(delta); },
              [&](const ModeState& state) { audience_.tell(state); }),
          control_(control) {}

    /// `first` is the entry with which it begins.
    RunFinished go(const std::function<void()>& first) {
        const Door door(control_, summary_.profile.visual ? RunControl::Replies::taken
                                                          : RunControl::Replies::not_taken);
        directory_.write_summary(summary_);
        directory_.keep_as(summary_.profile.log);
        try {
            first();
            write_turns_again();
            audience_.on_look(
                [this](const Observed& fact) { turn_log_.add(fact, mode_->state()); });
            for (const Fact& fact : journal_.recovered()) {
                if (const auto* seen = std::get_if<Observed>(&fact)) world_.remember(*seen);
                if (const auto* reply = std::get_if<Replied>(&fact)) audience_.count(*reply);
            }
            const Finish finish = drive(*mode_, journal_, world_);
            return close(finish.outcome, finish.reason);
        } catch (const std::exception& problem) {
            // A file that cannot be written, a tool that throws: what can still be told is told.
            try {
                if (!closed_) close(Outcome::failed, problem.what());
            } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): the first one counts
            }
            throw;
        }
    }

private:
    /// Open as long as the run goes on.
    class Door {
    public:
        Door(RunControl& control, RunControl::Replies replies) : control_(control) {
            control_.begin(replies);
        }
        ~Door() { control_.end(); }
        Door(const Door&) = delete;
        Door& operator=(const Door&) = delete;

    private:
        RunControl& control_;
    };

    /// What was written before the run was interrupted may lack its end.
    void write_turns_again() {
        if (!summary_.profile.visual) return;
        const std::unique_ptr<Mode> again = make_mode_();
        turn_log_.clear();
        for (const Fact& fact : journal_.recovered()) {
            if (const auto* seen = std::get_if<Observed>(&fact))
                turn_log_.add(*seen, again->state());
            again->apply(fact);
        }
    }

    RunFinished close(Outcome outcome, const std::string& reason) {
        RunFinished result;
        result.outcome = outcome;
        result.reason = reason;
        result.turns = mode_->state().turn;
        result.usage = audience_.usage();
        result.elapsed = journal_.elapsed();
        closed_ = true; // a run ends once, even if the next line fails
        // What it came to belongs in run.json, too, where only the execution log could not be
        // written.
        std::exception_ptr problem;
        try {
            journal_.append(Payload(result), result.turns);
        } catch (...) {
            problem = std::current_exception();
        }
        try {
            directory_.write_summary(summary_, &result);
        } catch (...) {
            if (!problem) throw;
        }
        if (problem) std::rethrow_exception(problem);
        return result;
    }

    RunDirectory& directory_;
    Audience& audience_;
    Journal& journal_;
    const RunSummary summary_;
    const std::function<std::unique_ptr<Mode>()> make_mode_;
    const std::unique_ptr<Mode> mode_;
    TurnLog turn_log_;
    DesktopWorld world_;
    RunControl& control_;
    bool closed_ = false;
};

RunFinished Agent::run(const std::string& task, RunDirectory& directory, RunControl& control,
                       Observer* observer) {
    if (trim(task).empty())
        throw Error(errc::empty_task, "the task is empty: say what is to be done");
    if (std::filesystem::exists(directory.journal_file())) {
        throw Error(errc::run_exists, "the run directory holds a run already: create another one");
    }
    Audience audience(directory, observer);
    Journal journal(directory.journal_file(), [&](const Event& event) { audience.tell(event); });
    Session session(*this, task, directory, control, audience, journal);
    return session.go([&] {
        journal.append(Payload(RunStarted{task, profile_.name, profile_.model}), 0);
    });
}

RunFinished Agent::resume(RunDirectory& directory, RunControl& control, Observer* observer,
                          std::vector<std::string> remarks) {
    if (!std::filesystem::exists(directory.journal_file()))
        throw Error(errc::bad_run, "there is no journal in this run directory: the run "
                                   "never began, start it anew");
    Audience audience(directory, observer);
    Journal journal(directory.journal_file(), [&](const Event& event) { audience.tell(event); });
    if (journal.task().empty())
        throw Error(errc::journal_corrupt,
                    "the journal ends before the run's first entry: start the run anew");
    if (journal.outcome() == to_string(Outcome::completed))
        throw Error(errc::run_over, "the run is completed: there is nothing to go on with");
    Session session(*this, journal.task(), directory, control, audience, journal);
    return session.go([&] { journal.resume(std::move(remarks), 0); });
}

} // namespace eyehand::agent
