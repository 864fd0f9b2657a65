#include "eyehand/session/scenario.hpp"

#include "base/edit_distance.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "embedded.hpp"
#include "eyehand/agent/error.hpp"
#include "json/json_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <tuple>

namespace eyehand::session {

using namespace agent;

namespace {

constexpr int schema = 1;
constexpr double longest_wait = 600;

using Names = std::span<const std::string_view>;

/// Reads the members of an object. Its errors name the place and the member.
class ScenarioMembers {
public:
    ScenarioMembers(const json::value& value, std::string where) : where_(std::move(where)) {
        if (!value.is_object()) throw Error(errc::bad_scenario, where_ + " must be an object");
        object_ = &value.as_object();
    }
    [[noreturn]] void refuse(std::string_view member, std::string_view reason) const {
        throw Error(errc::bad_scenario, fmt::format("{}: \"{}\" {}", where_, member, reason));
    }
    void only(Names known) const {
        for (const auto& [name, value] : *object_) {
            const std::string_view member(name.data(), name.size());
            if (std::find(known.begin(), known.end(), member) != known.end()) continue;
            const std::string_view begin = member.substr(0, 64);
            const auto nearest = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
                return edit_distance(begin, a) < edit_distance(begin, b);
            });
            refuse(shorten(one_line(member), 60),
                   fmt::format("is unknown here; did you mean \"{}\"?", *nearest));
        }
    }
    [[nodiscard]] const json::value* find(std::string_view member) const {
        return object_->if_contains(member);
    }
    [[nodiscard]] std::string text(std::string_view member, std::string otherwise = {}) const {
        const json::value* value = find(member);
        if (value == nullptr) return otherwise;
        if (!value->is_string()) refuse(member, "must be a string");
        return {value->as_string().data(), value->as_string().size()};
    }
    [[nodiscard]] std::string needed(std::string_view member) const {
        if (find(member) == nullptr) refuse(member, "is missing");
        std::string value = text(member);
        if (trim(value).empty()) refuse(member, "is empty");
        return value;
    }
    /// One name, or an array of names.
    [[nodiscard]] std::vector<std::string> names(std::string_view member) const {
        const json::value* value = find(member);
        if (value == nullptr || !value->is_array()) return {needed(member)};
        std::vector<std::string> all;
        for (const json::value& name : value->as_array()) {
            if (!name.is_string() || name.as_string().empty())
                refuse(member, "must be a name or an array of names");
            all.emplace_back(name.as_string().data(), name.as_string().size());
        }
        if (all.empty()) refuse(member, "is empty");
        return all;
    }
    [[nodiscard]] std::optional<int> whole(std::string_view member, int min, int max) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        if (!value->is_int64() || value->as_int64() < min || value->as_int64() > max)
            refuse(member, fmt::format("must be a whole number from {} to {}", min, max));
        return static_cast<int>(value->as_int64());
    }
    [[nodiscard]] std::optional<double> number(std::string_view member, double min,
                                               double max) const {
        const json::value* value = find(member);
        if (value == nullptr) return std::nullopt;
        const double is = value->is_number() ? value->to_number<double>() : min - 1;
        if (!(is >= min && is <= max))
            refuse(member, fmt::format("must be a number from {} to {}", min, max));
        return is;
    }
    [[nodiscard]] std::vector<ScenarioMembers> objects(std::string_view member) const {
        std::vector<ScenarioMembers> all;
        const json::value* value = find(member);
        if (value == nullptr) return all;
        if (!value->is_array()) refuse(member, "must be an array");
        for (const json::value& element : value->as_array())
            all.emplace_back(element, fmt::format("{}: {}[{}]", where_, member, all.size()));
        return all;
    }

private:
    const json::object* object_ = nullptr;
    std::string where_;
};

ScenarioStep read_step(const ScenarioMembers& members) {
    members.only(std::array<std::string_view, 3>{"launch", "wait_for_window", "seconds"});
    ScenarioStep step;
    if (members.find("launch") != nullptr) {
        step.launch = members.needed("launch");
        if (members.find("wait_for_window") != nullptr)
            members.refuse("wait_for_window", "must be a separate step after \"launch\"");
        if (members.find("seconds") != nullptr)
            members.refuse("seconds", "is only valid with \"wait_for_window\"");
        return step;
    }
    step.wait_for_window = members.needed("wait_for_window");
    if (const auto seconds = members.number("seconds", 0, longest_wait))
        step.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(*seconds * 1000));
    return step;
}

