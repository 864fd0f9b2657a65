#include "text_forms.hpp"

#include "desktop_call.hpp"
#include "json_text.hpp"
#include "one_line.hpp"
#include "prompt_functions.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace stand_in {
namespace {

namespace json = boost::json;

constexpr int notches_of_text = 5;

std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\n') {
            result += "\\n";
        } else if (c == '\r') {
            result += "\\r";
        } else {
            if (c == '\'' || c == '"' || c == '\\') result += '\\';
            result += c;
        }
    }
    return result + '\'';
}

std::string_view text_at(const json::object& arguments, std::string_view name) {
    return arguments.at(name).as_string();
}

std::string quoted_at(const json::object& arguments, std::string_view name) {
    return in_quotes(text_at(arguments, name));
}

std::vector<std::string> keys_in(const json::object& arguments) {
    std::vector<std::string> keys;
    for (const json::value& key : arguments.at("keys").as_array())
        keys.emplace_back(std::string_view(key.as_string()));
    return keys;
}

std::string lower_case(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

// --- UI-TARS ------------------------------------------------------------------------------------

// "(x,y)"
std::string in_parentheses(const json::object& arguments, std::string_view name) {
    std::string list = json_text(arguments.at(name));
    list.front() = '(';
    list.back() = ')';
    return list;
}

std::string ui_tars_at(std::string_view name, const json::object& arguments) {
    return fmt::format("{}(start_box='{}')", name, in_parentheses(arguments, "position"));
}

std::string ui_tars_action(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::double_click:
        return ui_tars_at("left_double", arguments);
    case Role::right_click:
        return ui_tars_at("right_single", arguments);
    case Role::drag:
        return fmt::format("drag(start_box='{}', end_box='{}')", in_parentheses(arguments, "start"),
                           in_parentheses(arguments, "end"));
    case Role::type:
        return fmt::format("type(content={})", quoted_at(arguments, "text"));
    case Role::press:
        return fmt::format(
            "hotkey(key={})",
            in_quotes(lower_case(fmt::format("{}", fmt::join(keys_in(arguments), " ")))));
    case Role::scroll:
        return fmt::format("scroll(start_box='{}', direction={})",
                           in_parentheses(arguments, "position"),
                           quoted_at(arguments, "direction"));
    case Role::observe:
        return "wait()";
    default:
        return ui_tars_at("click", arguments);
    }
}

// --- GLM ----------------------------------------------------------------------------------------

std::string glm_click(std::string_view name, const json::object& arguments) {
    return fmt::format("{}(start_box='{}', element_info={})", name,
                       json_text(arguments.at("position")), quoted_at(arguments, "label"));
}

std::string glm_action(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::double_click:
        return glm_click("left_double_click", arguments);
    case Role::right_click:
        return glm_click("right_click", arguments);
    case Role::drag:
        return fmt::format("left_drag(start_box='{}', end_box='{}')",
                           json_text(arguments.at("start")), json_text(arguments.at("end")));
    case Role::type:
        return fmt::format("type(content={})", quoted_at(arguments, "text"));
    case Role::press:
        return fmt::format("key(keys={})",
                           in_quotes(fmt::format("{}", fmt::join(keys_in(arguments), "+"))));
    case Role::scroll:
        return fmt::format("scroll(start_box='{}', direction={}, step={})",
                           json_text(arguments.at("position")), quoted_at(arguments, "direction"),
                           notches_of_text);
    case Role::observe:
        return "WAIT()";
    default:
        return glm_click("left_click", arguments);
    }
}

// --- pyautogui ----------------------------------------------------------------------------------

std::string pyautogui_at(std::string_view name, const json::object& arguments,
                         std::string_view x = "x", std::string_view y = "y") {
    return fmt::format("pyautogui.{}(x={}, y={})", name, json_text(arguments.at(x)),
                       json_text(arguments.at(y)));
}

