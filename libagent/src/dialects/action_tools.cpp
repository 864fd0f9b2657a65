#include "dialects/action_tools.hpp"

#include "base/text.hpp"
#include "dialects/grammars.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

constexpr std::size_t label_length = 80;
constexpr double max_notches = 30;
constexpr double max_wait = 30;
constexpr double default_wait = 1;

constexpr std::array pointer_tools{"click", "double_click", "right_click", "click_with",
                                   "drag",  "move",         "click_here"};
constexpr std::array keyboard_tools{"type", "press", "hotkey", "hold_key"};
constexpr std::array wheel_tools{"scroll", "scroll_here", "scroll_down", "scroll_up", "turn_wheel"};
constexpr std::array looking_tools{"observe", "wait"};

// What carries out the actions.
constexpr std::array pointer_actions{"click",      "double_click", "right_click",
                                     "click_with", "drag",         "move"};
constexpr std::array keyboard_actions{"type", "press", "hold_key"};
constexpr std::array wheel_actions{"turn_wheel"};

template <class Names>
bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool needs_place(Kind kind) {
    return kind == Kind::click || kind == Kind::double_click || kind == Kind::right_click;
}

class CallWriter {
public:
    CallWriter(const StatedAction& action, const ActionContext& context)
        : action_(action), context_(context) {}

    vlm::ToolCall write() {
        if (action_.kind == Kind::unsupported) return invalid_action(action_.text);
        if (action_.kind == Kind::call) return function();
        std::string_view tool = describe();
        if (!problem_.empty()) return invalid_action(problem_);
        if (!context_.tools.has(tool))
            return invalid_action(
                fmt::format("\"{}\" is not among your actions", to_string(action_.kind)));
        return {.name = std::string(tool), .arguments_json = to_text(arguments_)};
    }

private:
    /// Sets the arguments, and returns the tool.
    std::string_view describe() {
        switch (action_.kind) {
        case Kind::click:
            return click("click", "left", 1);
        case Kind::double_click:
            return click("double_click", "left", 2);
        case Kind::triple_click:
            return click("click_with", "left", 3);
        case Kind::right_click:
            return click("right_click", "right", 1);
        case Kind::middle_click:
            return click("click_with", "middle", 1);
        case Kind::move:
            return move();
        case Kind::drag:
            return drag();
        case Kind::press:
            arguments_["key"] = json::string(action_.text);
            return "press";
        case Kind::hold_key:
            arguments_["key"] = json::string(action_.text);
            arguments_["seconds"] = std::clamp(action_.seconds.value_or(1), 0.1, 10.0);
            return "hold_key";
        case Kind::type:
            arguments_["text"] = json::string(to_valid_utf8(action_.text));
            return "type";
        case Kind::scroll:
            return scroll();
        case Kind::wait:
            arguments_["seconds"] =
                std::clamp(action_.seconds.value_or(default_wait), 0.0, max_wait);
            return "wait";
        case Kind::screenshot:
            return "observe";
        case Kind::zoom:
            return zoom();
        default: // `combined` and the mode handle the others
            problem_ = fmt::format("\"{}\" is not possible here", to_string(action_.kind));
            return {};
        }
    }

    std::string_view click(std::string_view tool, std::string_view button, int times) {
        arguments_["label"] = json::string(label());
        if (action_.at) arguments_["box"] = list(*action_.at);
        if (needs_place(action_.kind) && action_.at && action_.keys.empty()) return tool;
        if (button != "left") arguments_["button"] = json::string(button);
        if (times != 1) arguments_["times"] = times;
        add_keys();
        return "click_with";
    }

    std::string_view move() {
        if (!action_.at) {
            problem_ = "a move needs a position";
            return {};
        }
        const ModelPoint to = center(*action_.at);
        arguments_["x"] = to.x;
        arguments_["y"] = to.y;
        return "move";
    }

    std::string_view drag() {
        if (!action_.from || !action_.at) {
            problem_ = "a drag needs the position where it starts, and the one where it ends";
            return {};
        }
        if (!action_.keys.empty()) {
            problem_ = "keys cannot be held during a drag";
            return {};
        }
        arguments_["label"] = json::string(label());
        arguments_["start"] = point(*action_.from);
        arguments_["end"] = point(*action_.at);
        if (!action_.via.empty()) {
            json::array via;
            for (const StatedPosition& corner : action_.via) via.push_back(point(corner));
            arguments_["via"] = std::move(via);
        }
        return "drag";
    }

