// The readers of dialects: replies of real models, and properties of the grammars.
#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/dialect.hpp"
#include "eyehand/vlm/raw_response.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "source_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace eyehand;
using namespace agent;

namespace {

using Kind = StatedAction::Kind;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string list(const StatedPosition& position) {
    std::string text;
    for (const double number : position.numbers)
        text += (text.empty() ? "" : ", ") + CoordinateConverter::text(number);
    return "[" + text + "]";
}

std::string in_quotes(const std::string& text) { return json::serialize(json::string(text)); }

/// An action in one line, as the data files state it: "click [20, 370] with ctrl", "press ctrl+c".
std::string line(const StatedAction& action) {
    std::string text(to_string(action.kind));
    const auto add = [&](const std::string& more) { text += " " + more; };
    switch (action.kind) {
    case Kind::drag:
        if (action.from) add(list(*action.from));
        for (const StatedPosition& corner : action.via) add("-> " + list(corner));
        add("-> " + list(*action.at));
        break;
    case Kind::press:
    case Kind::key_down:
    case Kind::key_up:
    case Kind::hold_key:
        add(lower(action.text));
        break;
    case Kind::type:
        add(in_quotes(action.text));
        break;
    case Kind::finish:
        add(action.success ? "success" : "failure");
        if (!action.text.empty()) add(in_quotes(action.text));
        break;
    case Kind::ask_user:
        if (!action.text.empty()) add(in_quotes(action.text));
        break;
    case Kind::call:
        add(action.text);
        add(action.arguments_json);
        break;
    case Kind::unsupported:
        break;
    default:
        if (action.at) add(list(*action.at));
        if (!action.direction.empty()) add(action.direction);
        if (action.amount) add(CoordinateConverter::text(*action.amount));
    }
    if (action.seconds) add(CoordinateConverter::text(*action.seconds));
    if (!action.keys.empty()) add("with " + lower(action.keys));
    return text;
}

std::vector<std::string> lines(const StatedActions& stated) {
    std::vector<std::string> all;
    for (const StatedAction& action : stated.actions) all.push_back(line(action));
    return all;
}

json::array data(Dialect dialect) {
    const std::filesystem::path path = test::source_folder() / "tests/data" / "dialects" /
                                       (std::string(to_string(dialect)) + ".json");
    std::ifstream file(path, std::ios::binary);
    INFO(path);
    REQUIRE(file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return parse_json(text).value().as_array();
}

/// The calls in the text of a reply, as a client of a server without a parser for them finds them.
json::array calls_in(std::string_view text, Dialect dialect) {
    const json::value body{
        {"choices",
         json::array{json::object{
             {"index", 0},
             {"finish_reason", "stop"},
             {"message", json::object{{"role", "assistant"}, {"content", json::string(text)}}}}}}};
    vlm::ChatRequest request;
    request.text_calls = vlm::TextCalls::always;
    request.tools = {{std::string(function_of(dialect)), "", R"({"type":"object"})"}};
    const vlm::ChatReply reply =
        vlm::decode_response({.body = json::serialize(body), .notes = {}}, request);
    json::array calls;
    for (const vlm::ToolCall& call : reply.tool_calls)
        calls.push_back(json::object{{"name", json::string(call.name)},
                                     {"arguments", json::string(call.arguments_json)}});
    return calls;
}

struct Result {
    std::vector<std::string> lines;
    bool problem = false;
};

Result read(const json::object& entry, Dialect dialect) {
    Result result;
    const json::value* text = entry.if_contains("text");
    if (text != nullptr && states_text(dialect)) {
        const StatedActions stated = read_text_actions(dialect, std::string(text->as_string()));
        return {lines(stated), !stated.problem.empty()};
    }
    const json::array calls = text != nullptr ? calls_in(std::string(text->as_string()), dialect)
                                              : entry.at("calls").as_array();
    for (const json::value& call : calls) {
        const json::value& arguments = call.at("arguments");
        const std::string name(call.at("name").as_string());
        const StatedActions stated = read_call_actions(
            dialect,
            arguments.is_string() ? std::string(arguments.as_string()) : to_text(arguments),
            is_action_name(dialect, name) ? name : std::string());
        if (!stated.problem.empty()) return {{}, true};
        for (std::string& one : lines(stated)) result.lines.push_back(std::move(one));
    }
    return result;
}

constexpr std::array read_dialects{Dialect::ui_tars,         Dialect::glm,
                                   Dialect::pyautogui,       Dialect::qwen_computer_use,
                                   Dialect::claude_computer, Dialect::openai_computer};

} // namespace

TEST_CASE("dialect: replies of real models") {
    std::size_t replies = 0;
    for (const Dialect dialect : read_dialects) {
        for (const json::value& value : data(dialect)) {
            const json::object& entry = value.as_object();
            INFO(to_string(dialect) << ": " << to_text(value));
            const Result result = read(entry, dialect);
            std::vector<std::string> expected;
            for (const json::value& one : entry.at("expect").as_array())
                expected.emplace_back(one.as_string());
            CHECK(result.lines == expected);
            // A call in a text that cannot be repaired is the client's problem.
            if (states_text(dialect) || !entry.contains("text"))
                CHECK(result.problem == entry.contains("problem"));
            ++replies;
        }
    }
    CHECK(replies > 500);
}

TEST_CASE("dialect: replies that must not act") {
    struct Case {
        Dialect dialect;
        std::string reply;
        bool problem; ///< the model is told; otherwise the reply is an answer
    };
    const Case one = GENERATE(
        // Quotations.
        Case{Dialect::ui_tars, "The page says:\n\n> Action: click(start_box='(900,20)')", false},
        Case{Dialect::ui_tars, "The manual's example is: Action: click(start_box='(900,20)')",
             false},
        Case{Dialect::ui_tars, "- Action: click(start_box='(900,20)')", false},
        Case{Dialect::ui_tars, "```\n12:03 Action: click(start_box='(900,20)')", false},
        Case{Dialect::ui_tars, "<think>Action: click(start_box='(1,2)')</think>It is done.", false},
        // An action in the text of another one.
        Case{Dialect::ui_tars,
             "Action: type(content='Notes:\nAction: click(start_box=\"(900,20)\")", true},
        Case{Dialect::ui_tars,
             "Action: click(start_box='(1,2)')\nThought: x\nAction: click(start_box='(3,4)')",
             true},
        Case{Dialect::glm,
             "<|begin_of_box|>left_click(start_box='[1,2]')<|end_of_box|> then "
             "<|begin_of_box|>left_click(start_box='[3,4]')<|end_of_box|>",
             true},
        Case{Dialect::pyautogui,
             "```python\npyautogui.click(1, 2)\n```\n```python\npyautogui.click(3, 4)\n```", true},
        // Text after the action.
        Case{Dialect::pyautogui, "I click.\n```python\npyautogui.click(x=1,y=2)\n```\nIt opens.",
             true},
        Case{Dialect::pyautogui, "```python\npyautogui.click(x=1,y=2)", true},
        Case{Dialect::pyautogui, "I click.\npyautogui.click(x=1,y=2)\nThen it is saved.", true},
        // Arguments that cannot be understood.
        Case{Dialect::ui_tars, "Action: drag(start_coordinate='(1,2)', end_box='(3,4)')", true},
        Case{Dialect::ui_tars, "Action: click(start_box='(1,2)', start_box='(3,4)')", true},
        Case{Dialect::pyautogui, "pyautogui.dragTo(x=3, y=4, from_coord='abc')", true},
        // Keys without names.
        Case{Dialect::pyautogui, "pyautogui.click(1, 2)\npyautogui.press(\"\")", true},
        Case{Dialect::pyautogui, "pyautogui.press([])", true},
        Case{Dialect::pyautogui, "pyautogui.press(['a', ''])", true},
        Case{Dialect::pyautogui, "pyautogui.hotkey('ctrl', '')", true},
        Case{Dialect::pyautogui, "pyautogui.keyDown('')\npyautogui.press('a')", true},
        Case{Dialect::pyautogui, "pyautogui.write([])", true},
        Case{Dialect::pyautogui, "pyautogui.write(['a', ''])", true},
        Case{Dialect::pyautogui,
             "pyautogui.mouseDown(1, 2)\npyautogui.press('esc')\npyautogui.mouseUp()", true},
        Case{Dialect::pyautogui, "pyautogui.click(1, 2)\nprint(open('x').read())", true},
        // Too much.
        Case{Dialect::pyautogui, "pyautogui.press('a', presses=1000000)", true},
        Case{Dialect::ui_tars, "Action: type(content='" + std::string(70000, 'a') + "')", true},
        // Answers.
        Case{Dialect::pyautogui, "The command is:\n```bash\nls\n```", false},
        Case{Dialect::ui_tars, "I have closed the dialog.", false});
    INFO(to_string(one.dialect) << ": " << one.reply.substr(0, 200));
    const StatedActions read = read_text_actions(one.dialect, one.reply);
    CHECK(read.actions.empty());
    CHECK(read.problem.empty() != one.problem);
}

TEST_CASE("dialect: calls that must not act") {
    const std::string arguments = GENERATE(
        R"({"action":"left_click","bbox_2d":[10,20,60,40]})",
        R"({"action":"left_click","coordinates":[500,300]})",
        R"({"action":"left_click","coordinate":{"point":[5,6]}})",
        R"({"action":"left_click_drag","start":[1,2],"coordinate":[3,4]})",
        R"({"action":"key","keys":["ctrl",1]})", R"({"action":"key","text":"a b c","repeat":100})",
        R"({"action":"key","text":" "})", R"({"action":"key","keys":["\t"]})",
        R"({"action":"hold_key","text":"\n","duration":1})", R"({"action":"terminate"})",
        R"({"action":"scroll"})");
    INFO(arguments);
    const StatedActions read = read_call_actions(Dialect::qwen_computer_use, arguments);
    CHECK(read.actions.empty());
    CHECK_FALSE(read.problem.empty());
}

TEST_CASE("dialect: keys and buttons that are held") {
    const auto read = [](const std::string& code) {
        const StatedActions stated = read_text_actions(Dialect::pyautogui, code);
        return stated.problem.empty() ? lines(stated) : std::vector<std::string>{stated.problem};
    };
    CHECK(read("pyautogui.keyDown('ctrl')\npyautogui.keyDown('shift')\npyautogui.press('a')\n"
               "pyautogui.keyUp('shift')\npyautogui.press('c')\npyautogui.keyUp('ctrl')") ==
          std::vector<std::string>{"press ctrl+shift+a", "press ctrl+c"});
    CHECK(read("pyautogui.mouseDown(1, 2)\npyautogui.moveTo(3, 4)\npyautogui.mouseUp(5, 6)") ==
          std::vector<std::string>{"drag [1, 2] -> [3, 4] -> [5, 6]"});
    CHECK(read("pyautogui.keyDown('ctrl')\npyautogui.mouseDown(1, 2)\npyautogui.mouseUp(5, 6)\n"
               "pyautogui.keyUp('ctrl')") ==
          std::vector<std::string>{"drag [1, 2] -> [5, 6] with ctrl"});
    CHECK(read_call_actions(Dialect::claude_computer, R"({"action":"key","text":"ctrl + s"})")
              .actions.front()
              .text == "ctrl+s");
}
