#include "guard.hpp"

#include "commands.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/screen_state.hpp"
#include "eyehand/winio/system.hpp"
#include "platform.hpp"
#include "terminal_questions.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <variant>
#include <vector>

namespace eyehand::cli {

agent::GuardLevel guard_level(const session::Config& config) {
    using agent::GuardLevel;
    const std::string guard = *config.text("guard");
    const GuardLevel level = guard == "strict"     ? GuardLevel::strict
                             : guard == "standard" ? GuardLevel::standard
                                                   : GuardLevel::off;
    return config.text("approve") == "always" ? GuardLevel::strict : level;
}

std::filesystem::path administrator_rules() {
#ifdef _WIN32
    const std::string folder = environment_variable("ProgramData");
    return folder.empty() ? std::filesystem::path() : path_of(folder) / "Eyehand" / "guard.json";
#else
    return "/etc/eyehand/guard.json";
#endif
}

std::filesystem::path user_rules() {
    const std::filesystem::path folder = configuration_folder();
    return folder.empty() ? folder : folder / "guard.json";
}

namespace {

/// False only if the file is known not to exist: one that cannot be read is an error.
bool is_there(const std::filesystem::path& file) {
    std::error_code unknown;
    return !file.empty() && std::filesystem::symlink_status(file, unknown).type() !=
                                std::filesystem::file_type::not_found;
}

} // namespace

agent::Guard make_guard(agent::GuardLevel level, const GuardFlags& flags) {
    agent::Guard guard(level);
    try {
        const std::filesystem::path administrator = administrator_rules();
        if (is_there(administrator))
            guard.add(agent::load_guard_rules(administrator), agent::RuleOrigin::administrator);
        for (const std::string& file : flags.rule_files())
            guard.add(agent::load_guard_rules(path_of(file)), agent::RuleOrigin::user);
        const std::filesystem::path users = user_rules();
        if (is_there(users)) {
            if (!only_the_user_can_change(users))
                throw UsageError(fmt::format("{} must belong to you, and other users must not be "
                                             "able to change it",
                                             text_of(users)));
            guard.add(agent::load_guard_rules(users), agent::RuleOrigin::user);
        }
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    return guard;
}

namespace {

template <class Values>
auto value_of(const Values& values, const std::string& word, const char* name) {
    std::string known;
    for (const auto value : values) {
        if (to_string(value) == word) return value;
        known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(value));
    }
    throw UsageError(fmt::format("{} is \"{}\"; it must be one of: {}", name, word, known));
}

agent::GuardedAction action_of(const GuardTestFlags& flags) {
    using agent::EffectKind;
    agent::GuardedAction action;
    action.tool = flags.tool;
    if (!flags.provenance.empty())
        action.provenance = value_of(agent::provenances(), flags.provenance, "--provenance");
    winio::WindowInfo window;
    window.id = winio::WindowId{1};
    window.title = flags.title;
    window.window_class = flags.window_class;
    window.process = flags.process;
    window.elevated = flags.elevated;
    window.bounds = {0, 0, 1, 1};
    window.foreground = true;
    const agent::GuardSurroundings around{.windows = {{window}}};
    const EffectKind kind = value_of(agent::effect_kinds(), flags.effect, "EFFECT");
    // A plan with this effect, so that windows and chords are recognized as in a run.
    winio::Plan plan;
    switch (kind) {
    case EffectKind::move:
        plan = winio::gesture::move({0, 0});
        break;
    case EffectKind::click:
        plan = winio::gesture::click({0, 0});
        action.label = flags.text;
        break;
    case EffectKind::scroll:
        plan = winio::gesture::scroll({0, 0}, 1);
        break;
    case EffectKind::key: {
        std::string problem;
        const auto chord = winio::parse_chord(flags.text, &problem);
        if (!chord) throw UsageError(problem);
        plan = winio::gesture::press(*chord);
        break;
    }
    case EffectKind::text:
        if (const std::string problem = winio::gesture::typing_problem(flags.text);
            !problem.empty())
            throw UsageError(problem);
        plan = winio::gesture::type(flags.text);
        break;
    case EffectKind::clipboard_write:
        plan.steps = {winio::Step{winio::ClipboardWrite{flags.text}}};
        break;
    case EffectKind::window:
        plan.steps = {winio::Step{winio::WindowCommand{window.id, winio::WindowAction::focus, {}}}};
        break;
    case EffectKind::launch:
        plan.steps = {winio::Step{winio::LaunchCommand{flags.text}}};
        break;
    case EffectKind::clipboard_read:
    case EffectKind::program:
        action.effects.push_back({.kind = kind, .window_known = true, .command = flags.text});
        return action;
    }
    action.effects = agent::effects_of(plan, around);
    return action;
}

} // namespace

ExitCode test_guard(const GuardTestFlags& flags) {
    session::Config config = configuration(std::optional<std::string>());
    add_guard_flags(config, flags.guard);
    agent::GuardLevel level = guard_level(config);
    // Without a guard there would be nothing to test.
    if (level == agent::GuardLevel::off && flags.guard.level.empty())
        level = agent::GuardLevel::standard;
    const agent::GuardVerdict verdict = make_guard(level, flags.guard).judge(action_of(flags), {});
    print_to(stdout,
             printable(fmt::format("{} ({}){}{}\n", to_string(verdict.decision), verdict.rule,
                                   verdict.reason.empty() ? "" : ": ", verdict.reason)));
    return ExitCode::completed;
}

namespace {

/// ", in 3.2 s"; empty if the journal does not have the duration.
std::string in_time(std::chrono::microseconds duration) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    using Seconds = std::chrono::duration<double>;
    if (duration.count() == 0) return {};
    return duration < std::chrono::seconds(1)
               ? fmt::format(", in {:.1f} ms", Milliseconds(duration).count())
               : fmt::format(", in {:.1f} s", Seconds(duration).count());
}

} // namespace