    std::string_view scroll() {
        if (action_.at) arguments_["box"] = list(*action_.at);
        arguments_["direction"] = json::string(action_.direction);
        if (action_.amount)
            arguments_["amount"] = static_cast<int>(
                std::clamp(std::round(std::abs(*action_.amount)), 1.0, max_notches));
        add_keys();
        return "turn_wheel";
    }

    std::string_view zoom() {
        zoom_ = context_.tools.name_of(zoom_tool);
        const auto offered = context_.tools.arguments(zoom_);
        if (!offered) {
            problem_ = "\"zoom\" is not possible here: take a screenshot";
            return {};
        }
        for (const ArgumentInfo& argument : *offered)
            if (argument.id == "region") arguments_[argument.name] = list(*action_.at);
        return zoom_;
    }

    void add_keys() {
        if (!action_.keys.empty()) arguments_["keys"] = json::string(action_.keys);
    }

    [[nodiscard]] bool lists_have_y_first() const {
        return context_.numbers != nullptr &&
               context_.numbers->convention() == CoordinateConvention::norm1000_yx;
    }
    /// In the order of the convention.
    [[nodiscard]] json::array list(const StatedPosition& position) const {
        std::vector<double> numbers = position.numbers;
        if (position.named && lists_have_y_first())
            for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
                std::swap(numbers[i], numbers[i + 1]);
        json::array array;
        for (const double number : numbers) array.push_back(number);
        return array;
    }
    [[nodiscard]] ModelPoint center(const StatedPosition& position) const {
        ModelPoint at{position.numbers[0], position.numbers[1]};
        if (position.numbers.size() == 4)
            at = {(at.x + position.numbers[2]) / 2, (at.y + position.numbers[3]) / 2};
        if (!position.named && lists_have_y_first()) std::swap(at.x, at.y);
        return at;
    }
    [[nodiscard]] json::array point(const StatedPosition& position) const {
        const ModelPoint at = center(position);
        if (lists_have_y_first()) return {at.y, at.x};
        return {at.x, at.y};
    }

    [[nodiscard]] std::string label() const {
        std::string words = shorten(one_line(to_valid_utf8(context_.thought)), label_length);
        return words.empty() ? std::string(to_string(action_.kind)) : words;
    }

    /// Values of functions are texts in most dialects: converted by the schema of the tool.
    vlm::ToolCall function() {
        const auto specs = context_.tools.specs();
        const auto spec = std::find_if(specs.begin(), specs.end(), [&](const vlm::ToolSpec& tool) {
            return tool.name == action_.text;
        });
        const bool offered = spec != specs.end() && spec->name != invalid_action_tool &&
                             !is_action_tool(context_.tools.id_of(spec->name));
        if (!offered)
            return invalid_action(
                fmt::format("\"{}\" is not among your actions and functions", action_.text));
        auto arguments = parse_json(action_.arguments_json);
        const auto schema = parse_json(spec->parameters_json);
        if (arguments && arguments->is_object() && schema && schema->is_object())
            if (const json::value* properties = schema->as_object().if_contains("properties");
                properties != nullptr && properties->is_object())
                for (auto& member : arguments->as_object())
                    convert(member.value(), properties->as_object().if_contains(member.key()));
        return {.name = action_.text,
                .arguments_json = arguments ? to_text(*arguments) : action_.arguments_json};
    }

    static void convert(json::value& value, const json::value* schema) {
        if (!value.is_string() || schema == nullptr || !schema->is_object()) return;
        const json::value* type = schema->as_object().if_contains("type");
        if (type == nullptr || !type->is_string() || type->as_string() == "string") return;
        const std::string text(value.as_string());
        if (auto parsed = parse_json(text); parsed && !parsed->is_string()) {
            value = *std::move(parsed);
        } else if (const auto position = position_in({text}); position) {
            json::array numbers;
            for (const double number : position->numbers) numbers.push_back(number);
            value = std::move(numbers);
        }
    }

    const StatedAction& action_;
    const ActionContext& context_;
    json::object arguments_;
    std::string problem_;
    std::string zoom_; ///< the name of this tool
};

