#include "eyehand/agent/agent.hpp"

#include "base/text.hpp"
#include "dialects/action_tools.hpp"
#include "eyehand/agent/desktop_world.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/base/exception_text.hpp"
#include "record/execution_log.hpp"
#include "record/run_writer.hpp"
#include "record/turn_log.hpp"
#include "run/limit_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Also `more`, under their own names.
std::vector<ToolPresentation> with(std::vector<ToolPresentation> presentations,
                                   const std::vector<std::string>& more) {
    for (const std::string& name : more) {
        const bool there = std::any_of(
            presentations.begin(), presentations.end(),
            [&](const ToolPresentation& presentation) { return presentation.tool == name; });
        if (!there) presentations.push_back({name, {}, {}, std::nullopt});
    }
    return presentations;
}

/// For run.json: the tools offered to any role, each once.
std::vector<vlm::ToolSpec> all_specs(const Profile& profile, const ToolsByRole& tools) {
    std::vector<std::string> internal;
    for (const RolePlan& role : mode_of(profile).roles(profile))
        if (!role.offered) internal.push_back(role.name);
    std::vector<vlm::ToolSpec> all;
    for (const auto& [role, box] : tools) {
        if (std::find(internal.begin(), internal.end(), role) != internal.end()) continue;
        for (vlm::ToolSpec& spec : box.specs())
            if (std::none_of(all.begin(), all.end(),
                             [&](const vlm::ToolSpec& known) { return known.name == spec.name; }))
                all.push_back(std::move(spec));
    }
    return all;
}

/// Distributes events to the token totals, the caller's observers and the execution log.
class EventDispatcher {
public:
    EventDispatcher(RunWriter& writer, const Profile& profile, std::span<Observer* const> observers)
        : writer_(writer), log_(profile, writer.store()) {
        for (Observer* observer : observers)
            if (observer != nullptr) observers_.push_back(observer);
    }

    /// `call` receives each screenshot before the mode does.
    void on_look(std::function<void(const Observed&)> call) { on_look_ = std::move(call); }

    /// `limits` receives each event after it is logged; nullptr: none does.
    void watch(LimitWatch* limits) { limits_ = limits; }

    void dispatch(const Event& event) {
        visit(
            event,
            [this](const Observed& fact) {
                if (on_look_) on_look_(fact);
            },
            [this](const Replied& fact) { count(fact); },
            [this](const Superseded& fact) { count(fact); }, [](const auto&) {});
        // Observers come first: they receive the event even if the log cannot be written.
        for_each_observer([&](Observer& observer) { observer.on_event(event); });
        writer_.log_event(event, log_.entry(event));
        if (limits_ != nullptr) limits_->on_event(event);
    }
    /// The log continues after the events of the earlier parts of a resumed run, oldest first.
    void follow(const Event& event) { log_.follow(event); }
    /// Adds the tokens of a reply or a canceled request; also called for those before a resumption.
    void count(const Replied& fact) {
        add(usage_.prompt_tokens, fact.reply.usage.prompt_tokens);
        add(usage_.cached_tokens, fact.reply.usage.cached_tokens);
        add(usage_.completion_tokens, fact.reply.usage.completion_tokens);
    }
    void count(const Superseded& fact) { add(usage_.prompt_tokens, fact.spent_tokens()); }
    void dispatch(const vlm::Delta& delta) {
        for_each_observer([&](Observer& observer) { observer.on_delta(delta); });
    }
    void dispatch(const ToolProgress& progress) {
        for_each_observer([&](Observer& observer) { observer.on_progress(progress); });
    }
    void dispatch(const ModeState& state) {
        for_each_observer([&](Observer& observer) { observer.on_state(state); });
    }
    [[nodiscard]] const vlm::Usage& usage() const { return usage_; }

private:
    /// An observer must not be able to end the run.
    template <class Call>
    void for_each_observer(Call call) {
        for (Observer*& observer : observers_) {
            try {
                if (observer != nullptr) call(*observer);
            } catch (const std::exception& problem) {
                give_up(observer, problem.what());
            } catch (...) {
                give_up(observer, "it threw something that is not an exception");
            }
        }
    }
    void give_up(Observer*& observer, std::string_view problem) {
        observer = nullptr;
        writer_.log_note(fmt::format("OBSERVER FAILED: {}\n", problem));
    }
    RunWriter& writer_;
    ExecutionLog log_;
    std::vector<Observer*> observers_; ///< nullptr: an observer that has failed
    std::function<void(const Observed&)> on_look_;
    LimitWatch* limits_ = nullptr;
    vlm::Usage usage_;
};

} // namespace

std::string_view to_string(Watch watch) noexcept {
    switch (watch) {
    case Watch::off:
        return "off";
    case Watch::check:
        return "check";
    case Watch::resend:
        return "resend";
    }
    return "?";
}

