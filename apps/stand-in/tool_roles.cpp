#include "tool_roles.hpp"

#include "phrase.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

// Agents that require evidence refuse shorter texts.
constexpr std::size_t shortest_evidence = 100;
constexpr int usual_notches = 3;
constexpr int units_of_a_notch = 120;

enum class Meaning {
    position,
    x,
    y,
    end,
    end_x,
    end_y,
    label,
    text,
    key,
    direction,
    amount,
    evidence,
    instructions,
    objective,
    status,
    summary,
    turns,
    reason,
};

using Names = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view name, Names names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// The words of a name: "press_keyboard_key" and "pressKeyboardKey" have the same three.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words;
    bool new_word = true;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) == 0) {
            new_word = true;
            continue;
        }
        if (new_word || std::isupper(byte) != 0) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(byte));
        new_word = false;
    }
    return words;
}

bool has_word(const std::vector<std::string>& words, Names names) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return is_one_of(word, names); });
}

const json::value* schema_member(const json::value& value, std::string_view name) {
    return value.is_object() ? value.get_object().if_contains(name) : nullptr;
}

bool has_type(const json::value& schema, std::string_view type) {
    const json::value* types = schema_member(schema, "type");
    if (types == nullptr) return false;
    if (types->is_string()) return types->get_string() == type;
    return types->is_array() && std::find(types->get_array().begin(), types->get_array().end(),
                                          json::value(type)) != types->get_array().end();
}

std::optional<double> number_of(const json::value& schema, std::string_view name) {
    const json::value* value = schema_member(schema, name);
    return value != nullptr && value->is_number() ? std::optional(value->to_number<double>())
                                                  : std::nullopt;
}

const json::array* listed_values(const json::value& schema) {
    const json::value* values = schema_member(schema, "enum");
    return values != nullptr && values->is_array() ? &values->get_array() : nullptr;
}

const json::object* properties_of(const json::object& parameters) {
    const json::value* properties = parameters.if_contains("properties");
    return properties != nullptr && properties->is_object() ? &properties->get_object() : nullptr;
}

bool is_required(const json::object& parameters, std::string_view name) {
    const json::value* required = parameters.if_contains("required");
    return required != nullptr && required->is_array() &&
           std::find(required->get_array().begin(), required->get_array().end(),
                     json::value(name)) != required->get_array().end();
}

Meaning meaning_of(std::string_view name, const json::value& schema) {
    const auto words = words_of(name);
    if (is_one_of(name, {"x", "x1"})) return Meaning::x;
    if (is_one_of(name, {"y", "y1"})) return Meaning::y;
    if (name == "x2") return Meaning::end_x;
    if (name == "y2") return Meaning::end_y;
    if (name == "end") return Meaning::end;
    if (name == "start" ||
        has_word(words, {"box", "bbox", "position", "point", "coordinate", "coordinates"}))
        return Meaning::position;
    if (has_word(words, {"key", "keys", "chord"})) return Meaning::key;
    if (has_word(words, {"label", "element", "target"})) return Meaning::label;
    if (has_word(words, {"text", "content"})) return Meaning::text;
    if (has_word(words, {"direction"})) return Meaning::direction;
    if (has_word(words, {"amount", "notches", "clicks"})) return Meaning::amount;
    if (has_word(words, {"evidence"})) return Meaning::evidence;
    if (has_word(words, {"status"})) return Meaning::status;
    if (has_word(words, {"objective", "goal"})) return Meaning::objective;
    if (has_word(words, {"turns"})) return Meaning::turns;
    if (has_word(words, {"summary"})) return Meaning::summary;
    if (has_word(words, {"instruction", "instructions"})) return Meaning::instructions;
    if (has_type(schema, "integer") || has_type(schema, "number")) return Meaning::amount;
    return Meaning::reason;
}

bool has_argument(const json::object& parameters, Meaning meaning) {
    const json::object* properties = properties_of(parameters);
    return properties != nullptr &&
           std::any_of(properties->begin(), properties->end(), [&](const auto& property) {
               return meaning_of(property.key(), property.value()) == meaning;
           });
}