ExitCode explain_guard(const std::string& directory) {
    const std::filesystem::path path = path_of(directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is not a run directory: it contains no run.json", directory));
    bool any = false;
    const auto line = [&any](int turn, const std::string& action, const agent::GuardRecord& guard,
                             std::chrono::microseconds duration) {
        print_to(stdout, printable(fmt::format(
                             "turn {}: {}: {} by the {}{}, rule \"{}\"{}\n", turn, action,
                             guard.allowed ? "allowed" : "denied",
                             guard.decider == "unattended" ? "absence of a user" : guard.decider,
                             guard.channel.empty() ? "" : " (" + guard.channel + ")", guard.rule,
                             in_time(duration))));
        any = true;
    };
    // Journals of older versions have decisions in the facts only; a resumed run may have both kinds.
    bool has_decisions = false; // of the latest command
    for (const agent::Event& event : agent::read_journal(agent::RunDirectory::open(path)))
        agent::visit(
            event, [&](const agent::Invoke&) { has_decisions = false; },
            [&](const agent::Recover&) { has_decisions = false; },
            [&](const agent::Judged& it) {
                has_decisions = true;
                line(event.turn, it.step.empty() ? it.tool : "recovery (" + it.step + ")", it.guard,
                     it.policy);
            },
            [&](const agent::Invoked& it) {
                if (it.guard && !has_decisions) line(event.turn, it.tool, *it.guard, it.policy);
            },
            [&](const agent::Recovered& it) {
                if (it.guard && !has_decisions) line(event.turn, "recovery", *it.guard, it.policy);
            },
            [](const auto&) {});
    if (!any) print_to(stdout, "The guard judged no action of this run.\n");
    return ExitCode::completed;
}

namespace {

/// What a command of the user would do now.
class Command {
public:
    Command(winio::Desktop& desktop, const winio::AreaChoice& choice, const winio::WorkArea& area)
        : desktop_(desktop), choice_(choice), bounds_(area.bounds()) {}

    [[nodiscard]] std::vector<agent::GuardedEffect> effects_of(const winio::Plan& plan) const {
        return agent::effects_of(plan, surroundings());
    }

private:
    [[nodiscard]] agent::GuardSurroundings surroundings() const {
        agent::GuardSurroundings around;
        around.windows = winio::listed_windows(desktop_);
        if (desktop_.windows() == nullptr)
            around.windows.emplace();
        else
            around.password_fields = desktop_.windows()->password_fields();
        around.pointer = desktop_.pointer();
        around.own_processes = own_processes_;
        if (choice_.window && around.windows)
            around.chosen_window = winio::find_window(*around.windows, *choice_.window);
        if (choice_.crop && !choice_.window) around.crop = bounds_;
        return around;
    }

    winio::Desktop& desktop_;
    winio::AreaChoice choice_;
    winio::Rect bounds_;
    std::vector<std::uint32_t> own_processes_ = winio::own_processes();
};

/// Prints why, if the action is denied.
bool is_denied(const agent::GuardVerdict& verdict) {
    if (verdict.decision == agent::Decision::allow) return false;
    print_to(stderr,
             printable(fmt::format("agent-cli: denied by the rule \"{}\"{}{}\n", verdict.rule,
                                   verdict.reason.empty() ? "" : ": ", verdict.reason)));
    return true;
}

bool is_approved(const agent::GuardVerdict& verdict, const std::stop_token& stop) {
    const auto answer = ask(
        printable(fmt::format("agent-cli: the rule \"{}\" asks{}{} Continue? [y/N] ", verdict.rule,
                              verdict.reason.empty() ? "." : ": ", verdict.reason)),
        stop);
    if (answer && is_yes(*answer)) return true;
    print_to(stderr, "agent-cli: not carried out, because you did not allow it\n");
    return false;
}

} // namespace

std::optional<winio::CheckBatch> permit(const winio::Plan& plan, winio::Desktop& desktop,
                                        const winio::AreaChoice& choice,
                                        const winio::WorkArea& area, const GuardFlags& flags,
                                        const std::stop_token& stop) {
    using agent::Decision;
    const agent::Guard guard = make_guard(
        flags.level == "off" ? agent::GuardLevel::off : agent::GuardLevel::standard, flags);
    if (guard.level() == agent::GuardLevel::off) return winio::CheckBatch();
    const Command command(desktop, choice, area);
    const auto present_action = [&] {
        return agent::GuardedAction{.provenance = agent::Provenance::user,
                                    .effects = command.effects_of(plan)};
    };
    const agent::GuardedAction action = present_action();
    agent::GuardVerdict verdict = guard.judge(action, std::chrono::steady_clock::now());
    if (verdict.decision == Decision::ask && terminal_can_ask()) {
        if (!is_approved(verdict, stop)) return std::nullopt;
        // The question takes time, and the terminal may have taken the keyboard focus. The approval
        // is for `action`: the check withholds the input from other windows.
        verdict = guard.judge(present_action(), std::chrono::steady_clock::now());
        if (verdict.decision == Decision::ask) verdict.decision = Decision::allow;
    }
    if (is_denied(verdict)) return std::nullopt;
    return [command, action](const winio::Batch& batch) -> std::optional<std::string> {
        if (covers(action, command.effects_of({{winio::Step{batch}}, {}}))) return std::nullopt;
        return "another window than before, or a password field, would receive the input";
    };
}

void put_rules(std::vector<agent::Setting>& settings, const GuardFlags& flags) {
    std::string files;
    for (const std::string& file : flags.rule_files())
        files += (files.empty() ? "" : ", ") + text_of(std::filesystem::absolute(path_of(file)));
    if (!files.empty()) settings.push_back({"guard_rules", files, "--guard-rules"});
}

} // namespace eyehand::cli
