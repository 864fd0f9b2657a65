#include "eyehand/agent/visual_reply.hpp"

#include "annotation/annotation_json.hpp"
#include "base/text.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/agent/transcript.hpp"
#include "modes/visual_loop/visual_json.hpp"
#include "json/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace eyehand::agent {
namespace {

struct Verb {
    VisualVerb verb;
    std::string_view name;
};
constexpr std::array<Verb, 9> verbs{{{VisualVerb::move, "move"},
                                     {VisualVerb::click, "click"},
                                     {VisualVerb::right_click, "right_click"},
                                     {VisualVerb::double_click, "double_click"},
                                     {VisualVerb::drag, "drag"},
                                     {VisualVerb::type, "type"},
                                     {VisualVerb::press, "press"},
                                     {VisualVerb::scroll, "scroll"},
                                     {VisualVerb::tool, "tool"}}};

constexpr int default_notches = 3;
constexpr int max_notches = 30;

/// The further tool of this name, in any case; nullptr if no tool has it.
const vlm::ToolSpec* further_tool(const VisualLimits& limits, std::string_view name) {
    const auto found =
        std::find_if(limits.tools.begin(), limits.tools.end(), [&](const vlm::ToolSpec& tool) {
            return equals_ignoring_case(tool.name, name);
        });
    return found == limits.tools.end() ? nullptr : &*found;
}

bool is_enabled(VisualVerb verb, const VisualLimits& limits) {
    if (verb == VisualVerb::tool) return false; // its actions have the name of the tool
    return limits.extended_actions || !is_extended(verb) ||
           further_tool(limits, to_string(verb)) != nullptr;
}

bool is_verb(std::string_view name) {
    return std::any_of(verbs.begin(), verbs.end(),
                       [&](const Verb& verb) { return equals_ignoring_case(verb.name, name); });
}

std::vector<std::string_view> names_within(const VisualLimits& limits) {
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs)
        if (is_enabled(verb.verb, limits)) names.push_back(verb.name);
    for (const vlm::ToolSpec& tool : limits.tools)
        if (!is_verb(tool.name)) names.push_back(tool.name);
    return names;
}

bool is_aimed(VisualVerb verb) {
    return verb != VisualVerb::type && verb != VisualVerb::press && verb != VisualVerb::tool;
}

// ---- finding the object -------------------------------------------------------------------------

/// The position after the braces that open at `from`, or npos.
std::size_t balanced_end(std::string_view text, std::size_t from) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t at = from; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c == '\\') ++at;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}' && --depth == 0) {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

std::optional<json::object> as_reply(std::string_view text) {
    auto value = parse_json(text);
    if (!value || !value->is_object()) return std::nullopt;
    const json::object& object = value->as_object();
    const std::array<std::string_view, 4> members{"observation", "bboxes", "actions", "done"};
    if (std::none_of(members.begin(), members.end(),
                     [&](std::string_view member) { return object.contains(member); }))
        return std::nullopt;
    return std::move(value->as_object());
}

constexpr int max_braces = 64; // each is searched to the end of the text