std::optional<Role> role_of(std::string_view name, const json::object& parameters) {
    const auto words = words_of(name);
    if (has_word(words, {"hold"})) return std::nullopt;
    if (has_word(words, {"drag"})) return Role::drag;
    if (has_word(words, {"click"})) {
        if (has_word(words, {"double"})) return Role::double_click;
        if (has_word(words, {"right"})) return Role::right_click;
        if (has_word(words, {"middle", "triple"})) return std::nullopt;
        return Role::click;
    }
    if (has_word(words, {"move"})) return Role::move;
    if (has_word(words, {"type"})) return Role::type;
    if (has_word(words, {"press", "hotkey"})) return Role::press;
    if (has_word(words, {"scroll"})) return Role::scroll;
    if (has_word(words, {"observe", "screenshot"})) return Role::observe;
    if (has_word(words, {"complete", "completion", "finish"})) return Role::complete;
    if (has_argument(parameters, Meaning::status)) return Role::report;
    if (has_argument(parameters, Meaning::turns)) return Role::archive;
    if (has_argument(parameters, Meaning::instructions)) return Role::brief;
    return std::nullopt;
}

bool wants_nested(const json::value& schema) {
    const json::value* items = schema_member(schema, "items");
    return items != nullptr && has_type(*items, "array");
}

bool wants_box(std::string_view name, const json::value& schema) {
    if (number_of(schema, "maxItems").value_or(4) < 4) return false;
    return number_of(schema, "minItems").value_or(0) > 2 ||
           has_word(words_of(name), {"box", "bbox"});
}

// A whole number is an integer, which is what most schemas ask for.
json::value number(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    return static_cast<double>(whole) == value ? json::value(whole) : json::value(value);
}

json::array list_of(const Position& position, bool y_first) {
    const json::value x = number(position.x);
    const json::value y = number(position.y);
    return y_first ? json::array{y, x} : json::array{x, y};
}

json::value position_for(const Area& area, std::string_view name, const json::value& schema) {
    const json::array first = list_of(area.first, area.y_first);
    const json::array last = list_of(area.last, area.y_first);
    if (wants_nested(schema)) return json::array{first, last};
    if (wants_box(name, schema)) return json::array{first[0], first[1], last[0], last[1]};
    return list_of(area.middle, area.y_first);
}

json::array keys_of(std::string_view chord) {
    json::array keys;
    for (;;) {
        const std::size_t plus = chord.find('+', 1);
        keys.emplace_back(chord.substr(0, plus));
        if (plus == std::string_view::npos) return keys;
        chord.remove_prefix(plus + 1);
    }
}

// The limits or the description of a scroll tool show whether it counts wheel units instead of
// notches.
bool counts_wheel_units(const json::value& schema) {
    const json::value* description = schema_member(schema, "description");
    const bool named = description != nullptr && description->is_string() &&
                       description->get_string().find("120") != json::string::npos;
    return named || number_of(schema, "minimum").value_or(0) >= units_of_a_notch;
}

json::value amount_for(const json::value& schema) {
    if (const auto usual = number_of(schema, "default"))
        return static_cast<std::int64_t>(std::llround(*usual));
    double amount = counts_wheel_units(schema) ? usual_notches * units_of_a_notch : usual_notches;
    amount = std::max(amount, std::ceil(number_of(schema, "minimum").value_or(amount)));
    amount = std::min(amount, std::floor(number_of(schema, "maximum").value_or(amount)));
    return static_cast<std::int64_t>(amount);
}

std::string at_least(std::string text, std::size_t length) {
    while (code_points(text) < length)
        text += " This was read from the screenshot that came with the request.";
    return text;
}

std::string sentence_for(const json::value& schema, std::string text, std::size_t shortest) {
    const auto asked =
        static_cast<std::size_t>(std::max(0.0, number_of(schema, "minLength").value_or(0)));
    return at_least(std::move(text), std::max(asked, shortest));
}

// Returns nothing if the text is empty, or if the schema lists only other values.
std::optional<json::value> only_listed(const json::value& schema, std::string_view text) {
    if (text.empty()) return std::nullopt;
    const json::value value(text);
    const json::array* values = listed_values(schema);
    if (values != nullptr && std::find(values->begin(), values->end(), value) == values->end())
        return std::nullopt;
    return value;
}

json::value filler_for(const json::value& schema, const Intent& intent) {
    if (const json::array* values = listed_values(schema); values != nullptr && !values->empty())
        return values->front();
    if (has_type(schema, "boolean")) return false;
    if (has_type(schema, "array")) return json::array{};
    if (has_type(schema, "object")) return json::object{};
    return json::string(sentence_for(schema, intent.reason, 0));
}

