#include "computer_forms.hpp"

#include <boost/json.hpp>
#include <cctype>
#include <string>
#include <utility>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr int notch_pixels = 300;
constexpr int notches = 5;

// "ctrl+s"
std::string chord_of(const json::object& arguments) {
    std::string chord;
    for (const json::value& key : arguments.at("keys").as_array())
        chord.append(chord.empty() ? "" : "+").append(key.as_string());
    return chord;
}

// {"CTRL", "S"}
json::array in_capitals(const json::array& keys) {
    json::array result;
    for (const json::value& key : keys) {
        json::string text = key.as_string();
        for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        result.push_back(std::move(text));
    }
    return result;
}

// --- Qwen and Claude ----------------------------------------------------------------------------

json::object click_at(std::string_view action, const json::object& arguments) {
    return {{"action", action}, {"coordinate", arguments.at("position")}};
}

// The actions that both state in the same way.
json::object common_arguments(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::double_click:
        return click_at("double_click", arguments);
    case Role::right_click:
        return click_at("right_click", arguments);
    case Role::drag:
        return {{"action", "left_click_drag"},
                {"start_coordinate", arguments.at("start")},
                {"coordinate", arguments.at("end")}};
    case Role::type:
        return {{"action", "type"}, {"text", arguments.at("text")}};
    default:
        return click_at("left_click", arguments);
    }
}

json::object qwen_arguments(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::press:
        return {{"action", "key"}, {"keys", arguments.at("keys")}};
    case Role::scroll: // up is positive
        return {{"action", "scroll"},
                {"pixels", arguments.at("direction") == "up" ? notch_pixels : -notch_pixels},
                {"coordinate", arguments.at("position")}};
    case Role::observe:
        return {{"action", "wait"}, {"time", 1}};
    default:
        return common_arguments(action);
    }
}

json::object claude_arguments(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::press:
        return {{"action", "key"}, {"text", chord_of(arguments)}};
    case Role::scroll:
        return {{"action", "scroll"},
                {"coordinate", arguments.at("position")},
                {"scroll_direction", arguments.at("direction")},
                {"scroll_amount", notches}};
    case Role::observe:
        return json::object{{"action", "screenshot"}};
    default:
        return common_arguments(action);
    }
}

// --- OpenAI -------------------------------------------------------------------------------------

json::object openai_point(const json::object& arguments, std::string_view x, std::string_view y) {
    return {{"x", arguments.at(x)}, {"y", arguments.at(y)}};
}

json::object openai_click(std::string_view button, const json::object& arguments) {
    return {
        {"type", "click"}, {"button", button}, {"x", arguments.at("x")}, {"y", arguments.at("y")}};
}

// Down and right are positive.
json::object openai_scroll(const json::object& arguments) {
    const json::value& direction = arguments.at("direction");
    const int across = direction == "right"  ? notch_pixels
                       : direction == "left" ? -notch_pixels
                                             : 0;
    const int down = direction == "down" ? notch_pixels : direction == "up" ? -notch_pixels : 0;
    return {{"type", "scroll"},
            {"x", arguments.at("x")},
            {"y", arguments.at("y")},
            {"scroll_x", across},
            {"scroll_y", down}};
}

json::object openai_action(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::double_click:
        return {{"type", "double_click"}, {"x", arguments.at("x")}, {"y", arguments.at("y")}};
    case Role::right_click:
        return openai_click("right", arguments);
    case Role::drag:
        return {{"type", "drag"},
                {"path", json::array{openai_point(arguments, "x1", "y1"),
                                     openai_point(arguments, "x2", "y2")}}};
    case Role::type:
        return {{"type", "type"}, {"text", arguments.at("text")}};
    case Role::press:
        return {{"type", "keypress"}, {"keys", in_capitals(arguments.at("keys").as_array())}};
    case Role::scroll:
        return openai_scroll(arguments);
    case Role::observe:
        return json::object{{"type", "screenshot"}};
    default:
        return openai_click("left", arguments);
    }
}

json::object openai_arguments(const DesktopCall& action) {
    json::array actions;
    actions.push_back(openai_action(action));
    json::object arguments;
    arguments["actions"] = std::move(actions);
    return arguments;
}

} // namespace

std::string_view computer_function(Dialect dialect) {
    switch (dialect) {
    case Dialect::qwen_computer_use:
        return "computer_use";
    case Dialect::claude_computer:
    case Dialect::openai_computer:
        return "computer";
    case Dialect::native:
    case Dialect::ui_tars:
    case Dialect::glm:
    case Dialect::pyautogui:
        break;
    }
    return {};
}

json::object computer_arguments(Dialect dialect, const DesktopCall& action) {
    if (dialect == Dialect::qwen_computer_use) return qwen_arguments(action);
    return dialect == Dialect::claude_computer ? claude_arguments(action)
                                               : openai_arguments(action);
}

} // namespace stand_in