/// The member that identifies a kind of check, and its additional members.
struct CheckWords {
    CheckKind kind;
    std::string_view member;
    bool has_text = false;
    bool has_value = false;
};
constexpr std::array check_words{
    CheckWords{CheckKind::file_exists, "file_exists"},
    CheckWords{CheckKind::file_contains, "file_contains", true},
    CheckWords{CheckKind::file_equals, "file_equals", true},
    CheckWords{CheckKind::window_title, "window_title"},
    CheckWords{CheckKind::clipboard, "clipboard"},
    CheckWords{CheckKind::registry, "registry", true, true},
    CheckWords{CheckKind::process_running, "process_running"},
    CheckWords{CheckKind::pointer_in, "pointer_in"},
    CheckWords{CheckKind::called, "called"},
};

winio::NormBox read_box(const ScenarioMembers& members, std::string_view member) {
    const json::value& value = *members.find(member);
    std::array<double, 4> numbers{};
    const bool four = value.is_array() && value.as_array().size() == numbers.size();
    for (std::size_t i = 0; four && i < numbers.size(); ++i)
        numbers[i] = value.as_array()[i].is_number() ? value.as_array()[i].to_number<double>() : -1;
    const winio::NormBox box{numbers[0], numbers[1], numbers[2], numbers[3]};
    const bool inside =
        std::all_of(numbers.begin(), numbers.end(), [](double n) { return n >= 0 && n <= 1000; });
    if (!four || !inside || box.x1 >= box.x2 || box.y1 >= box.y2)
        members.refuse(member, "must be [x1, y1, x2, y2] from 0 to 1000, with x1 < x2 and y1 < y2");
    return box;
}

ScenarioCheck read_check(const ScenarioMembers& members) {
    for (const CheckWords& words : check_words) {
        if (members.find(words.member) == nullptr) continue;
        std::vector<std::string_view> known{words.member};
        if (words.has_text) known.push_back("text");
        if (words.has_value) known.push_back("value");
        if (words.kind == CheckKind::called) known.insert(known.end(), {"text", "times"});
        members.only(known);
        ScenarioCheck check;
        check.kind = words.kind;
        if (words.kind == CheckKind::pointer_in)
            check.box = read_box(members, words.member);
        else if (words.kind == CheckKind::called)
            check.tools = members.names(words.member);
        else if (words.kind == CheckKind::clipboard)
            check.text = members.needed(words.member);
        else
            check.subject = members.needed(words.member);
        if (words.has_text) {
            if (members.find("text") == nullptr) members.refuse("text", "is missing");
            check.text = members.text("text");
            if (words.kind == CheckKind::file_contains && check.text.empty())
                members.refuse("text", "is empty; every file contains the empty text");
        }
        if (words.has_value) check.value = members.text("value");
        if (words.kind == CheckKind::called) {
            check.text = members.text("text");
            check.times = members.whole("times", 1, 1000).value_or(1);
        }
        return check;
    }
    std::vector<std::string_view> known;
    known.reserve(check_words.size());
    for (const CheckWords& words : check_words) known.push_back(words.member);
    members.only(known); // its error suggests the nearest name
    members.refuse(known.front(), "or another kind of check is missing");
}

std::vector<Scenario> parse_embedded() {
    std::vector<Scenario> all;
    for (const EmbeddedFile& file : embedded_scenarios())
        all.push_back(parse_scenario(file.text, std::string(file.name)));
    const auto order = [](const Scenario& one) {
        return std::tuple(one.number == 0, one.number == 0 ? std::string() : one.profile,
                          one.number, one.name);
    };
    std::sort(all.begin(), all.end(),
              [&](const Scenario& a, const Scenario& b) { return order(a) < order(b); });
    return all;
}

} // namespace

Scenario parse_scenario(std::string_view text, const std::string& where) {
    std::string problem;
    const auto value = parse_json(text, &problem);
    if (!value) throw Error(errc::bad_scenario, fmt::format("{} is not JSON: {}", where, problem));
    const ScenarioMembers members(*value, where);
    members.only(std::array<std::string_view, 10>{"schema", "name", "description", "profile",
                                                  "number", "task", "max_turns", "max_steps",
                                                  "setup", "checks"});
    const auto version = members.whole("schema", 1, 1000);
    if (!version) members.refuse("schema", "is missing");
    if (*version > schema)
        members.refuse("schema",
                       fmt::format("is {}; this version reads up to {}", *version, schema));
    Scenario scenario;
    scenario.name = members.needed("name");
    scenario.description = members.text("description");
    if (members.find("profile") != nullptr) scenario.profile = members.needed("profile");
    scenario.number = members.whole("number", 1, 1000).value_or(0);
    scenario.task = members.needed("task");
    scenario.max_turns = members.whole("max_turns", 1, 1000000);
    if (!scenario.max_turns) // the former name
        scenario.max_turns = members.whole("max_steps", 1, 1000000);
    for (const ScenarioMembers& step : members.objects("setup"))
        scenario.setup.push_back(read_step(step));
    for (const ScenarioMembers& one : members.objects("checks"))
        scenario.checks.push_back(read_check(one));
    return scenario;
}

