#include "dialect.hpp"

#include "catch.hpp"
#include "json_text.hpp"
#include "profiles.hpp"
#include "service.hpp"
#include "visual_reply.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

using namespace stand_in;
using namespace stand_in_test;

namespace {

const std::vector<Dialect> all_but_native{Dialect::qwen_computer_use, Dialect::claude_computer,
                                          Dialect::ui_tars,           Dialect::glm,
                                          Dialect::pyautogui,         Dialect::openai_computer};

Intent intent(const std::string& text = "down") {
    Intent intent;
    intent.place = Area{{100, 200}, {120, 210}, {110, 205}};
    intent.to = Area{{300, 400}, {320, 410}, {310, 405}};
    intent.label = "File";
    intent.text = text;
    intent.objective = "Save it";
    intent.status = "DONE";
    intent.reason = "The step needs it.";
    intent.evidence = std::string(100, '!');
    intent.turns = {3, 4};
    return intent;
}

Intent with_y_first() {
    Intent what = intent();
    what.place->y_first = true;
    what.to->y_first = true;
    return what;
}

ChatRequest offering(json::array tools) {
    ChatRequest request;
    request.tools = std::move(tools);
    return request;
}

ChatRequest describing(const std::string& functions) {
    ChatRequest request;
    request.text =
        "You work at a desktop.\n\nFunctions:\n" + functions + "\n\nThe task: save it.\n";
    return request;
}

const json::array computer_use{
    tool("computer_use", R"("action":)" + text_type + R"(,"status":)" + text_type, R"("action")")};

Reply stated(Dialect dialect, Role role, const Intent& what = intent(),
             const ChatRequest& request = {}) {
    const auto call = ToolRoles(actions_of(dialect, request)).call(role, what);
    REQUIRE(call);
    return in_dialect(dialect, {"I act.", call, role == Role::complete}, request);
}

// The text of a reply without a call.
std::string text_of(const Reply& reply) {
    CHECK_FALSE(reply.call);
    return reply.content;
}

std::string between(const std::string& begin, const std::string& text, const std::string& end) {
    REQUIRE(text.starts_with(begin));
    REQUIRE(text.ends_with(end));
    return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

std::string ui_tars(Role role, const Intent& what = intent(), const ChatRequest& request = {}) {
    return between(
        "Thought: I act.\nAction: ", text_of(stated(Dialect::ui_tars, role, what, request)), "");
}

std::string glm(Role role, const Intent& what = intent(), const ChatRequest& request = {}) {
    return between("I act.\n<|begin_of_box|>", text_of(stated(Dialect::glm, role, what, request)),
                   "<|end_of_box|>");
}

std::string pyautogui(Role role, const Intent& what = intent(), const ChatRequest& request = {}) {
    return between("I act.\n```python\n", text_of(stated(Dialect::pyautogui, role, what, request)),
                   "\n```");
}

// The arguments of a call of this function.
std::string arguments_of(const std::string& function, const Reply& reply) {
    CHECK(reply.content == "I act.");
    REQUIRE(reply.call);
    CHECK(reply.call->name == function);
    return json_text(reply.call->arguments);
}

std::string qwen(Role role, const Intent& what = intent()) {
    return arguments_of("computer_use",
                        stated(Dialect::qwen_computer_use, role, what, offering(computer_use)));
}

std::string claude(Role role, const Intent& what = intent()) {
    return arguments_of("computer", stated(Dialect::claude_computer, role, what));
}

std::string openai(Role role, const Intent& what = intent()) {
    return arguments_of("computer", stated(Dialect::openai_computer, role, what));
}

const Reply complete{"All is\n\"well\".", {}, true};
const Reply lost{"I cannot see it.", {}, false};

} // namespace

TEST_CASE("Dialects have words, and another word is refused with all of them") {
    CHECK(dialect_words() == "native, qwen_computer_use, claude_computer, ui_tars, glm, pyautogui, "
                             "openai_computer");
    CHECK(dialect_of("native") == Dialect::native);
    CHECK(dialect_of("glm") == Dialect::glm);
    CHECK(dialect_of("openai_computer") == Dialect::openai_computer);
    CHECK_THROWS_AS(dialect_of(""), std::invalid_argument);
    CHECK_THROWS_WITH(dialect_of("latin"),
                      "--dialect latin: one of these words is expected: " + dialect_words());
}

TEST_CASE("The native dialect changes nothing") {
    const ChatRequest request = offering(observer_tools());
    CHECK(actions_of(Dialect::native, request) == request.tools);
    CHECK(actions_of(Dialect::native, {}).empty());
    const Reply reply = stated(Dialect::native, Role::press, intent(), request);
    REQUIRE(reply.call);
    CHECK(reply.call->name == "press_key");
    CHECK(in_dialect(Dialect::native, complete, request).content == complete.content);
}

TEST_CASE("UI-TARS states a thought and an action, with points") {
    CHECK(ui_tars(Role::click) == "click(start_box='(110,205)')");
    CHECK(ui_tars(Role::double_click) == "left_double(start_box='(110,205)')");
    CHECK(ui_tars(Role::right_click) == "right_single(start_box='(110,205)')");
    CHECK(ui_tars(Role::drag) == "drag(start_box='(110,205)', end_box='(310,405)')");
    CHECK(ui_tars(Role::type) == "type(content='down')");
    CHECK(ui_tars(Role::press, intent("Ctrl+S")) == "hotkey(key='ctrl s')");
    CHECK(ui_tars(Role::press, intent("enter")) == "hotkey(key='enter')");
    CHECK(ui_tars(Role::scroll) == "scroll(start_box='(110,205)', direction='down')");
    CHECK(ui_tars(Role::observe) == "wait()");
}

TEST_CASE("GLM states an action between markers, with the label of an element") {
    CHECK(glm(Role::click) == "left_click(start_box='[110,205]', element_info='File')");
    CHECK(glm(Role::double_click) ==
          "left_double_click(start_box='[110,205]', element_info='File')");
    CHECK(glm(Role::right_click) == "right_click(start_box='[110,205]', element_info='File')");
    CHECK(glm(Role::drag) == "left_drag(start_box='[110,205]', end_box='[310,405]')");
    CHECK(glm(Role::type) == "type(content='down')");
    CHECK(glm(Role::press, intent("ctrl+s")) == "key(keys='ctrl+s')");
    CHECK(glm(Role::scroll, intent("left")) ==
          "scroll(start_box='[110,205]', direction='left', step=5)");
    CHECK(glm(Role::observe) == "WAIT()");
}

TEST_CASE("pyautogui is Python code in a fence") {
    CHECK(pyautogui(Role::click) == "pyautogui.click(x=110, y=205)");
    CHECK(pyautogui(Role::double_click) == "pyautogui.doubleClick(x=110, y=205)");
    CHECK(pyautogui(Role::right_click) == "pyautogui.rightClick(x=110, y=205)");
    CHECK(pyautogui(Role::drag) ==
          "pyautogui.moveTo(x=110, y=205)\npyautogui.dragTo(x=310, y=405)");
    CHECK(pyautogui(Role::type) == "pyautogui.write(message='down')");
    CHECK(pyautogui(Role::press, intent("enter")) == "pyautogui.press('enter')");
    CHECK(pyautogui(Role::press, intent("ctrl+s")) == "pyautogui.hotkey(['ctrl', 's'])");
    CHECK(pyautogui(Role::observe) == "computer.wait()");
    const auto scrolls = [](const std::string& direction) {
        return between("pyautogui.moveTo(x=110, y=205)\npyautogui.",
                       pyautogui(Role::scroll, intent(direction)), "");
    };
    CHECK(scrolls("down") == "scroll(-5)");
    CHECK(scrolls("up") == "scroll(5)");
    CHECK(scrolls("left") == "hscroll(-5)");
    CHECK(scrolls("right") == "hscroll(5)");
}

TEST_CASE("Qwen calls one function") {
    CHECK(qwen(Role::click) == R"({"action":"left_click","coordinate":[110,205]})");
    CHECK(qwen(Role::double_click) == R"({"action":"double_click","coordinate":[110,205]})");
    CHECK(qwen(Role::right_click) == R"({"action":"right_click","coordinate":[110,205]})");
    CHECK(qwen(Role::drag) ==
          R"({"action":"left_click_drag","start_coordinate":[110,205],"coordinate":[310,405]})");
    CHECK(qwen(Role::type) == R"({"action":"type","text":"down"})");
    CHECK(qwen(Role::press, intent("ctrl+s")) == R"({"action":"key","keys":["ctrl","s"]})");
    CHECK(qwen(Role::scroll) == R"({"action":"scroll","pixels":-300,"coordinate":[110,205]})");
    CHECK(qwen(Role::scroll, intent("up")) ==
          R"({"action":"scroll","pixels":300,"coordinate":[110,205]})");
    CHECK(qwen(Role::observe) == R"({"action":"wait","time":1})");
    const ToolRoles tools(actions_of(Dialect::qwen_computer_use, offering(computer_use)));
    CHECK_FALSE(tools.call(Role::scroll, intent("left")));
}

TEST_CASE("Qwen writes its call as text if the request does not offer the function") {
    CHECK(text_of(stated(Dialect::qwen_computer_use, Role::click)) ==
          "I act.\n<tool_call>\n"
          R"({"name": "computer_use", "arguments": {"action":"left_click","coordinate":[110,205]}})"
          "\n</tool_call>");
}

TEST_CASE("Claude calls one function") {
    CHECK(claude(Role::click) == R"({"action":"left_click","coordinate":[110,205]})");
    CHECK(claude(Role::double_click) == R"({"action":"double_click","coordinate":[110,205]})");
    CHECK(claude(Role::right_click) == R"({"action":"right_click","coordinate":[110,205]})");
    CHECK(claude(Role::drag) ==
          R"({"action":"left_click_drag","start_coordinate":[110,205],"coordinate":[310,405]})");
    CHECK(claude(Role::type) == R"({"action":"type","text":"down"})");
    CHECK(claude(Role::press, intent("ctrl+s")) == R"({"action":"key","text":"ctrl+s"})");
    CHECK(
        claude(Role::scroll) ==
        R"({"action":"scroll","coordinate":[110,205],"scroll_direction":"down","scroll_amount":5})");
    CHECK(claude(Role::observe) == R"({"action":"screenshot"})");
}

TEST_CASE("OpenAI's function takes a list of actions") {
    const auto action = [](Role role, const std::string& text = "down") {
        return between(R"({"actions":[)", openai(role, intent(text)), "]}");
    };
    CHECK(action(Role::click) == R"({"type":"click","button":"left","x":110,"y":205})");
    CHECK(action(Role::double_click) == R"({"type":"double_click","x":110,"y":205})");
    CHECK(action(Role::right_click) == R"({"type":"click","button":"right","x":110,"y":205})");
    CHECK(action(Role::drag) == R"({"type":"drag","path":[{"x":110,"y":205},{"x":310,"y":405}]})");
    CHECK(action(Role::type) == R"({"type":"type","text":"down"})");
    CHECK(action(Role::press, "ctrl+s") == R"({"type":"keypress","keys":["CTRL","S"]})");
    CHECK(action(Role::scroll) ==
          R"({"type":"scroll","x":110,"y":205,"scroll_x":0,"scroll_y":300})");
    CHECK(action(Role::scroll, "up") ==
          R"({"type":"scroll","x":110,"y":205,"scroll_x":0,"scroll_y":-300})");
    CHECK(action(Role::scroll, "right") ==
          R"({"type":"scroll","x":110,"y":205,"scroll_x":300,"scroll_y":0})");
    CHECK(action(Role::scroll, "left") ==
          R"({"type":"scroll","x":110,"y":205,"scroll_x":-300,"scroll_y":0})");
    CHECK(action(Role::observe) == R"({"type":"screenshot"})");
}

TEST_CASE("Lists and brackets can have y first, and members named x and y keep their meaning") {
    const Intent what = with_y_first();
    CHECK(ui_tars(Role::click, what) == "click(start_box='(205,110)')");
    CHECK(ui_tars(Role::drag, what) == "drag(start_box='(205,110)', end_box='(405,310)')");
    CHECK(glm(Role::click, what) == "left_click(start_box='[205,110]', element_info='File')");
    CHECK(pyautogui(Role::click, what) == "pyautogui.click(x=110, y=205)");
    CHECK(qwen(Role::click, what) == R"({"action":"left_click","coordinate":[205,110]})");
    CHECK(claude(Role::click, what) == R"({"action":"left_click","coordinate":[205,110]})");
    CHECK(openai(Role::click, what) ==
          R"({"actions":[{"type":"click","button":"left","x":110,"y":205}]})");
}

TEST_CASE("Positions in text have decimals without an exponent") {
    Intent what = intent();
    what.place = Area{{0, 0}, {1, 1}, {0.0625, 0.5}};
    CHECK(pyautogui(Role::click, what) == "pyautogui.click(x=0.0625, y=0.5)");
    CHECK(ui_tars(Role::click, what) == "click(start_box='(0.0625,0.5)')");
}

TEST_CASE("Quotes, backslashes and line breaks are escaped in texts") {
    const Intent what = intent("it's \"C:\\x\"\nZażółć");
    const std::string escaped = R"('it\'s \"C:\\x\"\nZażółć')";
    CHECK(ui_tars(Role::type, what) == "type(content=" + escaped + ")");
    CHECK(glm(Role::type, what) == "type(content=" + escaped + ")");
    CHECK(pyautogui(Role::type, what) == "pyautogui.write(message=" + escaped + ")");
    Intent labelled = intent();
    labelled.label = "the user's";
    CHECK(glm(Role::click, labelled) ==
          R"(left_click(start_box='[110,205]', element_info='the user\'s'))");
}

TEST_CASE("The end of the script is the end of the run in each dialect") {
    const auto end = [](Dialect dialect) { return text_of(in_dialect(dialect, complete, {})); };
    CHECK(end(Dialect::ui_tars) ==
          "Thought: All is \"well\".\nAction: finished(content='All is\\n\\\"well\\\".')");
    CHECK(end(Dialect::glm) == "All is \"well\".\n<|begin_of_box|>DONE()<|end_of_box|>");
    CHECK(end(Dialect::pyautogui) ==
          "All is \"well\".\n```python\n"
          "computer.terminate(status='success', answer='All is\\n\\\"well\\\".')\n```");
    CHECK(end(Dialect::claude_computer) == complete.content);
    CHECK(end(Dialect::openai_computer) == complete.content);
    const Reply reply = in_dialect(Dialect::qwen_computer_use, complete, offering(computer_use));
    CHECK(reply.content == complete.content);
    REQUIRE(reply.call);
    CHECK(json_text(reply.call->arguments) == R"({"action":"terminate","status":"success"})");
    CHECK_THAT(end(Dialect::qwen_computer_use), ContainsSubstring("<tool_call>"));
}

TEST_CASE("A model that gives up does not report success") {
    const auto end = [](Dialect dialect) { return text_of(in_dialect(dialect, lost, {})); };
    CHECK(end(Dialect::ui_tars) == "Thought: I cannot see it.\nAction: call_user()");
    CHECK(end(Dialect::glm) == "I cannot see it.\n<|begin_of_box|>FAIL()<|end_of_box|>");
    CHECK(end(Dialect::pyautogui) ==
          "I cannot see it.\n```python\n"
          "computer.terminate(status='failure', answer='I cannot see it.')\n```");
    CHECK_THAT(end(Dialect::qwen_computer_use), ContainsSubstring(R"("status":"failure")"));
    CHECK(end(Dialect::claude_computer) == lost.content);
    CHECK(end(Dialect::openai_computer) == lost.content);
}

TEST_CASE("A call of a tool of the request does not change") {
    const ChatRequest request = offering(briefing_tools());
    for (const Dialect dialect : all_but_native) {
        const Reply reply = stated(dialect, Role::brief, intent(), request);
        REQUIRE(reply.call);
        CHECK(reply.call->name == "spawn_operator");
        CHECK(reply.content == "I act.");
    }
}

TEST_CASE("The dialect's own function has no role of its own") {
    const ToolRoles tools(actions_of(Dialect::qwen_computer_use, offering(computer_use)));
    CHECK(tools.has(Role::click));
    CHECK_FALSE(tools.has(Role::report));
}

TEST_CASE("Functions of the prompt are called in the syntax of the dialect") {
    const ChatRequest request =
        describing("report_progress(objective_id='...', status='...', evidence='...'): Reports.\n"
                   "compress_memory(compression_summary=..., loop_analysis=..., archived_turns=...)"
                   ": Archives turns.");
    const std::string report = "report_progress(objective_id='Save it', status='DONE', evidence='" +
                               intent().evidence + "')";
    CHECK(ui_tars(Role::report, intent(), request) == report);
    CHECK(glm(Role::report, intent(), request) == report);
    CHECK(pyautogui(Role::report, intent(), request) == report);
    const std::string archive =
        "compress_memory(compression_summary='down', loop_analysis='The step needs it.', "
        "archived_turns=";
    CHECK(ui_tars(Role::archive, intent(), request) == archive + "'[3, 4]')");
    CHECK(glm(Role::archive, intent(), request) == archive + "'[3, 4]')");
    CHECK(pyautogui(Role::archive, intent(), request) == archive + "[3, 4])");
    const ToolRoles tools(actions_of(Dialect::claude_computer, request));
    CHECK_FALSE(tools.has(Role::report));
}

TEST_CASE("A worker without a function for the end states its evidence in the dialect") {
    const std::string reports = "report_progress(status='...', evidence='...'): Reports.";
    const std::string evidence = intent().evidence;
    CHECK(stated(Dialect::ui_tars, Role::complete, intent(), describing(reports)).content ==
          "Thought: " + evidence + "\nAction: finished(content='" + evidence + "')");
    const ChatRequest both = describing(reports + "\nreport_completion(evidence='...'): Ends it.");
    CHECK(glm(Role::complete, intent(), both) == "report_completion(evidence='" + evidence + "')");
    const ChatRequest native =
        offering({tool("report", R"("status":)" + text_type, R"("status")")});
    CHECK(text_of(stated(Dialect::claude_computer, Role::complete, intent(), native)) == evidence);
    CHECK_FALSE(ToolRoles(actions_of(Dialect::ui_tars, {})).has(Role::complete));
}

TEST_CASE("A dialect has precedence over a reply without tools") {
    ChatRequest request;
    request.text = R"(Answer with {"observation": "...", "actions": []}.)";
    CHECK(wants_visual_reply(request));
    request.tools = actions_of(Dialect::glm, request);
    CHECK_FALSE(wants_visual_reply(request));
}

TEST_CASE("A script is played in a dialect") {
    const Screen screen{1001, 1001, {{{10, 20, 32, 10}, {{Word{"File", {10, 20, 32, 10}, 95}}}}}};
    ChatRequest request;
    request.image = "png";
    request.image_is_new = true;
    request.tools = actions_of(Dialect::ui_tars, {});
    const auto says = [&](const std::string& step) {
        const Turn turn =
            play(parse_script(R"({"patience": 1, "steps": [)" + step + "]}"), {}, request, screen);
        return text_of(in_dialect(Dialect::ui_tars, turn.reply, {}));
    };
    CHECK(says(R"({"click": "File"})") ==
          "Thought: I click \"File\".\nAction: click(start_box='(26,25)')");
    CHECK(says(R"({"scroll": "up", "say": "Up."})") ==
          "Thought: Up.\nAction: scroll(start_box='(500,500)', direction='up')");
    CHECK(says(R"({"wait_for": "Edit"})") ==
          "Thought: I do not see \"Edit\" on the screen; I look again.\nAction: wait()");
    CHECK(says(R"({"finish": "File", "say": "It is there."})") ==
          "Thought: It is there.\nAction: finished(content='It is there.')");
}

TEST_CASE("A service answers in its dialect, and repeats an action whose result is a failure") {
    Service service(parse_script(R"({"steps": [{"press": "ctrl+s"}]})"), {}, {}, Dialect::glm);
    json::array messages{json::object{{"role", "user"}, {"content", "Save it."}}};
    const auto answer = [&] {
        const HttpReply reply = service.answer(
            "POST", "/v1/chat/completions", json::serialize(json::object{{"messages", messages}}));
        REQUIRE(reply.status == 200);
        const json::value body = json::parse(reply.body);
        return std::string(body.at("choices").at(0).at("message").at("content").as_string());
    };
    const auto tell = [&](const std::string& result) {
        messages.push_back(json::object{{"role", "assistant"}, {"content", "I press."}});
        messages.push_back(json::object{{"role", "user"}, {"content", "Result: " + result}});
    };
    const std::string press =
        "I press \"ctrl+s\".\n<|begin_of_box|>key(keys='ctrl+s')<|end_of_box|>";
    CHECK(answer() == press);
    tell(R"({"ok":false,"error":{"code":"blocked"}})");
    CHECK(answer() == press);
    tell(R"({"ok":true})");
    CHECK_THAT(answer(), ContainsSubstring("DONE()"));
}
