#include "script.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr int max_patience = 100;
constexpr int max_times = 20;
constexpr int max_lines = 50;

constexpr std::array<std::pair<std::string_view, Action>, 11> actions{{
    {"click", Action::click},
    {"double_click", Action::double_click},
    {"right_click", Action::right_click},
    {"drag", Action::drag},
    {"type", Action::type},
    {"press", Action::press},
    {"scroll", Action::scroll},
    {"wait_for", Action::wait_for},
    {"finish", Action::finish},
    {"objective", Action::objective},
    {"report", Action::report},
}};

constexpr std::array<std::pair<std::string_view, std::string Step::*>, 6> options{{
    {"at", &Step::at},
    {"say", &Step::say},
    {"if_visible", &Step::if_visible},
    {"expect", &Step::expect},
    {"expect_gone", &Step::expect_gone},
    {"needs", &Step::needs},
}};

constexpr std::array<std::pair<std::string_view, std::string Target::*>, 6> target_parts{{
    {"text", &Target::text},
    {"right_of", &Target::right_of},
    {"left_of", &Target::left_of},
    {"above", &Target::above},
    {"below", &Target::below},
    {"near", &Target::near},
}};

constexpr std::array<std::string_view, 4> directions{"up", "down", "left", "right"};
constexpr std::array<std::string_view, 2> statuses{"DONE", "BLOCKED"};

template <class Table>
std::string names_of(const Table& table) {
    std::vector<std::string_view> names;
    names.reserve(table.size());
    for (const auto& [name, value] : table) names.push_back(name);
    return fmt::format("{}", fmt::join(names, ", "));
}

template <class Table>
auto look_up(const Table& table, std::string_view name) {
    const auto entry =
        std::find_if(table.begin(), table.end(), [&](const auto& e) { return e.first == name; });
    return entry == table.end() ? std::nullopt : std::optional(entry->second);
}

/// A place in the script, for error messages.
class Place {
public:
    explicit Place(std::string name) : name_(std::move(name)) {}

    [[noreturn]] void fail(std::string_view problem) const {
        throw ScriptError(fmt::format("{}: {}", name_, problem));
    }
    [[nodiscard]] Place field(std::string_view field) const {
        return Place(fmt::format("{}, \"{}\"", name_, field));
    }

private:
    std::string name_;
};

std::string filled(std::string_view text, const Values& values, const Place& place) {
    std::string result;
    for (std::size_t at = 0;;) {
        const std::size_t open = text.find("${", at);
        result += text.substr(at, open - at);
        if (open == std::string_view::npos) return result;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) place.fail("\"${\" without \"}\"");
        const std::string_view name = text.substr(open + 2, close - open - 2);
        const auto value = values.find(name);
        if (value == values.end())
            place.fail(fmt::format("no value for ${{{0}}}: pass --set {0}=VALUE", name));
        result += value->second;
        at = close + 1;
    }
}

int read_whole_number(const json::value& value, int min, int max, const Place& place) {
    if (!value.is_int64() || value.get_int64() < min || value.get_int64() > max)
        place.fail(fmt::format("must be a whole number from {} to {}", min, max));
    return static_cast<int>(value.get_int64());
}

std::string read_text(const json::value& value, const Values& values, const Place& place) {
    if (!value.is_string()) place.fail("must be a string");
    std::string text = filled(value.get_string(), values, place);
    if (text.empty()) place.fail("must not be empty");
    return text;
}

std::string read_phrase(const json::value& value, const Values& values, const Place& place) {
    std::string phrase = read_text(value, values, place);
    if (!is_searchable(phrase))
        place.fail("must contain a letter or a digit, because the search ignores punctuation");
    return phrase;
}

Target read_target(const json::value& value, const Values& values, const Place& place) {
    if (value.is_string()) return {.text = read_phrase(value, values, place)};
    if (!value.is_object()) place.fail("must be a string or an object");
    Target target;
    for (const auto& [name, part] : value.get_object()) {
        if (name == "lines") {
            target.lines = read_whole_number(part, 1, max_lines, place.field(name));
            continue;
        }
        const auto member = look_up(target_parts, name);
        if (!member) {
            place.fail(fmt::format("\"{}\" is not known here (known: {}, lines)",
                                   std::string_view(name), names_of(target_parts)));
        }
        target.** member = read_phrase(part, values, place.field(name));
    }
    if (target.text.empty() && target.right_of.empty() && target.below.empty())
        place.fail("needs \"text\", \"right_of\" or \"below\"");
    if (value.get_object().contains("lines") && (!target.text.empty() || target.below.empty()))
        place.fail("\"lines\" belongs to \"below\" without \"text\"");
    return target;
}