std::vector<Scenario> scenarios() { return parse_embedded(); }

Scenario load_scenario(const std::string& name_or_file) {
    std::vector<std::string> names;
    for (Scenario& scenario : parse_embedded()) {
        const std::string numbered = fmt::format("{}:{}", scenario.profile, scenario.number);
        const bool has_number = scenario.number != 0;
        if (scenario.name == name_or_file || (has_number && numbered == name_or_file))
            return scenario;
        names.push_back(has_number ? fmt::format("{} ({})", scenario.name, numbered)
                                   : scenario.name);
    }
    const std::filesystem::path file = path_of(name_or_file);
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        throw Error(errc::scenario_not_found,
                    fmt::format("\"{}\" is neither a scenario nor a file; the built-in scenarios "
                                "are: {}",
                                name_or_file, fmt::join(names, ", ")));
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw Error(errc::bad_scenario, fmt::format("{} cannot be read", name_or_file));
    return parse_scenario(std::move(text).str(), name_or_file);
}

namespace {

json::value names_json(const std::vector<std::string>& names) {
    if (names.size() == 1) return json::string(to_valid_utf8(names.front()));
    json::array all;
    for (const std::string& name : names) all.emplace_back(to_valid_utf8(name));
    return all;
}

} // namespace

std::string to_json(const Scenario& scenario) {
    const auto clean = [](const std::string& text) { return json::string(to_valid_utf8(text)); };
    json::object all{{"schema", schema}, {"name", clean(scenario.name)}};
    if (!scenario.description.empty()) all["description"] = clean(scenario.description);
    all["profile"] = clean(scenario.profile);
    if (scenario.number != 0) all["number"] = scenario.number;
    all["task"] = clean(scenario.task);
    if (scenario.max_turns) all["max_turns"] = *scenario.max_turns;
    json::array setup;
    for (const ScenarioStep& step : scenario.setup) {
        if (!step.launch.empty())
            setup.emplace_back(json::object{{"launch", clean(step.launch)}});
        else
            setup.emplace_back(
                json::object{{"wait_for_window", clean(step.wait_for_window)},
                             {"seconds", static_cast<double>(step.timeout.count()) / 1000}});
    }
    if (!setup.empty()) all["setup"] = std::move(setup);
    json::array checks;
    for (const ScenarioCheck& check : scenario.checks) {
        const CheckWords& words =
            *std::find_if(check_words.begin(), check_words.end(),
                          [&](const CheckWords& one) { return one.kind == check.kind; });
        json::object one;
        if (check.kind == CheckKind::pointer_in)
            one[words.member] = json::array{check.box.x1, check.box.y1, check.box.x2, check.box.y2};
        else if (check.kind == CheckKind::called)
            one[words.member] = names_json(check.tools);
        else
            one[words.member] =
                clean(check.kind == CheckKind::clipboard ? check.text : check.subject);
        if (words.has_value) one["value"] = clean(check.value);
        if (words.has_text) one["text"] = clean(check.text);
        if (check.kind == CheckKind::called) {
            if (!check.text.empty()) one["text"] = clean(check.text);
            if (check.times > 1) one["times"] = check.times;
        }
        checks.emplace_back(std::move(one));
    }
    if (!checks.empty()) all["checks"] = std::move(checks);
    return laid_out(all) + "\n";
}

std::vector<ConfigEntry> config_of(const Scenario& scenario) {
    const std::string source = "scenario " + scenario.name;
    std::vector<ConfigEntry> entries{{SettingRegistry::built_in().find("profile"), scenario.profile,
                                      ConfigLayer::scenario, source}};
    if (scenario.max_turns)
        entries.push_back({SettingRegistry::built_in().find("max_turns"),
                           std::int64_t{*scenario.max_turns}, ConfigLayer::scenario, source});
    return entries;
}

} // namespace eyehand::session