ToolsByRole tools_by_role(const Toolbox& tools, const Profile& profile,
                          const AgentOptions& options) {
    Toolbox all_tools = tools;
    all_tools.add(options.custom_tools);
    const bool native = profile.dialect == Dialect::native;
    if (!native && !all_tools.has(invalid_action_tool)) all_tools.add(dialect_tools());
    std::vector<std::string> more = profile.extra_tools;
    more.insert(more.end(), options.with.begin(), options.with.end());
    if (profile.offer_custom_tools)
        for (const vlm::ToolSpec& tool : options.custom_tools.specs()) more.push_back(tool.name);
    ToolsByRole all;
    bool any_acts = false;
    bool states_actions = false;
    for (const RolePlan& role : mode_of(profile).roles(profile)) {
        any_acts = any_acts || role.acts;
        std::vector<ToolPresentation> presentations =
            role.acts ? with(role.tools, more) : role.tools;
        if (!native) presentations = presentations_for_dialect(std::move(presentations), all_tools);
        states_actions = states_actions || (role.offered && actions_of(presentations).any());
        all.emplace(role.name, all_tools.present(presentations));
    }
    if (!native && !states_actions)
        throw Error(
            errc::bad_profile,
            fmt::format("the dialect \"{}\" is not possible: no role of the mode \"{}\" acts "
                        "with tools",
                        to_string(profile.dialect), profile.mode));
    if (!any_acts && !more.empty())
        throw Error(errc::unknown_tool,
                    fmt::format("the mode \"{}\" offers no tools: remove \"{}\"", profile.mode,
                                more.front()));
    for (auto& [role, offered_tools] : all)
        offered_tools.use_coordinates(coordinate_converter(profile));
    return all;
}

namespace {

Profile with_coordinates(Profile profile, winio::Desktop& desktop, const winio::AreaChoice& area) {
    // Stays if the area cannot be chosen now: then the run's first screenshot fails.
    winio::Size size{1920, 1080};
    try {
        size = winio::choose_area(desktop, area).bounds().size();
    } catch (const winio::Error&) {          // NOLINT(bugprone-empty-catch)
    } catch (const std::invalid_argument&) { // NOLINT(bugprone-empty-catch): reported below
    }
    (void)resolve_coordinates(profile, size);
    return profile;
}

} // namespace

Agent::Agent(winio::Desktop& desktop, vlm::ChatModel& model, Profile profile, const Toolbox& tools,
             AgentOptions options)
    : desktop_(desktop), model_(model),
      profile_(with_coordinates(std::move(profile), desktop, options.area)),
      tools_(tools_by_role(tools, profile_, options)), options_(std::move(options)) {
    // An empty crop is the caller's mistake: report it now, not in the middle of the run.
    const std::vector<winio::Display> any{
        {.id = "any", .bounds = {0, 0, 1000, 1000}, .primary = true}};
    (void)winio::choose_area(any, {.crop = options_.area.crop});
    if (options_.redaction.needs_windows() && desktop_.windows() == nullptr)
        throw std::invalid_argument("windows cannot be redacted: the desktop does not list them");
    mode_of(profile_).check(profile_, options_.first_reply);
}

/// One run of an agent, from its first or next fact to its end.
class Agent::Session {
public:
    Session(Agent& agent, const std::string& task, RunWriter& writer, const RunControl& control,
            EventDispatcher& dispatcher, Journal& journal)
        : writer_(writer), dispatcher_(dispatcher),
          journal_(journal), summary_{task, agent.profile_, all_specs(agent.profile_, agent.tools_),
                                      agent.options_.settings},
          make_mode_([&agent, task] {
              return make_mode({agent.profile_, task, agent.tools_, agent.options_.make_memory});
          }),
          mode_(make_mode_()), turn_log_(writer.store(), agent.profile_.log.layout),
          world_(make_desktop_world({agent.desktop_, agent.model_, agent.tools_, agent.profile_,
                                     agent.options_, writer.store(), control,
                                     [&](const vlm::Delta& delta) { dispatcher_.dispatch(delta); },
                                     [&](const ModeState& state) { dispatcher_.dispatch(state); },
                                     [&](const ToolProgress& it) { dispatcher_.dispatch(it); },
                                     &journal_})),
          control_(control),
          limits_(agent.options_.limits, control_, writer.store(), journal.elapsed()) {}
    ~Session() { dispatcher_.watch(nullptr); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// `first` writes the entry with which the run starts or continues.
    RunFinished go(const std::function<void()>& first) {
        const InputScope input_scope(control_, mode_of(summary_.profile).traits().takes_replies
                                                   ? RunPort::Replies::taken
                                                   : RunPort::Replies::not_taken);
        write_summary(writer_.store(), summary_);
        try {
            first();
            writer_.log_note(describe_configuration(summary_));
            write_turns_again();
            dispatcher_.on_look(
                [this](const Observed& fact) { turn_log_.add(fact, mode_->state()); });
            for (const Fact& fact : journal_.recovered()) {
                if (const auto* seen = std::get_if<Observed>(&fact)) world_->remember(*seen);
                if (const auto* call = std::get_if<Invoked>(&fact)) world_->remember(*call);
                if (const auto* reply = std::get_if<Replied>(&fact)) dispatcher_.count(*reply);
                if (const auto* canceled = std::get_if<Superseded>(&fact))
                    dispatcher_.count(*canceled);
            }
            limits_.count(dispatcher_.usage());
            dispatcher_.watch(&limits_);
            const Finish finish = drive(*mode_, journal_, *world_);
            return close(finish.outcome, finish.reason);
        } catch (const std::exception& problem) {
            // A file cannot be written, or a tool threw: close the run's files as far as possible.
            try {
                if (!closed_) close(Outcome::failed, base::exception_text(problem));
            } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): the first one counts
            }
            throw;
        }
    }