struct InvalidAction {
    std::string message;
};

} // namespace

Toolbox dialect_tools() {
    Toolbox tools;
    tools.add<InvalidAction>(std::string(invalid_action_tool),
                             "Says why an action was not carried out.",
                             {arg("message", &InvalidAction::message, "the reason")},
                             [](const InvalidAction& args, ToolContext&) {
                                 return fail("invalid_action", args.message);
                             });
    tools.only_plans();
    return tools;
}

bool OfferedActions::has(Kind kind) const {
    switch (kind) {
    case Kind::press:
    case Kind::hold_key:
    case Kind::type:
        return keyboard;
    case Kind::scroll:
        return wheel;
    case Kind::wait:
    case Kind::screenshot:
    case Kind::finish:
    case Kind::ask_user:
        return any();
    case Kind::zoom:
        return zoom;
    case Kind::call:
    case Kind::unsupported:
        return false;
    default:
        return pointer;
    }
}

bool states_zoom(Dialect dialect) { return dialect == Dialect::claude_computer; }

ZoomUse zoom_use(Dialect dialect) {
    return dialect == Dialect::claude_computer ? ZoomUse::look : ZoomUse::positions;
}

bool is_action_tool(std::string_view id) {
    return contains(pointer_tools, id) || contains(keyboard_tools, id) ||
           contains(wheel_tools, id) || contains(looking_tools, id);
}

OfferedActions actions_of(const std::vector<ToolPresentation>& presentations) {
    OfferedActions offered;
    for (const ToolPresentation& presentation : presentations) {
        offered.pointer = offered.pointer || contains(pointer_tools, presentation.tool);
        offered.keyboard = offered.keyboard || contains(keyboard_tools, presentation.tool);
        offered.wheel = offered.wheel || contains(wheel_tools, presentation.tool);
    }
    return offered;
}

OfferedActions actions_of(const Toolbox& tools) {
    return {tools.has("click_with"), tools.has("press"), tools.has("turn_wheel"),
            !tools.name_of(zoom_tool).empty()};
}

std::vector<ToolPresentation> presentations_for_dialect(std::vector<ToolPresentation> presentations,
                                                        const Toolbox& all) {
    const OfferedActions offered = actions_of(presentations);
    if (!offered.any()) return presentations;
    std::erase_if(presentations, [](const ToolPresentation& presentation) {
        return is_action_tool(presentation.tool);
    });
    const auto add = [&](std::string_view name) {
        const bool taken = std::any_of(
            presentations.begin(), presentations.end(), [&](const ToolPresentation& presentation) {
                return (presentation.name.empty() ? presentation.tool : presentation.name) == name;
            });
        if (!taken && all.has(name))
            presentations.push_back({std::string(name), {}, {}, std::nullopt});
    };
    const auto add_all = [&](const auto& names) {
        for (const std::string_view name : names) add(name);
    };
    if (offered.pointer) add_all(pointer_actions);
    if (offered.keyboard) add_all(keyboard_actions);
    if (offered.wheel) add_all(wheel_actions);
    add_all(looking_tools);
    add(invalid_action_tool);
    return presentations;
}

vlm::ToolCall call_of(const StatedAction& action, const ActionContext& context) {
    return CallWriter(action, context).write();
}

vlm::ToolCall invalid_action(std::string_view message) {
    return {.name = std::string(invalid_action_tool),
            .arguments_json =
                to_text(json::object{{"message", json::string(to_valid_utf8(message))}})};
}

vlm::ToolCall call_with(const Toolbox& tools, std::string_view id,
                        const std::vector<std::pair<std::string_view, std::string>>& values,
                        std::string_view otherwise) {
    const std::string name = tools.name_of(id);
    const auto offered = tools.arguments(name);
    if (name.empty() || !offered) return {};
    json::object arguments;
    for (const ArgumentInfo& argument : *offered) {
        const auto value = std::find_if(values.begin(), values.end(), [&](const auto& entry) {
            return !argument.ignored && entry.first == argument.id;
        });
        if (value != values.end())
            arguments[argument.name] = json::string(to_valid_utf8(value->second));
        else if (argument.required)
            arguments[argument.name] = json::string(to_valid_utf8(otherwise));
    }
    return {.name = name, .arguments_json = to_text(arguments)};
}

} // namespace eyehand::agent