/// The value of one argument, or nothing if the intent has none.
std::optional<json::value> value_for(std::string_view name, const json::value& schema,
                                     const Intent& intent) {
    switch (meaning_of(name, schema)) {
    case Meaning::position:
        if (!intent.place) return std::nullopt;
        return position_for(*intent.place, name, schema);
    case Meaning::x:
        if (!intent.place) return std::nullopt;
        return number(intent.place->middle.x);
    case Meaning::y:
        if (!intent.place) return std::nullopt;
        return number(intent.place->middle.y);
    case Meaning::end:
        if (!intent.to) return std::nullopt;
        return position_for(*intent.to, name, schema);
    case Meaning::end_x:
        if (!intent.to) return std::nullopt;
        return number(intent.to->middle.x);
    case Meaning::end_y:
        if (!intent.to) return std::nullopt;
        return number(intent.to->middle.y);
    case Meaning::label:
        return only_listed(schema, intent.label);
    case Meaning::key:
        if (has_type(schema, "array")) return keys_of(intent.text);
        [[fallthrough]];
    case Meaning::text:
    case Meaning::direction:
        return only_listed(schema, intent.text);
    case Meaning::amount:
        return amount_for(schema);
    case Meaning::evidence:
        return json::string(sentence_for(schema, intent.evidence, shortest_evidence));
    case Meaning::instructions:
    case Meaning::summary:
        return json::string(sentence_for(schema, intent.text, 0));
    case Meaning::objective:
        return only_listed(schema, intent.objective);
    case Meaning::status:
        return only_listed(schema, intent.status);
    case Meaning::turns:
        return json::value_from(intent.turns);
    case Meaning::reason:
        return filler_for(schema, intent);
    }
    return std::nullopt;
}

bool is_worth_giving(std::string_view name, const json::value& schema) {
    const Meaning meaning = meaning_of(name, schema);
    return meaning != Meaning::reason && meaning != Meaning::amount;
}

std::optional<json::object> arguments_for(const json::object& parameters, const Intent& intent) {
    json::object arguments;
    const json::object* properties = properties_of(parameters);
    if (properties == nullptr) return arguments;
    for (const auto& [name, schema] : *properties) {
        const bool required = is_required(parameters, name);
        if (!required && !is_worth_giving(name, schema)) continue;
        auto value = value_for(name, schema, intent);
        if (value) {
            arguments[name] = std::move(*value);
        } else if (required || meaning_of(name, schema) == Meaning::direction) {
            return std::nullopt;
        }
    }
    return arguments;
}

// "scroll_down" has a fixed direction; a tool with a direction argument scrolls in any.
bool goes_another_way(std::string_view name, const json::object& parameters,
                      std::string_view direction) {
    return !has_argument(parameters, Meaning::direction) && !has_word(words_of(name), {direction});
}

} // namespace

json::value tool_with(std::string_view name, json::object arguments) {
    json::array required;
    for (const auto& argument : arguments) required.emplace_back(argument.key());
    const json::object parameters{{"type", "object"},
                                  {"properties", std::move(arguments)},
                                  {"required", std::move(required)}};
    return {{"type", "function"},
            {"function", json::object{{"name", name}, {"parameters", parameters}}}};
}

ToolRoles::ToolRoles(const json::array& tools) {
    for (const json::value& tool : tools) {
        const json::value* function = schema_member(tool, "function");
        const json::value* name = function != nullptr ? schema_member(*function, "name") : nullptr;
        if (name == nullptr || !name->is_string()) continue;
        const json::value* schema = schema_member(*function, "parameters");
        const json::object parameters =
            schema != nullptr && schema->is_object() ? schema->get_object() : json::object();
        if (const auto role = role_of(name->get_string(), parameters))
            tools_[*role].push_back({std::string(name->get_string()), parameters});
    }
}

bool ToolRoles::takes_position(Role role) const {
    const auto found = tools_.find(role);
    if (found == tools_.end()) return false;
    const json::object& parameters = found->second.front().parameters;
    return has_argument(parameters, Meaning::position) || has_argument(parameters, Meaning::x);
}

std::optional<ToolCall> ToolRoles::call(Role role, const Intent& intent) const {
    const auto found = tools_.find(role);
    if (found == tools_.end()) return std::nullopt;
    for (const Tool& tool : found->second) {
        if (role == Role::scroll && goes_another_way(tool.name, tool.parameters, intent.text))
            continue;
        if (auto arguments = arguments_for(tool.parameters, intent))
            return ToolCall{tool.name, std::move(*arguments)};
    }
    return std::nullopt;
}

} // namespace stand_in