std::string pyautogui_keys(const json::object& arguments) {
    std::vector<std::string> keys = keys_in(arguments);
    std::transform(keys.begin(), keys.end(), keys.begin(), in_quotes);
    if (keys.size() == 1) return fmt::format("pyautogui.press({})", keys.front());
    return fmt::format("pyautogui.hotkey([{}])", fmt::join(keys, ", "));
}

// Up and right are positive.
std::string pyautogui_scroll(const json::object& arguments) {
    const std::string_view direction = text_at(arguments, "direction");
    const bool sideways = direction == "left" || direction == "right";
    const bool positive = direction == "up" || direction == "right";
    return fmt::format("{}\npyautogui.{}({})", pyautogui_at("moveTo", arguments),
                       sideways ? "hscroll" : "scroll",
                       positive ? notches_of_text : -notches_of_text);
}

std::string pyautogui_action(const DesktopCall& action) {
    const json::object& arguments = action.arguments;
    switch (action.role) {
    case Role::double_click:
        return pyautogui_at("doubleClick", arguments);
    case Role::right_click:
        return pyautogui_at("rightClick", arguments);
    case Role::drag:
        return pyautogui_at("moveTo", arguments, "x1", "y1") + '\n' +
               pyautogui_at("dragTo", arguments, "x2", "y2");
    case Role::type:
        return fmt::format("pyautogui.write(message={})", quoted_at(arguments, "text"));
    case Role::press:
        return pyautogui_keys(arguments);
    case Role::scroll:
        return pyautogui_scroll(arguments);
    case Role::observe:
        return "computer.wait()";
    default:
        return pyautogui_at("click", arguments);
    }
}

// --- All of them --------------------------------------------------------------------------------

std::string action_text(Dialect dialect, const DesktopCall& action) {
    if (dialect == Dialect::ui_tars) return ui_tars_action(action);
    return dialect == Dialect::glm ? glm_action(action) : pyautogui_action(action);
}

// "[1, 2]"
std::string listed(const json::value& value) {
    if (!value.is_array()) return json_text(value);
    std::vector<std::string> items;
    for (const json::value& item : value.get_array()) items.push_back(json_text(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
}

// Only Python code has values other than strings.
std::string argument_text(Dialect dialect, const json::value& value) {
    if (value.is_string()) return in_quotes(value.get_string());
    return dialect == Dialect::pyautogui ? listed(value) : in_quotes(listed(value));
}

std::string function_text(Dialect dialect, std::string_view name, const json::object& arguments) {
    std::vector<std::string> texts;
    for (const auto& [argument, value] : arguments)
        texts.push_back(
            fmt::format("{}={}", std::string_view(argument), argument_text(dialect, value)));
    return fmt::format("{}({})", name, fmt::join(texts, ", "));
}

// A model that gives up says so, or calls the user.
std::string end_text(Dialect dialect, const Reply& reply) {
    const std::string words = in_quotes(reply.content);
    if (dialect == Dialect::ui_tars)
        return reply.done ? fmt::format("finished(content={})", words) : "call_user()";
    if (dialect == Dialect::glm) return reply.done ? "DONE()" : "FAIL()";
    return fmt::format("computer.terminate(status='{}', answer={})",
                       reply.done ? "success" : "failure", words);
}

std::string statement(Dialect dialect, const Reply& reply) {
    if (!reply.call) return end_text(dialect, reply);
    if (const auto name = prompt_function(*reply.call))
        return function_text(dialect, *name, reply.call->arguments);
    return action_text(dialect, desktop_call(*reply.call).value());
}

} // namespace

std::string text_form(Dialect dialect, const Reply& reply) {
    const std::string thought = on_one_line(reply.content);
    const std::string action = statement(dialect, reply);
    if (dialect == Dialect::ui_tars) return fmt::format("Thought: {}\nAction: {}", thought, action);
    if (dialect == Dialect::glm)
        return fmt::format("{}\n<|begin_of_box|>{}<|end_of_box|>", thought, action);
    return fmt::format("{}\n```python\n{}\n```", thought, action);
}

} // namespace stand_in
