#include "eyehand/agent/guard.hpp"

#include "embedded.hpp"
#include "guard/mentions.hpp"
#include "guard/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace eyehand::agent {
namespace {

constexpr std::chrono::minutes period_of_rate{1};
/// Longer lines are cut at the front: what is typed last is what Enter executes.
constexpr std::size_t max_line_bytes = 65536;
constexpr std::size_t max_lines = 16; ///< windows in which a line is typed at the same time

std::vector<GuardRule> built_in(std::string_view name) {
    for (const EmbeddedFile& file : embedded_guard_rules())
        if (file.name == name) return parse_guard_rules(file.text, std::string(name));
    throw std::logic_error("no built-in rules of this name");
}

/// The result of a condition: what is unknown may be true.
enum class Match { no, unknown, yes };

Match both(Match a, Match b) { return std::min(a, b); }
Match known(bool holds) { return holds ? Match::yes : Match::no; }

template <class Value>
Match one_of(const std::vector<Value>& values, const Value& value) {
    return known(values.empty() || std::ranges::find(values, value) != values.end());
}

bool any_pattern(const std::vector<std::string>& patterns, std::string_view text) {
    return std::ranges::any_of(
        patterns, [&](const std::string& pattern) { return matches_pattern(pattern, text); });
}

/// Text that an effect does not have, such as the chord of a click, matches no pattern.
Match text_matches(const std::vector<std::string>& patterns, std::string_view text) {
    return known(patterns.empty() || (!text.empty() && any_pattern(patterns, text)));
}

/// What an action names, such as hosts: a rule that asks or denies is for an action that names one of
/// its patterns, a rule that allows for one that names nothing else.
Match names_match(const std::vector<std::string>& patterns, Decision then,
                  const std::vector<std::string>& names) {
    const auto fits = [&](const std::string& name) { return any_pattern(patterns, name); };
    if (then == Decision::allow) return known(!names.empty() && std::ranges::all_of(names, fits));
    return known(std::ranges::any_of(names, fits));
}

bool is_about_window(const GuardCondition& when) {
    return !when.processes.empty() || !when.classes.empty() || !when.titles.empty() ||
           !when.kinds.empty() || when.elevated.has_value();
}

Match window_matches(const GuardCondition& when, const GuardedEffect& effect) {
    if (!is_about_window(when)) return Match::yes;
    if (effect.kind == EffectKind::launch || effect.kind == EffectKind::program ||
        effect.kind == EffectKind::clipboard_read)
        return Match::no; // no window receives it
    if (!effect.window_known) return Match::unknown;
    if (!effect.window)
        return one_of(when.kinds, WindowKind::other) == Match::yes && when.processes.empty() &&
                       when.classes.empty() && when.titles.empty() && !when.elevated.value_or(false)
                   ? Match::yes
                   : Match::no;
    const GuardedWindow& window = *effect.window;
    Match match = one_of(when.kinds, window.kind);
    if (!when.processes.empty())
        match = both(match, window.process.empty()
                                ? Match::unknown
                                : known(any_pattern(when.processes, window.process)));
    if (!when.classes.empty())
        match = both(match, known(any_pattern(when.classes, window.window_class)));
    if (!when.titles.empty()) match = both(match, known(any_pattern(when.titles, window.title)));
    if (when.elevated) match = both(match, known(window.elevated == *when.elevated));
    return match;
}

/// `line`: the text as it stands in the line that is typed.
Match matches(const GuardRule& rule, const GuardedAction& action, const GuardedEffect& effect,
              const std::string& line, int rate) {
    const GuardCondition& when = rule.when;
    Match match = one_of(when.effects, effect.kind);
    match = both(match, one_of(when.provenances, action.provenance));
    match = both(match, text_matches(when.tools, action.tool));
    match = both(match, text_matches(when.labels, action.label));
    match = both(match, text_matches(when.chords, effect.chord));
    match = both(match, text_matches(when.texts, line));
    match = both(match, text_matches(when.commands, effect.command));
    const std::string& text = line.empty() ? effect.command : line;
    if (!when.paths.empty())
        match = both(match, names_match(when.paths, rule.then, paths_in(text)));
    if (!when.hosts.empty())
        match = both(match, names_match(when.hosts, rule.then, hosts_in(text)));
    if (when.text_longer_than) match = both(match, known(line.size() > *when.text_longer_than));
    if (when.more_per_minute_than) match = both(match, known(rate > *when.more_per_minute_than));
    if (when.outside_area)
        match = both(match, effect.outside_area ? known(*effect.outside_area == *when.outside_area)
                                                : Match::unknown);
    return both(match, window_matches(when, effect));
}

bool sends_text(const GuardedEffect& effect) { return !effect.text.empty(); }

} // namespace

std::string_view to_string(EffectKind kind) noexcept {
    switch (kind) {
    case EffectKind::move:
        return "move";
    case EffectKind::click:
        return "click";
    case EffectKind::scroll:
        return "scroll";
    case EffectKind::key:
        return "key";
    case EffectKind::text:
        return "text";
    case EffectKind::clipboard_write:
        return "clipboard_write";
    case EffectKind::clipboard_read:
        return "clipboard_read";
    case EffectKind::window:
        return "window";
    case EffectKind::launch:
        return "launch";
    case EffectKind::program:
        return "program";
    }
    return "?";
}