bool is_click(Action action) {
    return action == Action::click || action == Action::double_click ||
           action == Action::right_click;
}

template <class Names>
void require_one_of(const Names& names, std::string_view text, const Place& place) {
    if (std::find(names.begin(), names.end(), text) == names.end())
        place.fail(fmt::format("must be one of {}", fmt::join(names, ", ")));
}

void read_action(Step& step, const json::value& value, const Values& values, const Place& place) {
    if (is_click(step.action) || step.action == Action::drag) {
        step.target = read_target(value, values, place);
    } else if (step.action == Action::wait_for || step.action == Action::finish) {
        step.text = read_phrase(value, values, place);
    } else {
        step.text = read_text(value, values, place);
    }
    if (step.action == Action::scroll) require_one_of(directions, step.text, place);
    if (step.action == Action::report) require_one_of(statuses, step.text, place);
}

Step read_step(const json::value& value, const Values& values, const Place& place) {
    if (!value.is_object()) place.fail("must be an object");
    Step step;
    std::string_view chosen;
    for (const auto& [name, field] : value.get_object()) {
        const Place here = place.field(name);
        if (const auto action = look_up(actions, name)) {
            if (!chosen.empty())
                place.fail(fmt::format("has two actions, \"{}\" and \"{}\"", chosen,
                                       std::string_view(name)));
            chosen = name;
            step.action = *action;
            read_action(step, field, values, here);
        } else if (const auto member = look_up(options, name)) {
            step.** member =
                name == "say" ? read_text(field, values, here) : read_phrase(field, values, here);
        } else if (name == "to") {
            step.to = read_target(field, values, here);
        } else if (name == "times") {
            step.times = read_whole_number(field, 1, max_times, here);
        } else {
            place.fail(fmt::format("\"{}\" is not known (actions: {}; options: {}, to, times)",
                                   std::string_view(name), names_of(actions), names_of(options)));
        }
    }
    if (chosen.empty()) place.fail(fmt::format("has no action (one of: {})", names_of(actions)));
    if (!step.at.empty() && step.action != Action::scroll)
        place.fail("\"at\" belongs to \"scroll\" only");
    const bool has_end = step.to != Target{};
    if (has_end != (step.action == Action::drag))
        place.fail(has_end ? "\"to\" belongs to \"drag\" only" : "\"drag\" needs \"to\"");
    return step;
}

std::vector<Step> read_steps(const json::value& value, const Values& values) {
    const Place place("script, \"steps\"");
    if (!value.is_array()) place.fail("must be an array");
    if (value.get_array().empty()) place.fail("must not be empty");
    std::vector<Step> steps;
    for (const json::value& step : value.get_array())
        steps.push_back(read_step(step, values, Place(fmt::format("step {}", steps.size() + 1))));
    if (!steps.front().needs.empty())
        Place("step 1").fail("\"needs\" requires a step before this one");
    return steps;
}

} // namespace

Script parse_script(std::string_view text, const Values& values) {
    const Place place("script");
    boost::system::error_code error;
    const json::value root = json::parse(text, error);
    if (error) place.fail(fmt::format("not valid JSON ({})", error.message()));
    if (!root.is_object()) place.fail("must be an object with \"steps\"");
    Script script;
    for (const auto& [name, value] : root.get_object()) {
        if (name == "patience") {
            script.patience = read_whole_number(value, 0, max_patience, place.field(name));
        } else if (name == "steps") {
            script.steps = read_steps(value, values);
        } else {
            place.fail(fmt::format("\"{}\" is not known (known: patience, steps)",
                                   std::string_view(name)));
        }
    }
    if (script.steps.empty()) place.fail("has no \"steps\"");
    return script;
}

} // namespace stand_in
