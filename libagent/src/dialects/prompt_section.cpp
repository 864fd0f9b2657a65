#include "dialects/prompt_section.hpp"

#include "base/text.hpp"
#include "dialects/grammars.hpp"
#include "json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace eyehand::agent {
namespace {

using Kind = StatedAction::Kind;

/// One action of a dialect as its prompt describes it.
struct Line {
    Kind kind;
    std::string_view form;  ///< P, Q: positions
    std::string_view words; ///< empty: the form says it
    std::string_view tools; ///< the desktop tools that it replaces, separated by spaces
};

constexpr std::array ui_tars_lines{
    Line{Kind::click, "click(start_box='(P)')", "", "click click_here"},
    Line{Kind::double_click, "left_double(start_box='(P)')", "double-click", "double_click"},
    Line{Kind::right_click, "right_single(start_box='(P)')", "click with the right button",
         "right_click"},
    Line{Kind::drag, "drag(start_box='(P)', end_box='(Q)')", "", "drag"},
    Line{Kind::move, "hover(start_box='(P)')", "move the pointer without a click", "move"},
    Line{Kind::scroll, "scroll(start_box='(P)', direction='down')",
         "direction: up, down, left or right", "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::press, "hotkey(key='ctrl c')", "one key, or several together, separated by spaces",
         "press hotkey"},
    Line{Kind::type, "type(content='text')",
         "where the keyboard focus is; \\n presses Enter; write ' \" and \\ as \\' \\\" and \\\\",
         "type"},
    Line{Kind::wait, "wait()", "wait for a program, and look again", "wait observe"},
    Line{Kind::finish, "finished(content='answer')",
         "ends the task: say what was done and how you know", ""},
    Line{Kind::ask_user, "call_user()", "you cannot go on without the user", ""},
};

constexpr std::array glm_lines{
    Line{Kind::click, "left_click(start_box='[P]', element_info='what it is')", "",
         "click click_here"},
    Line{Kind::double_click, "left_double_click(start_box='[P]', element_info='what it is')", "",
         "double_click"},
    Line{Kind::right_click, "right_click(start_box='[P]', element_info='what it is')", "",
         "right_click"},
    Line{Kind::middle_click, "middle_click(start_box='[P]', element_info='what it is')", "", ""},
    Line{Kind::drag, "left_drag(start_box='[P]', end_box='[Q]')", "", "drag"},
    Line{Kind::move, "hover(start_box='[P]')", "move the pointer without a click", "move"},
    Line{Kind::scroll, "scroll(start_box='[P]', direction='down', step=5)",
         "direction: up, down, left or right", "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::press, "key(keys='ctrl+c')", "one key, or several together", "press hotkey"},
    Line{Kind::type, "type(content='text')",
         "where the keyboard focus is; \\n presses Enter; write ' \" and \\ as \\' \\\" and \\\\",
         "type"},
    Line{Kind::wait, "WAIT()", "wait for a program, and look again", "wait observe"},
    Line{Kind::finish, "DONE()", "the task is done: say before it what was done and how you know",
         ""},
    Line{Kind::finish, "FAIL()", "the task cannot be done: say before it why", ""},
};

constexpr std::array pyautogui_lines{
    Line{Kind::click, "pyautogui.click(P)", "", "click click_here"},
    Line{Kind::double_click, "pyautogui.doubleClick(P)", "", "double_click"},
    Line{Kind::triple_click, "computer.tripleClick(P)", "", ""},
    Line{Kind::right_click, "pyautogui.rightClick(P)", "", "right_click"},
    Line{Kind::move, "pyautogui.moveTo(P)", "", "move"},
    Line{Kind::drag, "pyautogui.dragTo(P)", "from where the pointer is: moveTo first", "drag"},
    Line{Kind::scroll, "pyautogui.scroll(-5)", "where the pointer is; negative: down",
         "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::scroll, "pyautogui.hscroll(5)", "the same sideways; negative: left", ""},
    Line{Kind::press, "pyautogui.press('enter')", "one key", "press"},
    Line{Kind::press, "pyautogui.hotkey(['ctrl', 'c'])", "several keys together", "hotkey"},
    Line{Kind::type, "pyautogui.write(message='text')",
         "where the keyboard focus is; \\n presses Enter", "type"},
    Line{Kind::wait, "computer.wait()", "wait for a program, and look again", "wait observe"},
    Line{Kind::finish, "computer.terminate(status='success', answer='...')",
         "ends the task: say what was done and how you know; status='failure' if it cannot be done",
         ""},
};

constexpr std::array computer_use_lines{
    Line{Kind::click, "left_click", "at coordinate", "click click_here"},
    Line{Kind::double_click, "double_click", "at coordinate", "double_click"},
    Line{Kind::triple_click, "triple_click", "at coordinate", ""},
    Line{Kind::right_click, "right_click", "at coordinate", "right_click"},
    Line{Kind::middle_click, "middle_click", "at coordinate", ""},
    Line{Kind::move, "mouse_move", "to coordinate, without a click", "move"},
    Line{Kind::drag, "left_click_drag",
         "to coordinate, from start_coordinate, or from where the pointer is", "drag"},
    Line{Kind::press, "key", "presses the keys together", "press hotkey"},
    Line{Kind::type, "type", "types text where the keyboard focus is; \\n presses Enter", "type"},
    Line{Kind::scroll, "scroll", "at coordinate; pixels: positive is up",
         "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::scroll, "hscroll", "the same sideways: positive is right", ""},
    Line{Kind::wait, "wait", "for some seconds (time), then look again", "wait observe"},
    Line{Kind::finish, "terminate", "ends the task, with its status", ""},
    Line{Kind::finish, "answer", "ends the task with an answer in text", ""},
};

constexpr std::array computer_lines{
    Line{Kind::click, "left_click", "at coordinate; text: keys held meanwhile", "click click_here"},
    Line{Kind::double_click, "double_click", "at coordinate", "double_click"},
    Line{Kind::triple_click, "triple_click", "at coordinate", ""},
    Line{Kind::right_click, "right_click", "at coordinate", "right_click"},
    Line{Kind::middle_click, "middle_click", "at coordinate", ""},
    Line{Kind::move, "mouse_move", "to coordinate, without a click", "move"},
    Line{Kind::drag, "left_click_drag", "from start_coordinate to coordinate", "drag"},
    Line{Kind::press, "key", "presses the keys in text, such as ctrl+s", "press hotkey"},
    Line{Kind::hold_key, "hold_key", "holds the keys in text for duration seconds", "hold_key"},
    Line{Kind::type, "type", "types text where the keyboard focus is; \\n presses Enter", "type"},
    Line{Kind::scroll, "scroll", "at coordinate, in scroll_direction by scroll_amount notches",
         "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::wait, "wait", "for duration seconds", "wait"},
    Line{Kind::screenshot, "screenshot", "shows the screen", "observe"},
    Line{Kind::zoom, "zoom",
         "shows region at full resolution; positions still refer to the whole screenshot", "zoom"},
};

constexpr std::array openai_lines{
    Line{Kind::click, "click", "at x, y, with button left, right or wheel; keys: held meanwhile",
         "click click_here right_click"},
    Line{Kind::double_click, "double_click", "at x, y", "double_click"},
    Line{Kind::move, "move", "to x, y, without a click", "move"},
    Line{Kind::drag, "drag", "along path, a list of points {x, y}", "drag"},
    Line{Kind::press, "keypress", "presses keys together, such as [\"CTRL\", \"S\"]",
         "press hotkey"},
    Line{Kind::type, "type", "types text where the keyboard focus is; \\n presses Enter", "type"},
    Line{Kind::scroll, "scroll",
         "at x, y, by scroll_x and scroll_y pixels; positive is right and down",
         "scroll scroll_here scroll_down scroll_up"},
    Line{Kind::wait, "wait", "a moment", "wait"},
    Line{Kind::screenshot, "screenshot", "shows the screen", "observe"},
};

std::span<const Line> lines_of(Dialect dialect) {
    switch (dialect) {
    case Dialect::ui_tars:
        return ui_tars_lines;
    case Dialect::glm:
        return glm_lines;
    case Dialect::pyautogui:
        return pyautogui_lines;
    case Dialect::qwen_computer_use:
        return computer_use_lines;
    case Dialect::claude_computer:
        return computer_lines;
    case Dialect::openai_computer:
        return openai_lines;
    case Dialect::native:
        break;
    }
    return {};
}

std::vector<Line> offered_lines(Dialect dialect, const RoleOffer& offer) {
    std::vector<Line> all;
    for (const Line& line : lines_of(dialect))
        if (offer.actions.has(line.kind) && (line.kind != Kind::finish || offer.can_complete))
            all.push_back(line);
    return all;
}

/// P and Q, in the order of the convention.
std::string form_of(const Line& line, Dialect dialect, const CoordinateConverter& numbers) {
    const bool y_first = numbers.convention() == CoordinateConvention::norm1000_yx;
    std::string_view first = y_first ? "y,x" : "x,y";
    std::string_view second = y_first ? "y2,x2" : "x2,y2";
    if (dialect == Dialect::pyautogui) first = "x=X, y=Y";
    if (!states_text(dialect)) return std::string(line.form);
    return replace_all(replace_all(std::string(line.form), "P", first), "Q", second);
}

std::string_view name_in(std::string_view form) { return form.substr(0, form.find('(')); }

/// "click_element is click, type_text is type".
std::string replaced_names(Dialect dialect, const RoleOffer& offer) {
    std::string text;
    for (const auto& [name, tool] : offer.replaced) {
        for (const Line& line : offered_lines(dialect, offer)) {
            if (!has_word(line.tools, tool) || name == name_in(line.form)) continue;
            text += fmt::format("{}{} is {}", text.empty() ? "" : ", ", name, name_in(line.form));
            break;
        }
    }
    return text;
}

std::string function_line(const vlm::ToolSpec& tool, Dialect dialect) {
    std::string arguments;
    std::string words;
    const auto schema = parse_json(tool.parameters_json);
    if (schema && schema->is_object())
        if (const json::value* properties = schema->as_object().if_contains("properties"))
            for (const auto& property : properties->as_object()) {
                const json::value* type = property.value().as_object().if_contains("type");
                const bool is_text =
                    dialect != Dialect::pyautogui || type == nullptr || *type == "string";
                arguments +=
                    fmt::format("{}{}={}", arguments.empty() ? "" : ", ",
                                std::string_view(property.key()), is_text ? "'...'" : "...");
                if (const json::value* about =
                        property.value().as_object().if_contains("description"))
                    words += fmt::format(" {}: {}", std::string_view(property.key()),
                                         one_line(std::string(about->as_string())));
            }
    return fmt::format("{}({}): {}{}\n", tool.name, arguments, one_line(tool.description), words);
}

std::string several_words(const RoleOffer& offer, std::string_view separated) {
    return offer.several
               ? fmt::format("one action, or several{} if the later ones do not depend on what the "
                             "screen shows after the earlier ones",
                             separated)
               : std::string("exactly one action");
}

std::string reply_form(Dialect dialect, const RoleOffer& offer) {
    switch (dialect) {
    case Dialect::ui_tars:
        return fmt::format("End each reply with {}, in this form:\n\n"
                           "Thought: what you see, and what you do next\n"
                           "Action: click(start_box='(...)')\n\n"
                           "Write nothing after the action.",
                           several_words(offer, ", separated by empty lines,"));
    case Dialect::glm:
        return fmt::format("End each reply with {}, in this form:\n\n"
                           "what you see, and what you do next\n"
                           "<|begin_of_box|>left_click(start_box='[...]')<|end_of_box|>\n\n"
                           "Write nothing after the box.",
                           several_words(offer, ", each on a line of its own in the same box,"));
    case Dialect::pyautogui:
        return fmt::format("End each reply with {}, in a code block:\n\n"
                           "what you see, and what you do next\n"
                           "```python\npyautogui.click(...)\n```\n\n"
                           "The block is not run by Python: it consists of calls with numbers, "
                           "texts and lists, without variables, loops and imports. Write nothing "
                           "after it.",
                           several_words(offer, ", each on a line of its own,"));
    default:
        return {};
    }
}

json::object described(std::string_view type, std::string_view description) {
    return {{"type", json::string(type)}, {"description", json::string(description)}};
}

json::object position_schema(const CoordinateConverter& numbers, std::string_view words) {
    return {{"description",
             json::string(fmt::format("{}{}", numbers.filled_in("{{point}}, {{range}}"), words))},
            {"type", "array"},
            {"items", json::object{{"type", "number"}}},
            {"minItems", 2},
            {"maxItems", 2}};
}

json::array names_of(const std::vector<Line>& lines) {
    json::array names;
    for (const Line& line : lines) names.push_back(json::string(line.form));
    return names;
}

json::object strings(std::string_view description) {
    json::object schema = described("array", description);
    schema["items"] = json::object{{"type", "string"}};
    return schema;
}

json::object computer_use_properties(const std::vector<Line>& lines,
                                     const CoordinateConverter& numbers) {
    return {{"action", json::object{{"type", "string"}, {"enum", names_of(lines)}}},
            {"coordinate", position_schema(numbers, "")},
            {"start_coordinate", position_schema(numbers, "; where left_click_drag starts")},
            {"keys", strings("of key; or held during a click or scroll")},
            {"text", described("string", "of type and answer")},
            {"pixels", described("number", "of scroll and hscroll")},
            {"time", described("number", "seconds of wait")},
            {"status", json::object{{"description", "of terminate"},
                                    {"type", "string"},
                                    {"enum", json::array{"success", "failure"}}}}};
}

json::object computer_properties(const std::vector<Line>& lines,
                                 const CoordinateConverter& numbers) {
    json::object properties{
        {"action", json::object{{"type", "string"}, {"enum", names_of(lines)}}},
        {"coordinate", position_schema(numbers, "")},
        {"start_coordinate", position_schema(numbers, "; where left_click_drag starts")},
        {"text", described("string", "of type; the keys of key and hold_key; or keys held "
                                     "during a click or scroll")},
        {"scroll_direction",
         json::object{{"type", "string"}, {"enum", json::array{"up", "down", "left", "right"}}}},
        {"scroll_amount", described("number", "notches of the wheel")},
        {"duration", described("number", "seconds of wait and hold_key")}};
    const bool zooms = std::any_of(lines.begin(), lines.end(),
                                   [](const Line& line) { return line.kind == Kind::zoom; });
    if (zooms) {
        json::object region = position_schema(numbers, "");
        region["description"] = json::string(numbers.filled_in("of zoom: {{box}}, {{range}}"));
        region["minItems"] = region["maxItems"] = 4;
        properties["region"] = std::move(region);
    }
    return properties;
}

json::object openai_properties(const std::vector<Line>& lines, const CoordinateConverter& numbers) {
    const auto number = [&](std::string_view axis) {
        return described("number", numbers.filled_in(fmt::format("{}, {{{{range}}}}", axis)));
    };
    const json::object corner{{"type", "object"},
                              {"properties", json::object{{"x", json::object{{"type", "number"}}},
                                                          {"y", json::object{{"type", "number"}}}}},
                              {"required", json::array{"x", "y"}}};
    json::object path = described("array", "of drag: at least two points");
    path["items"] = corner;
    const json::object action{
        {"type", "object"},
        {"properties",
         json::object{{"type", json::object{{"type", "string"}, {"enum", names_of(lines)}}},
                      {"x", number("x")},
                      {"y", number("y")},
                      {"button", json::object{{"type", "string"},
                                              {"enum", json::array{"left", "right", "wheel"}}}},
                      {"path", path},
                      {"keys", strings("of keypress; or held meanwhile")},
                      {"text", described("string", "of type")},
                      {"scroll_x", described("number", "pixels; positive is right")},
                      {"scroll_y", described("number", "pixels; positive is down")}}},
        {"required", json::array{"type"}}};
    json::object actions = described("array", "carried out in this order");
    actions["items"] = action;
    return {{"actions", actions}};
}

} // namespace

bool can_be_text(const vlm::ToolSpec& tool) {
    const auto is_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    const auto is_name = [&](std::string_view name) {
        return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
               std::all_of(name.begin(), name.end(), is_word);
    };
    const auto is_simple = [](const json::value* type) {
        return type != nullptr &&
               (*type == "string" || *type == "number" || *type == "integer" || *type == "boolean");
    };
    const auto schema = parse_json(tool.parameters_json);
    if (!is_name(tool.name) || !schema || !schema->is_object()) return false;
    const json::value* properties = schema->as_object().if_contains("properties");
    if (properties == nullptr) return true;
    if (!properties->is_object()) return false;
    return std::all_of(
        properties->as_object().begin(), properties->as_object().end(), [&](const auto& property) {
            if (!is_name(property.key()) || !property.value().is_object()) return false;
            const json::object& of = property.value().as_object();
            const json::value* about = of.if_contains("description");
            if (about != nullptr && !about->is_string()) return false;
            const json::value* type = of.if_contains("type");
            if (is_simple(type)) return true;
            const json::value* items = of.if_contains("items");
            return type != nullptr && *type == "array" && items != nullptr && items->is_object() &&
                   is_simple(items->as_object().if_contains("type"));
        });
}

std::string prompt_section(Dialect dialect, const RoleOffer& offer,
                           const CoordinateConverter& numbers) {
    if (!offer.actions.any() && offer.functions.empty()) return {};
    std::string text;
    if (states_text(dialect)) {
        text += "Actions\n";
        text += offer.actions.any()
                    ? reply_form(dialect, offer) + "\n\n"
                    : std::string("You have functions, which you call in the text of your reply: "
                                  "end it with the call, ") +
                          (dialect == Dialect::ui_tars ? "after \"Action:\".\n\n"
                           : dialect == Dialect::glm
                               ? "between <|begin_of_box|> and <|end_of_box|>.\n\n"
                               : "in a code block.\n\n");
        for (const Line& line : offered_lines(dialect, offer))
            text += fmt::format("{}{}{}\n", form_of(line, dialect, numbers),
                                line.words.empty() ? "" : ": ", line.words);
        if (offer.actions.pointer) text += numbers.filled_in("Positions: {{range}}, {{unit}}.\n");
    } else {
        const std::string function(function_of(dialect));
        text += fmt::format("Actions\nAct with the function {}: call it with ", function);
        text +=
            dialect == Dialect::openai_computer
                ? several_words(offer, " in the same list")
                : std::string(offer.several ? "one action; several calls in a reply are carried "
                                              "out in their order"
                                            : "exactly one action in a reply");
        text += ".\n";
        for (const Line& line : offered_lines(dialect, offer))
            text += fmt::format("{}: {}\n", line.form, line.words);
    }
    if (offer.actions.any())
        text += "After your actions you receive a new screenshot, without asking for it.\n";
    if (const std::string names = replaced_names(dialect, offer); !names.empty())
        text += fmt::format("Where these instructions name a tool, use the action: {}.\n", names);
    if (!offer.functions.empty()) {
        text += "\nFunctions:\n";
        for (const vlm::ToolSpec& tool : offer.functions) text += function_line(tool, dialect);
    }
    if (states_text(dialect) && !offer.tools.empty()) {
        std::string names;
        for (const vlm::ToolSpec& tool : offer.tools)
            names += fmt::format("{}{}", names.empty() ? "" : ", ", tool.name);
        text += fmt::format("\nThese tools have no such form: call them as tools: {}.\n", names);
    }
    return std::string(trim(text));
}

vlm::ToolSpec function_spec(Dialect dialect, const RoleOffer& offer,
                            const CoordinateConverter& numbers) {
    const std::vector<Line> lines = offered_lines(dialect, offer);
    json::object properties;
    if (dialect == Dialect::qwen_computer_use)
        properties = computer_use_properties(lines, numbers);
    else if (dialect == Dialect::claude_computer)
        properties = computer_properties(lines, numbers);
    else
        properties = openai_properties(lines, numbers);
    const bool has_action = properties.contains("action");
    const json::object schema{{"type", "object"},
                              {"properties", std::move(properties)},
                              {"required", json::array{has_action ? "action" : "actions"}}};
    return {.name = std::string(function_of(dialect)),
            .description = "Uses the mouse and the keyboard, and looks at the screen.",
            .parameters_json = to_text(schema),
            .computer = dialect == Dialect::openai_computer};
}

} // namespace eyehand::agent
