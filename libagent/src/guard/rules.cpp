// The file format of rules.
#include "eyehand/agent/guard.hpp"

#include "base/nearest.hpp"
#include "base/path_text.hpp"
#include "guard/mentions.hpp"
#include "profile/members.hpp"
#include "profile/settings_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace eyehand::agent {
namespace {

constexpr std::size_t max_rules = 1000;

constexpr std::array all_effect_kinds{
    EffectKind::move,   EffectKind::click,           EffectKind::scroll, EffectKind::key,
    EffectKind::text,   EffectKind::clipboard_write, EffectKind::window, EffectKind::clipboard_read,
    EffectKind::launch, EffectKind::program};
constexpr std::array all_provenances{Provenance::native, Provenance::text, Provenance::reply,
                                     Provenance::recovery, Provenance::user};
constexpr std::array window_kinds{WindowKind::other,
                                  WindowKind::own,
                                  WindowKind::terminal,
                                  WindowKind::run_dialog,
                                  WindowKind::on_screen_keyboard,
                                  WindowKind::remote,
                                  WindowKind::password};
constexpr std::array decisions{Decision::allow, Decision::ask, Decision::deny};

/// Reads one or several words of an enumeration.
template <class Values>
auto words(const Members& members, std::string_view name, const Values& values) {
    std::vector<typename Values::value_type> all;
    std::vector<std::string> known;
    known.reserve(values.size());
    for (const auto value : values) known.emplace_back(to_string(value));
    for (const std::string& word : members.one_or_more(name)) {
        const auto found = std::ranges::find(known, word);
        if (found == known.end())
            members.refuse(name, fmt::format("contains \"{}\"; allowed values: {}{}", word,
                                             fmt::join(known, ", "), did_you_mean(word, known)));
        all.push_back(values.at(static_cast<std::size_t>(found - known.begin())));
    }
    return all;
}

void read_text(const Members& members, GuardCondition& when) {
    const json::value* value = members.value("text");
    if (value == nullptr) return;
    if (!value->is_object()) {
        when.texts = members.one_or_more("text");
        return;
    }
    const auto text = *members.object("text");
    text.allow_only({"matches", "longer_than"});
    when.texts = text.one_or_more("matches");
    std::optional<int> longer_than;
    text.read("longer_than", longer_than, 0, 1 << 30);
    if (longer_than) when.text_longer_than = static_cast<std::size_t>(*longer_than);
}

GuardCondition read_condition(const Members& members) {
    GuardCondition when;
    when.effects = words(members, "effect", all_effect_kinds);
    when.tools = members.one_or_more("tool");
    when.provenances = words(members, "provenance", all_provenances);
    when.processes = members.one_or_more("process");
    when.classes = members.one_or_more("class");
    when.titles = members.one_or_more("title");
    when.kinds = words(members, "kind", window_kinds);
    when.chords = members.one_or_more("chord");
    when.commands = members.one_or_more("command");
    when.labels = members.one_or_more("label");
    for (const std::string& path : members.one_or_more("path"))
        when.paths.push_back(path_form(path));
    when.hosts = members.one_or_more("host");
    members.read("elevated", when.elevated);
    read_text(members, when);
    members.read("rate", when.more_per_minute_than, 0, 1000000);
    std::string fence;
    members.read("fence", fence);
    if (!fence.empty() && fence != "outside" && fence != "inside")
        members.refuse("fence", "must be \"inside\" or \"outside\"");
    if (!fence.empty()) when.outside_area = fence == "outside";
    return when;
}

GuardRule read_rule(const Members& members) {
    members.allow_only({"name", "when", "then", "reason", "comment"});
    GuardRule rule;
    members.read_required("name", rule.name);
    members.read("reason", rule.reason);
    const auto when = members.object("when");
    if (!when) members.refuse("when", "is missing: {} matches every action");
    when->allow_only({"effect", "tool", "provenance", "process", "class", "title", "kind",
                      "elevated", "chord", "text", "path", "host", "command", "label", "rate",
                      "fence"});
    rule.when = read_condition(*when);
    std::string then;
    members.read_required("then", then);
    const auto found = std::ranges::find_if(
        decisions, [&](Decision decision) { return to_string(decision) == then; });
    if (found == decisions.end()) members.refuse("then", "must be \"allow\", \"ask\" or \"deny\"");
    rule.then = *found;
    if (rule.then == Decision::allow && !rule.when.titles.empty() && rule.when.processes.empty())
        members.refuse("title", "cannot allow anything by itself, because any program can choose a "
                                "title: add \"process\"");
    return rule;
}

} // namespace

std::span<const EffectKind> effect_kinds() noexcept { return all_effect_kinds; }
std::span<const Provenance> provenances() noexcept { return all_provenances; }

std::vector<GuardRule> parse_guard_rules(std::string_view text, const std::string& where) {
    const json::object object = parse_settings_file(text, where, errc::bad_guard);
    const Members members(object, where, errc::bad_guard);
    members.allow_only({"rules", "comment", "$schema"});
    const auto rules = members.objects("rules");
    if (!rules) members.refuse("rules", "is missing");
    if (rules->size() > max_rules)
        members.refuse("rules", fmt::format("has more than {} rules", max_rules));
    std::vector<GuardRule> read;
    for (const Members& rule : *rules) read.push_back(read_rule(rule));
    return read;
}

std::vector<GuardRule> load_guard_rules(const std::filesystem::path& file) {
    return parse_guard_rules(read_settings_file(file, errc::bad_guard), text_of(file));
}

} // namespace eyehand::agent