std::string_view to_string(Provenance provenance) noexcept {
    switch (provenance) {
    case Provenance::native:
        return "native";
    case Provenance::text:
        return "text";
    case Provenance::reply:
        return "reply";
    case Provenance::recovery:
        return "recovery";
    case Provenance::user:
        return "user";
    }
    return "?";
}

std::string_view to_string(WindowKind kind) noexcept {
    switch (kind) {
    case WindowKind::other:
        return "other";
    case WindowKind::own:
        return "own";
    case WindowKind::terminal:
        return "terminal";
    case WindowKind::run_dialog:
        return "run_dialog";
    case WindowKind::on_screen_keyboard:
        return "on_screen_keyboard";
    case WindowKind::password:
        return "password";
    case WindowKind::remote:
        return "remote";
    }
    return "?";
}

std::string_view to_string(Decision decision) noexcept {
    switch (decision) {
    case Decision::allow:
        return "allow";
    case Decision::ask:
        return "ask";
    case Decision::deny:
        return "deny";
    }
    return "?";
}

std::string_view to_string(RuleOrigin origin) noexcept {
    switch (origin) {
    case RuleOrigin::invariant:
        return "invariant";
    case RuleOrigin::administrator:
        return "administrator";
    case RuleOrigin::user:
        return "user";
    case RuleOrigin::built_in:
        return "built_in";
    }
    return "?";
}

std::string_view to_string(GuardLevel level) noexcept {
    switch (level) {
    case GuardLevel::off:
        return "off";
    case GuardLevel::standard:
        return "standard";
    case GuardLevel::strict:
        return "strict";
    }
    return "?";
}

Guard::Guard(GuardLevel level) : level_(level) {
    if (level == GuardLevel::off) return;
    for (GuardRule& rule : built_in("invariant.json"))
        rules_.push_back({std::move(rule), RuleOrigin::invariant});
    for (GuardRule& rule : built_in(level == GuardLevel::strict ? "strict.json" : "standard.json"))
        rules_.push_back({std::move(rule), RuleOrigin::built_in});
}

void Guard::add(std::vector<GuardRule> rules, RuleOrigin origin) {
    if (origin == RuleOrigin::invariant || origin == RuleOrigin::built_in)
        throw std::invalid_argument("rules of this origin are built in");
    for (GuardRule& rule : rules) {
        const auto next =
            std::ranges::find_if(rules_, [&](const Rule& other) { return other.origin > origin; });
        rules_.insert(next, {std::move(rule), origin});
    }
}

GuardVerdict Guard::judge(const GuardedAction& action, Time now) const {
    if (level_ == GuardLevel::off) return {Decision::allow, "off", {}};
    const auto recent =
        std::ranges::count_if(latest_, [&](Time time) { return now - time < period_of_rate; });
    const int rate = static_cast<int>(recent) + 1;
    GuardVerdict strictest;
    TypedLines lines = lines_;
    bool first = true;
    for (const GuardedEffect& effect : action.effects) {
        const std::string line = sends_text(effect) ? append(lines, effect) : std::string();
        GuardVerdict verdict = judge_effect(action, effect, line, rate);
        if (!first && verdict.decision <= strictest.decision) continue;
        strictest = std::move(verdict);
        first = false;
    }
    return strictest;
}

GuardVerdict Guard::judge_effect(const GuardedAction& action, const GuardedEffect& effect,
                                 const std::string& line, int rate) const {
    for (const auto& [rule, origin] : rules_) {
        // The rules of the levels ask for the user's approval, which the command itself shows.
        if (action.provenance == Provenance::user && origin == RuleOrigin::built_in) continue;
        const Match match = matches(rule, action, effect, line, rate);
        const bool counts =
            match == Match::yes || (match == Match::unknown && rule.then != Decision::allow);
        if (counts)
            return {rule.then, fmt::format("{}: {}", to_string(origin), rule.name), rule.reason};
    }
    return {};
}

void Guard::carried_out(const GuardedAction& action, Time now) {
    while (!latest_.empty() && now - latest_.front() >= period_of_rate) latest_.pop_front();
    latest_.push_back(now);
    for (const GuardedEffect& effect : action.effects)
        if (sends_text(effect)) (void)append(lines_, effect);
}

/// The line that the window has with this text. Only what follows its last Enter is kept.
std::string Guard::append(TypedLines& lines, const GuardedEffect& effect) {
    TypedLine line{.window = effect.window ? std::optional(effect.window->id) : std::nullopt,
                   .text = {}};
    const auto same =
        std::ranges::find(lines, line.window, [](const TypedLine& other) { return other.window; });
    if (same != lines.end()) {
        line = std::move(*same);
        lines.erase(same);
    }
    line.text += effect.text;
    if (line.text.size() > max_line_bytes) line.text.erase(0, line.text.size() - max_line_bytes);
    std::string typed = line.text;
    if (const std::size_t end = line.text.rfind('\n'); end != std::string::npos)
        line.text.erase(0, end + 1);
    if (!line.text.empty()) lines.push_back(std::move(line));
    if (lines.size() > max_lines) lines.pop_front();
    return typed;
}

} // namespace eyehand::agent