private:
    /// Accepts the control's input as long as it exists.
    class InputScope {
    public:
        InputScope(RunPort& control, RunPort::Replies replies) : control_(control) {
            control_.begin(replies);
        }
        ~InputScope() { control_.end(); }
        InputScope(const InputScope&) = delete;
        InputScope& operator=(const InputScope&) = delete;

    private:
        RunPort& control_;
    };

    /// The log of turns may lack its end after an interruption.
    void write_turns_again() {
        if (summary_.profile.log.layout == LogLayout::screenshots) return;
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
        result.usage = dispatcher_.usage();
        result.elapsed = journal_.elapsed();
        closed_ = true; // a run ends once, even if the next line fails
        // run.json must contain the outcome even if only the execution log cannot be written.
        std::exception_ptr problem;
        try {
            journal_.append(Payload(result), result.turns);
        } catch (...) {
            problem = std::current_exception();
        }
        try {
            write_summary(writer_.store(), summary_, &result);
        } catch (...) {
            if (!problem) throw;
        }
        if (problem) std::rethrow_exception(problem);
        return result;
    }

    RunWriter& writer_;
    EventDispatcher& dispatcher_;
    Journal& journal_;
    const RunSummary summary_;
    const std::function<std::unique_ptr<Mode>()> make_mode_;
    const std::unique_ptr<Mode> mode_;
    TurnLog turn_log_;
    const std::unique_ptr<World> world_;
    RunPort control_;
    LimitWatch limits_;
    bool closed_ = false;
};

RunFinished Agent::run(const std::string& task, RunStore& store, const RunControl& control,
                       Observer* observer) {
    return run(task, store, control, {&observer, 1});
}

RunFinished Agent::run(const std::string& task, RunStore& store, const RunControl& control,
                       std::span<Observer* const> observers) {
    if (trim(task).empty())
        throw Error(errc::empty_task, "the task is empty: describe what the agent must do");
    if (store.contains(journal_name)) {
        throw Error(errc::run_exists,
                    "the run directory already contains a run: create another one");
    }
    RunWriter writer(store, options_.screenshot_names, profile_.log);
    EventDispatcher dispatcher(writer, profile_, observers);
    Journal journal(
        store, [&](const Event& event) { dispatcher.dispatch(event); }, options_.journal_key);
    Session session(*this, task, writer, control, dispatcher, journal);
    return session.go([&] {
        journal.append(Payload(RunStarted{task, profile_.name, profile_.model}), 0);
    });
}

namespace {

/// Names of tools that were offered when the run started, and are no longer offered.
std::vector<std::string> missing_tools(const RunStore& store,
                                       const std::vector<vlm::ToolSpec>& now) {
    std::vector<std::string> missing;
    try {
        for (const vlm::ToolSpec& then : load_run(store).summary.tools)
            if (std::none_of(now.begin(), now.end(),
                             [&](const vlm::ToolSpec& tool) { return tool.name == then.name; }))
                missing.push_back(then.name);
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): only the journal is required
    }
    return missing;
}

} // namespace

RunFinished Agent::resume(RunStore& store, const RunControl& control, Observer* observer,
                          std::vector<std::string> remarks) {
    return resume(store, control, {&observer, 1}, std::move(remarks));
}

RunFinished Agent::resume(RunStore& store, const RunControl& control,
                          std::span<Observer* const> observers, std::vector<std::string> remarks) {
    if (!store.contains(journal_name))
        throw Error(errc::bad_run, "the run directory has no journal, so the run "
                                   "never started: start a new one");
    RunWriter writer(store, options_.screenshot_names, profile_.log);
    EventDispatcher dispatcher(writer, profile_, observers);
    Journal journal(
        store, [&](const Event& event) { dispatcher.dispatch(event); }, options_.journal_key);
    if (journal.task().empty())
        throw Error(errc::journal_corrupt,
                    "the journal does not contain the start of the run: start a new one");
    if (journal.outcome() == to_string(Outcome::completed))
        throw Error(errc::run_over, "the run is completed and cannot be resumed: start a new one");
    if (const auto missing = missing_tools(store, all_specs(profile_, tools_)); !missing.empty())
        remarks.push_back(fmt::format("tools that are no longer offered: {}; pass them again to "
                                      "offer them",
                                      fmt::join(missing, ", ")));
    for_each_event(store, [&](Event&& event) { dispatcher.follow(event); });
    Session session(*this, journal.task(), writer, control, dispatcher, journal);
    return session.go([&] { journal.resume(std::move(remarks), 0); });
}

} // namespace eyehand::agent
