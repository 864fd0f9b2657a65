// The file format of rules.
#include "eyehand/agent/guard.hpp"

#include "base/nearest.hpp"
#include "base/path_text.hpp"
#include "profile/members.hpp"
#include "json/jsonc.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

namespace eyehand::agent {
namespace {

constexpr std::size_t max_file_bytes = std::size_t{1} << 20;
constexpr std::size_t max_rules = 1000;

constexpr std::array all_effect_kinds{
    EffectKind::move,   EffectKind::click,          EffectKind::scroll,
    EffectKind::key,    EffectKind::text,           EffectKind::clipboard_write,
    EffectKind::window, EffectKind::clipboard_read, EffectKind::launch};
constexpr std::array all_provenances{Provenance::native, Provenance::text, Provenance::reply,
                                     Provenance::recovery, Provenance::user};
constexpr std::array window_kinds{WindowKind::other,
                                  WindowKind::own,
                                  WindowKind::terminal,
                                  WindowKind::run_dialog,
                                  WindowKind::on_screen_keyboard,
                                  WindowKind::remote};
constexpr std::array decisions{Decision::allow, Decision::ask, Decision::deny};

void check_members(const json::object& object, const Members& members,
                   std::initializer_list<std::string_view> known) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const auto& [name, value] : object) {
        const std::string given(name);
        if (std::ranges::find(names, given) != names.end()) continue;
        members.refuse(given, fmt::format("is unknown; known members: {}{}", fmt::join(names, ", "),
                                          did_you_mean(given, names)));
    }
}

/// Reads one or several strings.
std::vector<std::string> strings(const Members& members, std::string_view name) {
    std::vector<std::string> all;
    const json::value* value = members.value(name);
    if (value == nullptr) return all;
    if (value->is_string()) {
        members.read(name, all.emplace_back());
        if (all.back().empty()) members.refuse(name, "is empty");
        return all;
    }
    members.read(name, all);
    if (all.empty()) members.refuse(name, "is empty: leave it out, or list what it matches");
    return all;
}

/// Reads one or several words of an enumeration.
template <class Values>
auto words(const Members& members, std::string_view name, const Values& values) {
    std::vector<typename Values::value_type> all;
    std::vector<std::string> known;
    for (const auto value : values) known.emplace_back(to_string(value));
    for (const std::string& word : strings(members, name)) {
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
        when.texts = strings(members, "text");
        return;
    }
    const auto text = *members.object("text");
    check_members(value->as_object(), text, {"matches", "longer_than"});
    when.texts = strings(text, "matches");
    std::optional<int> longer_than;
    text.read("longer_than", longer_than, 0, 1 << 30);
    if (longer_than) when.text_longer_than = static_cast<std::size_t>(*longer_than);
}

GuardCondition read_condition(const Members& members) {
    GuardCondition when;
    when.effects = words(members, "effect", all_effect_kinds);
    when.tools = strings(members, "tool");
    when.provenances = words(members, "provenance", all_provenances);
    when.processes = strings(members, "process");
    when.classes = strings(members, "class");
    when.titles = strings(members, "title");
    when.kinds = words(members, "kind", window_kinds);
    when.chords = strings(members, "chord");
    when.commands = strings(members, "command");
    when.labels = strings(members, "label");
    read_text(members, when);
    members.read("rate", when.more_per_minute_than, 0, 1000000);
    std::string fence;
    members.read("fence", fence);
    if (!fence.empty() && fence != "outside" && fence != "inside")
        members.refuse("fence", "must be \"inside\" or \"outside\"");
    if (!fence.empty()) when.outside_area = fence == "outside";
    return when;
}

GuardRule read_rule(const Members& members, const json::object& object) {
    check_members(object, members, {"name", "when", "then", "reason", "comment"});
    GuardRule rule;
    members.read_required("name", rule.name);
    members.read("reason", rule.reason);
    const auto when = members.object("when");
    if (!when) members.refuse("when", "is missing: {} matches every action");
    check_members(object.at("when").as_object(), *when,
                  {"effect", "tool", "provenance", "process", "class", "title", "kind", "chord",
                   "text", "command", "label", "rate", "fence"});
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
    JsoncProblem problem;
    const auto all = parse_jsonc(text, problem);
    if (!all)
        throw Error(errc::bad_guard,
                    fmt::format("{}: line {}: {}", where, problem.line, problem.reason));
    json::object object;
    for (const JsoncMember& member : *all) object[member.name] = member.value;
    const Members members(object, where, errc::bad_guard);
    check_members(object, members, {"rules", "comment"});
    const auto rules = members.objects("rules");
    if (!rules) members.refuse("rules", "is missing");
    if (rules->size() > max_rules)
        members.refuse("rules", fmt::format("has more than {} rules", max_rules));
    std::vector<GuardRule> read;
    for (std::size_t i = 0; i < rules->size(); ++i)
        read.push_back(read_rule((*rules)[i], object.at("rules").as_array()[i].as_object()));
    return read;
}

std::vector<GuardRule> load_guard_rules(const std::filesystem::path& file) {
    const std::string where = text_of(file);
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(errc::bad_guard, fmt::format("{} cannot be read", where));
    std::string text(max_file_bytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad()) throw Error(errc::bad_guard, fmt::format("{} cannot be read", where));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > max_file_bytes)
        throw Error(errc::bad_guard, fmt::format("{} is larger than 1 MiB", where));
    return parse_guard_rules(text, where);
}

} // namespace eyehand::agent
