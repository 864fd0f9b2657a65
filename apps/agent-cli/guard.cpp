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
#include <filesystem>
#include <variant>

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

ExitCode explain_guard(const std::string& directory) {
    const std::filesystem::path path = path_of(directory);
    if (!std::filesystem::exists(path / "run.json"))
        throw UsageError(
            fmt::format("{} is not a run directory: it contains no run.json", directory));
    const auto line = [](int turn, const std::string& action, const agent::GuardRecord& guard) {
        print_to(stdout, printable(fmt::format(
                             "turn {}: {}: {} by the {}{}, rule \"{}\"\n", turn, action,
                             guard.allowed ? "allowed" : "denied",
                             guard.decider == "unattended" ? "absence of a user" : guard.decider,
                             guard.channel.empty() ? "" : " (" + guard.channel + ")", guard.rule)));
    };
    bool any = false;
    for (const agent::Event& event : agent::read_journal(agent::RunDirectory::open(path))) {
        if (const auto* call = std::get_if<agent::Invoked>(&event.payload); call && call->guard) {
            line(event.turn, call->tool, *call->guard);
            any = true;
        }
        if (const auto* recovered = std::get_if<agent::Recovered>(&event.payload);
            recovered && recovered->guard) {
            line(event.turn, "recovery", *recovered->guard);
            any = true;
        }
    }
    if (!any) print_to(stdout, "The guard judged no action of this run.\n");
    return ExitCode::completed;
}

bool is_permitted(const winio::Plan& plan, winio::Desktop& desktop, const winio::AreaChoice& choice,
                  const winio::WorkArea& area, const GuardFlags& flags,
                  const std::stop_token& stop) {
    const agent::Guard guard = make_guard(
        flags.level == "off" ? agent::GuardLevel::off : agent::GuardLevel::standard, flags);
    const auto verdict_now = [&] {
        agent::GuardSurroundings around;
        around.windows = winio::listed_windows(desktop);
        if (desktop.windows() == nullptr) around.windows.emplace();
        around.pointer = desktop.pointer();
        around.own_processes = winio::own_processes();
        if (choice.window && around.windows)
            around.chosen_window = winio::find_window(*around.windows, *choice.window);
        if (choice.crop && !choice.window) around.crop = area.bounds();
        return guard.judge(
            {.provenance = agent::Provenance::user, .effects = agent::effects_of(plan, around)},
            std::chrono::steady_clock::now());
    };
    const auto is_denied = [](const agent::GuardVerdict& verdict) {
        if (verdict.decision == agent::Decision::allow) return false;
        print_to(stderr,
                 printable(fmt::format("agent-cli: denied by the rule \"{}\"{}{}\n", verdict.rule,
                                       verdict.reason.empty() ? "" : ": ", verdict.reason)));
        return true;
    };
    const agent::GuardVerdict verdict = verdict_now();
    if (verdict.decision != agent::Decision::ask || !terminal_can_ask()) return !is_denied(verdict);
    const auto answer = ask(
        printable(fmt::format("agent-cli: the rule \"{}\" asks{}{} Continue? [y/N] ", verdict.rule,
                              verdict.reason.empty() ? "." : ": ", verdict.reason)),
        stop);
    if (!answer || !is_yes(*answer)) {
        print_to(stderr, "agent-cli: not carried out, because you did not allow it\n");
        return false;
    }
    // The question takes time, and the terminal may have taken the keyboard focus.
    const agent::GuardVerdict after = verdict_now();
    return after.decision == agent::Decision::ask || !is_denied(after);
}

void put_rules(std::vector<agent::Setting>& settings, const GuardFlags& flags) {
    std::string files;
    for (const std::string& file : flags.rule_files())
        files += (files.empty() ? "" : ", ") + text_of(std::filesystem::absolute(path_of(file)));
    if (!files.empty()) settings.push_back({"guard_rules", files, "--guard-rules"});
}

} // namespace eyehand::cli