/// The object if nothing else but a Markdown fence surrounds it.
std::optional<json::object> whole_object(std::string_view text) {
    constexpr std::string_view fence = "```";
    if (auto whole = as_reply(text)) return whole;
    text = trim(text);
    const std::size_t line_end = text.find('\n');
    if (!text.starts_with(fence) || line_end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(line_end);
    if (!text.ends_with(fence)) return std::nullopt;
    text.remove_suffix(fence.size());
    return as_reply(text);
}

std::optional<json::object> find_object(std::string_view text) {
    std::size_t open = text.find('{');
    for (int tries = 0; tries < max_braces && open != std::string_view::npos; ++tries) {
        const std::size_t end = balanced_end(text, open);
        if (end != std::string_view::npos)
            if (auto object = as_reply(text.substr(open, end - open))) return object;
        open = text.find('{',
                         open + 1); // words may have braces, too, and replies be wrapped in others
    }
    return std::nullopt;
}

// ---- reading it ---------------------------------------------------------------------------------

class Reader {
public:
    Reader(const json::object& object, const VisualLimits& limits, VisualReply& reply)
        : object_(object), limits_(limits), reply_(reply) {}

    void read() {
        if (const json::value* observation = find(object_, "observation")) {
            if (observation->is_string())
                reply_.observation = trim(text_of(*observation));
            else
                complain("\"observation\" must be a string.");
        }
        each("bboxes", limits_.boxes,
             [this](const json::value& it, int number) { read_box(it, number); });
        const std::size_t problems = reply_.problems.size();
        each("actions", limits_.actions,
             [this](const json::value& it, int number) { read_action(it, number); });
        reply_.actions_left_out = reply_.problems.size() > problems;
        if (const json::value* done = find(object_, "done")) {
            if (agent::decode<bool>(JsonDocument::view_of(*done), reply_.done))
                complain("\"done\" must be true or false.");
        }
    }

private:
    template <class Read>
    void each(const char* member, std::size_t max, Read read_one) {
        const json::value* all = find(object_, member);
        if (all == nullptr) return;
        if (!all->is_array()) {
            complain(fmt::format("\"{}\" must be an array of objects.", member));
            return;
        }
        const json::array& elements = all->as_array();
        for (std::size_t i = 0; i < std::min(max, elements.size()); ++i)
            read_one(elements[i], static_cast<int>(i + 1));
        if (elements.size() > max)
            complain(fmt::format("Of {} \"{}\" only the first {} were used.", elements.size(),
                                 member, max));
    }

    void read_box(const json::value& value, int number) {
        const std::string what = fmt::format("Box {}", number);
        if (!value.is_object()) {
            complain(what + " must be an object.");
            return;
        }
        const auto from = point(value.as_object(), "x1", "y1", what);
        const auto to = from ? point(value.as_object(), "x2", "y2", what) : std::nullopt;
        if (to) reply_.boxes.push_back(winio::normalized({from->x, from->y, to->x, to->y}));
    }

    void read_action(const json::value& value, int number) {
        const json::object* object = value.if_object();
        const json::value* name = object == nullptr ? nullptr : find(*object, "name");
        if (name == nullptr || !name->is_string()) {
            complain(fmt::format("Action {} must be an object with a \"name\".", number));
            return;
        }
        const auto verb = verb_of(text_of(*name));
        if (const auto* tool = verb ? nullptr : further_tool(limits_, trim(text_of(*name)))) {
            json::object arguments = *object;
            arguments.erase("name");
            reply_.actions.push_back({.verb = VisualVerb::tool,
                                      .number = number,
                                      .tool = tool->name,
                                      .arguments_json = to_text(arguments)});
            return;
        }
        if (!verb) {
            complain(fmt::format("Action {}: unknown action \"{}\"; known actions: {}.", number,
                                 shorten(one_line(text_of(*name)), 40),
                                 fmt::join(names_within(limits_), ", ")));
            return;
        }
        const std::string what = fmt::format("Action {} ({})", number, to_string(*verb));
        VisualAction action{.verb = *verb, .number = number};
        if (read_members(*object, what, action)) reply_.actions.push_back(std::move(action));
    }

    bool read_members(const json::object& object, const std::string& what, VisualAction& action) {
        if (is_aimed(action.verb)) {
            const auto at = point(object, "x1", "y1", what);
            if (!at) return false;
            action.at = *at;
        }
        switch (action.verb) {
        case VisualVerb::drag: {
            const auto to = point(object, "x2", "y2", what);
            if (to) action.to = *to;
            return to.has_value();
        }
        case VisualVerb::type:
            return read_text(object, "text", what, action.text);
        case VisualVerb::press:
            return read_text(object, "key", what, action.text);
        case VisualVerb::scroll:
            return read_notches(object, what, action.notches);
        default:
            return true;
        }
    }

    bool read_text(const json::object& object, const char* member, const std::string& what,
                   std::string& into) {
        const json::value* value = find(object, member);
        if (value != nullptr && value->is_string() && !value->as_string().empty()) {
            into = text_of(*value);
            return true;
        }
        complain(fmt::format("{} needs \"{}\", a non-empty string.", what, member));
        return false;
    }

    bool read_notches(const json::object& object, const std::string& what, int& into) {
        int amount = default_notches;
        const json::value* number = find(object, "amount");
        const json::value* word = find(object, "direction");
        const auto is = [&](std::string_view direction) {
            return word != nullptr && word->is_string() &&
                   equals_ignoring_case(text_of(*word), direction);
        };
        const bool good_number = number == nullptr || integer(*number, amount);
        const bool up = is("up");
        if (!good_number || amount < 1 || amount > max_notches ||
            (word != nullptr && !up && !is("down"))) {
            complain(fmt::format("{}: \"direction\" must be up or down, and \"amount\" 1 to {}.",
                                 what, max_notches));
            return false;
        }
        into = up ? amount : -amount;
        return true;
    }

    std::optional<winio::NormPoint> point(const json::object& object, const char* x, const char* y,
                                          const std::string& what) {
        winio::NormPoint at;
        if (number(object, x, at.x) && number(object, y, at.y)) {
            if (limits_.coordinates) return limits_.coordinates->to_norm(ModelPoint{at.x, at.y});
            return winio::NormPoint{clamped(at.x), clamped(at.y)};
        }
        complain(fmt::format("{} needs \"{}\" and \"{}\", numbers {}.", what, x, y, range()));
        return std::nullopt;
    }

    [[nodiscard]] std::string range() const {
        return limits_.coordinates ? limits_.coordinates->filled_in("{{range}}") : "from 0 to 1000";
    }
    /// Converts -0 to 0.
    static double clamped(double number) { return std::clamp(number, 0.0, 1000.0) + 0.0; }
    static bool number(const json::object& object, const char* member, double& into) {
        const json::value* value = find(object, member);
        return value != nullptr && !agent::decode<double>(JsonDocument::view_of(*value), into) &&
               !std::isnan(into);
    }
    static bool integer(const json::value& value, int& into) {
        return !agent::decode<int>(JsonDocument::view_of(value), into);
    }

    [[nodiscard]] std::optional<VisualVerb> verb_of(const std::string& given) const {
        const std::string_view name = trim(given);
        for (const Verb& verb : verbs)
            if (equals_ignoring_case(verb.name, name) && is_enabled(verb.verb, limits_))
                return verb.verb;
        return std::nullopt;
    }

    static std::string text_of(const json::value& value) {
        return {value.as_string().data(), value.as_string().size()};
    }
    /// nullptr also for null.
    static const json::value* find(const json::object& object, std::string_view member) {
        const json::value* value = object.if_contains(member);
        return value == nullptr || value->is_null() ? nullptr : value;
    }
    void complain(std::string problem) { reply_.problems.push_back(std::move(problem)); }

    const json::object& object_;
    const VisualLimits& limits_;
    VisualReply& reply_;
};

// ---- the schema ---------------------------------------------------------------------------------

/// An object whose members are all required and that allows no others, as OpenAI's strict mode
/// demands.
json::object object_schema(json::object members) {
    json::array required;
    for (const auto& member : members) required.emplace_back(member.key());
    return {{"type", "object"},
            {"properties", std::move(members)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

json::object names_schema(const std::vector<VisualVerb>& some) {
    json::array names;
    for (const VisualVerb verb : some) names.emplace_back(to_string(verb));
    return {{"type", "string"}, {"enum", std::move(names)}};
}

/// An action that calls a tool: the parameters of the tool and its name.
json::object tool_schema(const vlm::ToolSpec& tool) {
    json::object properties{
        {"name", json::object{{"type", "string"}, {"enum", json::array{tool.name}}}}};
    json::array required{"name"};
    const auto parameters = parse_json(tool.parameters_json);
    const json::object* own = parameters ? parameters->if_object() : nullptr;
    if (own != nullptr) {
        if (const auto* members = own->if_contains("properties"); members && members->is_object())
            for (const auto& member : members->as_object())
                if (member.key() != "name") properties[member.key()] = member.value();
        if (const auto* names = own->if_contains("required"); names && names->is_array())
            for (const json::value& name : names->as_array())
                if (name != "name") required.push_back(name);
    }
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

json::object position_schema(const VisualLimits& limits) {
    const bool fractions = limits.coordinates && limits.coordinates->decimals() > 0;
    return {{"type", fractions ? "number" : "integer"}};
}

json::array action_schemas(const VisualLimits& limits) {
    using enum VisualVerb;
    const json::object integer{{"type", "integer"}};
    const json::object number = position_schema(limits);
    const json::object text{{"type", "string"}};
    json::array all;
    all.emplace_back(
        object_schema({{"name", names_schema({move, click, right_click, double_click})},
                       {"x1", number},
                       {"y1", number}}));
    all.emplace_back(object_schema({{"name", names_schema({drag})},
                                    {"x1", number},
                                    {"y1", number},
                                    {"x2", number},
                                    {"y2", number}}));
    if (is_enabled(type, limits))
        all.emplace_back(object_schema({{"name", names_schema({type})}, {"text", text}}));
    if (is_enabled(press, limits))
        all.emplace_back(object_schema({{"name", names_schema({press})}, {"key", text}}));
    const json::object direction{{"type", "string"}, {"enum", json::array{"up", "down"}}};
    if (is_enabled(scroll, limits))
        all.emplace_back(object_schema({{"name", names_schema({scroll})},
                                        {"x1", number},
                                        {"y1", number},
                                        {"direction", direction},
                                        {"amount", integer}}));
    for (const vlm::ToolSpec& tool : limits.tools)
        if (!is_verb(tool.name)) all.emplace_back(tool_schema(tool));
    return all;
}

} // namespace

std::string_view to_string(VisualVerb verb) {
    return verbs.at(static_cast<std::size_t>(verb)).name;
}

bool is_extended(VisualVerb verb) {
    return verb == VisualVerb::type || verb == VisualVerb::press || verb == VisualVerb::scroll;
}

VisualReply parse_visual_reply(std::string_view text, const VisualLimits& limits) {
    VisualReply reply;
    reply.text = to_valid_utf8(text);
    const std::string words = strip_think(reply.text);
    auto object = as_reply(reply.text); // think tags in strings of the object are text
    if (!object) object = whole_object(words);
    if (!object) {
        object = find_object(words);
        reply.in_text = object.has_value();
    }
    if (object) {
        Reader(*object, limits, reply).read();
        return reply;
    }
    reply.understood = false;
    reply.observation = words;
    reply.problems.emplace_back("The reply was not the requested JSON object: the whole reply is "
                                "the observation, and no action was executed.");
    return reply;
}

json::array actions_json(const std::vector<VisualAction>& actions) {
    json::array all;
    for (const VisualAction& action : actions) {
        json::object one{{"name", to_string(action.verb)}};
        if (action.verb == VisualVerb::tool) {
            one["name"] = action.tool;
            if (const auto arguments = parse_json(action.arguments_json);
                arguments && arguments->is_object())
                for (const auto& member : arguments->as_object())
                    one[member.key()] = member.value();
        }
        if (is_aimed(action.verb)) {
            one["x1"] = action.at.x;
            one["y1"] = action.at.y;
        }
        if (action.verb == VisualVerb::drag) {
            one["x2"] = action.to.x;
            one["y2"] = action.to.y;
        }
        if (action.verb == VisualVerb::type) one["text"] = action.text;
        if (action.verb == VisualVerb::press) one["key"] = action.text;
        if (action.verb == VisualVerb::scroll) {
            one["direction"] = action.notches > 0 ? "up" : "down";
            one["amount"] = std::abs(action.notches);
        }
        all.emplace_back(std::move(one));
    }
    return all;
}

std::string to_json(const VisualReply& reply) {
    return to_text(json::object{{"observation", reply.observation},
                                {"bboxes", boxes_json(reply.boxes)},
                                {"actions", actions_json(reply.actions)}});
}

std::string visual_reply_schema(const VisualLimits& limits) {
    const json::object number = position_schema(limits);
    const json::object box =
        object_schema({{"x1", number}, {"y1", number}, {"x2", number}, {"y2", number}});
    return to_text(object_schema(
        {{"observation", json::object{{"type", "string"}}},
         {"bboxes", json::object{{"type", "array"}, {"maxItems", limits.boxes}, {"items", box}}},
         {"actions", json::object{{"type", "array"},
                                  {"maxItems", limits.actions},
                                  {"items", json::object{{"anyOf", action_schemas(limits)}}}}},
         {"done", json::object{{"type", "boolean"}}}}));
}

} // namespace eyehand::agent
