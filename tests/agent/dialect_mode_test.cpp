// Runs with models that state actions in dialects: what they are asked, what is carried out, and what
// goes back to them.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "unguarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

using namespace eyehand;
using namespace agent;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

struct SetVolume {
    int percent = 0;
    std::string device;
};
struct Place {
    int x = 0;
    int y = 0;
};
BOOST_DESCRIBE_STRUCT(Place, (), (x, y))
struct Arrange {
    Place place;
};

/// A run on a screen with 1000x1000 pixels, so that positions of the model are pixels.
struct DialectModeStage {
    winio::testing::MemoryDesktop desktop{winio::Size{1001, 1001}};
    vlm::testing::ScriptedModel model;
    MemoryStore store;
    AgentOptions options = test::unguarded();
    int volume = -1;
    std::vector<winio::Plan> plans;

    DialectModeStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.custom_tools.add<SetVolume>("set_volume", "Sets the volume.",
                                            {arg("percent", &SetVolume::percent, "0 is silent"),
                                             arg("device", &SetVolume::device, "the device")},
                                            [this](const SetVolume& args, ToolContext&) {
                                                volume = args.percent;
                                                return ok(args.device);
                                            });
        options.custom_tools.add<Arrange>("arrange", "Arranges the windows.",
                                          {arg("place", &Arrange::place, "where")},
                                          [](const Arrange&, ToolContext&) { return ok(); });
    }

    RunFinished run(Dialect dialect, const std::string& name = "observer",
                    CoordinateConvention convention = CoordinateConvention::norm1000) {
        Profile profile = load_profile(name);
        profile.dialect = dialect;
        profile.coordinates = convention;
        return run(std::move(profile));
    }
    RunFinished run(Profile profile) {
        Agent agent(desktop, model, std::move(profile), built_in_tools(), options);
        return agent.run("click", store, RunControl());
    }

    /// The calls that were carried out, with the word "failed" behind those that failed.
    [[nodiscard]] std::vector<std::string> calls() const {
        std::vector<std::string> all;
        for (const Event& event : read_journal(store)) {
            if (const auto* command = std::get_if<Invoke>(&event.payload))
                all.push_back(command->call.name + command->call.arguments_json);
            if (const auto* fact = std::get_if<Invoked>(&event.payload); fact && !fact->ok)
                all.back() += " failed";
        }
        return all;
    }
    [[nodiscard]] std::size_t screenshots() const {
        std::size_t count = 0;
        for (const Event& event : read_journal(store))
            if (std::holds_alternative<Observed>(event.payload)) ++count;
        return count;
    }
    [[nodiscard]] const vlm::ChatRequest& request(std::size_t i) const {
        return model.requests().at(i);
    }
    [[nodiscard]] std::string system(std::size_t i = 0) const {
        return request(i).messages.front().text();
    }
    /// The messages after the first reply, with their roles.
    [[nodiscard]] std::vector<std::string> later_messages(std::size_t i) const {
        std::vector<std::string> all;
        bool replied = false;
        for (const vlm::Message& message : request(i).messages) {
            replied = replied || message.role == vlm::Role::assistant;
            if (!replied) continue;
            std::string line = fmt::format("{}: {}", to_string(message.role), message.text());
            for (const vlm::ToolCall& call : message.tool_calls)
                line += fmt::format(" [{}{} {}]", call.name, call.arguments_json, call.id);
            if (!message.tool_call_id.empty()) line += fmt::format(" [{}]", message.tool_call_id);
            all.push_back(std::move(line));
        }
        return all;
    }
};

std::vector<std::string> names(const std::vector<vlm::ToolSpec>& tools) {
    std::vector<std::string> all;
    for (const vlm::ToolSpec& tool : tools) all.push_back(tool.name);
    return all;
}

vlm::ChatReply reply_of(std::string text, std::vector<vlm::ToolCall> calls = {}) {
    vlm::ChatReply reply;
    reply.text = std::move(text);
    reply.tool_calls = std::move(calls);
    reply.finish = vlm::FinishReason::stop;
    return reply;
}

vlm::ToolCall call(std::string id, std::string name, std::string arguments) {
    return {.id = std::move(id), .name = std::move(name), .arguments_json = std::move(arguments)};
}

const std::string click_call = R"(click{"label":"I see OK.","box":[250,300]})";

/// What a model of the dialect replies.
struct Words {
    Dialect dialect;

    /// A click on the middle of a target at x 250, y 300.
    [[nodiscard]] vlm::ChatReply click() const {
        switch (dialect) {
        case Dialect::qwen_computer_use:
        case Dialect::claude_computer:
            return of_function(R"({"action":"left_click","coordinate":[250,300]})");
        case Dialect::openai_computer:
            return of_function(R"({"actions":[{"type":"click","x":250,"y":300,"button":"left"}]})");
        case Dialect::ui_tars:
            return reply_of("Thought: a\nAction: click(start_box='(250,300)')");
        case Dialect::glm:
            return reply_of("I see it.\nleft_click(start_box='[250, 300]')");
        default:
            return reply_of("I see it.\n```python\npyautogui.click(x=250, y=300)\n```");
        }
    }
    /// A call of a tool that is not an action: natively where the dialect has calls, otherwise as text.
    [[nodiscard]] vlm::ChatReply
    tool(const std::string& name,
         const std::vector<std::pair<std::string, std::string>>& arguments) const {
        std::string object;
        std::string list;
        for (const auto& [argument, value] : arguments) {
            object += fmt::format(R"({}"{}":"{}")", object.empty() ? "" : ",", argument, value);
            list += fmt::format("{}{}='{}'", list.empty() ? "" : ", ", argument, value);
        }
        const std::string text = fmt::format("{}({})", name, list);
        switch (dialect) {
        case Dialect::ui_tars:
            return reply_of("Thought: a\nAction: " + text);
        case Dialect::glm:
            return reply_of("So.\n<|begin_of_box|>" + text + "<|end_of_box|>");
        case Dialect::pyautogui:
            return reply_of("So.\n```python\n" + text + "\n```");
        default:
            return reply_of("So.", {call("t", name, "{" + object + "}")});
        }
    }
    /// The end of a task.
    [[nodiscard]] vlm::ChatReply end() const {
        switch (dialect) {
        case Dialect::ui_tars:
            return reply_of("Thought: a\nAction: finished(content='Done.')");
        case Dialect::glm:
            return reply_of("DONE()");
        case Dialect::pyautogui:
            return reply_of("```python\ncomputer.terminate(status='success')\n```");
        default:
            return reply_of("Done.");
        }
    }

private:
    [[nodiscard]] vlm::ChatReply of_function(const std::string& arguments) const {
        return reply_of("I see it.", {call("c", std::string(function_of(dialect)), arguments)});
    }
};

} // namespace

TEST_CASE("dialect: a conversation in text") {
    struct Case {
        Dialect dialect;
        std::string action;
        std::string end;
    };
    const std::array cases{
        Case{Dialect::ui_tars, "Thought: I see OK.\nAction: click(start_box='(250,300)')",
             "Thought: It is gone.\nAction: finished(content='The dialog is closed.')"},
        Case{Dialect::glm,
             "I see OK.\n<|begin_of_box|>left_click(start_box='[250, 300]')<|end_of_box|>",
             "The dialog is closed.\n<|begin_of_box|>DONE()<|end_of_box|>"},
        Case{Dialect::pyautogui, "I see OK.\n```python\npyautogui.click(x=250, y=300)\n```",
             "```python\ncomputer.terminate(status='success', answer='The dialog is "
             "closed.')\n```"}};
    for (const Case& one : cases) {
        INFO(to_string(one.dialect));
        DialectModeStage stage;
        stage.model.say(one.action).say(one.end);
        const RunFinished finished = stage.run(one.dialect);
        CHECK(finished.outcome == Outcome::completed);
        CHECK(finished.reason == "The dialog is closed.");
        CHECK(stage.calls() == std::vector{click_call});
        // A screenshot before the first reply, and one after the action.
        CHECK(stage.screenshots() == 2);

        // The model is asked for text; a tool that text cannot state is offered natively.
        CHECK(names(stage.request(0).tools) == std::vector<std::string>{"arrange"});
        CHECK(stage.request(0).text_calls == vlm::TextCalls::never);
        const std::string system = stage.system();
        CHECK_THAT(system, ContainsSubstring("click_element is "));
        CHECK_THAT(system, ContainsSubstring("Functions:\nset_volume("));
        CHECK_THAT(system, ContainsSubstring("call them as tools: arrange."));
        CHECK_THAT(system, !ContainsSubstring("{{") && !ContainsSubstring("invalid_action"));
        CHECK(stage.system(1) == system); // the beginning of requests stays for the server's cache

        // The model reads what it wrote, byte for byte, and the result as text.
        const auto messages = stage.later_messages(1);
        REQUIRE(messages.size() == 3);
        CHECK(messages[0] == "assistant: " + one.action);
        CHECK_THAT(messages[1], StartsWith(R"(user: Result: {"ok":true,)"));
        CHECK_THAT(messages[2], StartsWith("user: ") && EndsWith("The current screen:"));
    }
}

TEST_CASE("dialect: a conversation with one function") {
    struct Case {
        Dialect dialect;
        std::string arguments;
    };
    const std::array cases{
        Case{Dialect::qwen_computer_use, R"({"action":"left_click","coordinate":[250,300]})"},
        Case{Dialect::claude_computer, R"({"action":"left_click","coordinate":[250,300]})"},
        Case{Dialect::openai_computer,
             R"({"actions":[{"type":"click","x":250,"y":300,"button":"left"}]})"}};
    for (const Case& one : cases) {
        INFO(to_string(one.dialect));
        const std::string function(function_of(one.dialect));
        DialectModeStage stage;
        stage.model.reply_with(reply_of("I see OK.", {call("c7", function, one.arguments)}))
            .say("Done.");
        CHECK(stage.run(one.dialect).outcome == Outcome::completed);
        CHECK(stage.calls() == std::vector{click_call});
        CHECK(names(stage.request(0).tools) ==
              std::vector<std::string>{function, "set_volume", "arrange"});
        CHECK_THAT(stage.system(), ContainsSubstring("Act with the function " + function));
        const auto messages = stage.later_messages(1);
        REQUIRE(messages.size() == 3);
        CHECK(messages[0] ==
              fmt::format("assistant: I see OK. [{}{} c7]", function, one.arguments));
        CHECK_THAT(messages[1], StartsWith(R"(tool: {"ok":true,)") && EndsWith("[c7]"));
    }
}

TEST_CASE("dialect: several actions in a reply run in their order") {
    DialectModeStage stage;
    stage.model
        .say("I fill it in.\n```python\npyautogui.click(x=10, y=20)\npyautogui.write('Ada')\n"
             "pyautogui.press('tab', presses=2)\n```")
        .say("```python\ncomputer.terminate(status='success')\n```");
    CHECK(stage.run(Dialect::pyautogui).outcome == Outcome::completed);
    CHECK(stage.calls() ==
          std::vector<std::string>{R"(click{"label":"I fill it in.","box":[10,20]})",
                                   R"(type{"text":"Ada"})", R"(press{"key":"tab"})",
                                   R"(press{"key":"tab"})"});
    CHECK(stage.screenshots() == 2);
    // Four results, one message.
    CHECK(stage.later_messages(1).size() == 3);
    CHECK(std::ranges::count(stage.later_messages(1)[1], '\n') == 3);

    SECTION("with a look between them") {
        DialectModeStage looking;
        looking.model.say("```python\npyautogui.click(x=10, y=20)\npyautogui.write('Ada')\n```")
            .say("```python\ncomputer.terminate(status='success')\n```");
        Profile profile = load_profile("observer");
        profile.dialect = Dialect::pyautogui;
        profile.look_between_calls = true;
        const auto result = looking.run(std::move(profile));
        CHECK(result.outcome == Outcome::completed);
        CHECK(looking.calls().size() == 2);
        CHECK(looking.screenshots() == 3);
        CHECK(looking.later_messages(1).size() == 3); // the model does not receive it
    }
    SECTION("until one fails") {
        DialectModeStage failing;
        failing.model.say("```python\npyautogui.press('nokey')\npyautogui.write('Ada')\n```")
            .say("```python\ncomputer.terminate(status='success')\n```");
        CHECK(failing.run(Dialect::pyautogui).outcome == Outcome::completed);
        CHECK(failing.calls() == std::vector<std::string>{R"(press{"key":"nokey"} failed)"});
        CHECK_THAT(failing.later_messages(1)[1],
                   ContainsSubstring("invalid_key") &&
                       ContainsSubstring("Not carried out, because the action before it failed"));
    }
    SECTION("only the first one, if the profile says so") {
        DialectModeStage first;
        first.model.say("```python\npyautogui.press('tab')\npyautogui.write('Ada')\n```")
            .say("```python\ncomputer.terminate(status='success')\n```");
        Profile profile = load_profile("observer");
        profile.dialect = Dialect::pyautogui;
        profile.several_calls = SeveralCalls::first;
        const auto result = first.run(std::move(profile));
        CHECK(result.outcome == Outcome::completed);
        REQUIRE(first.calls().size() == 2);
        CHECK(first.calls()[0] == R"(press{"key":"tab"})");
        CHECK_THAT(first.calls()[1], StartsWith("invalid_action{") && EndsWith("failed"));
        CHECK_THAT(first.system(), ContainsSubstring("exactly one action"));
    }
}

TEST_CASE("dialect: an action that takes several calls counts as one") {
    for (const SeveralCalls several : {SeveralCalls::first, SeveralCalls::none}) {
        DialectModeStage stage;
        stage.model.say("Thought: a\nAction: hotkey(key='down down')")
            .say("Thought: b\nAction: finished()");
        Profile profile = load_profile("observer");
        profile.dialect = Dialect::ui_tars;
        profile.several_calls = several;
        const auto result = stage.run(std::move(profile));
        CHECK(result.outcome == Outcome::completed);
        CHECK(stage.calls() ==
              std::vector<std::string>{R"(press{"key":"down"})", R"(press{"key":"down"})"});
    }
    SECTION("none of several") {
        DialectModeStage stage;
        stage.model.say("Action: wait()\n\nwait()").say("Action: finished()");
        Profile profile = load_profile("observer");
        profile.dialect = Dialect::ui_tars;
        profile.several_calls = SeveralCalls::none;
        const auto result = stage.run(std::move(profile));
        CHECK(result.outcome == Outcome::completed);
        REQUIRE(stage.calls().size() == 1); // the others follow a failed one
        CHECK_THAT(stage.calls()[0], ContainsSubstring("none of these 2 was carried out"));
    }
}

TEST_CASE("dialect: a screenshot that an earlier call asked for comes with the results") {
    DialectModeStage stage;
    stage.model
        .reply_with(reply_of("", {call("c1", "computer", R"({"action":"screenshot"})"),
                                  call("c2", "set_volume", R"({"percent":1,"device":""})")}))
        .say("Done.");
    CHECK(stage.run(Dialect::claude_computer).outcome == Outcome::completed);
    CHECK_THAT(stage.later_messages(1).back(), StartsWith("user: "));
}

TEST_CASE("dialect: after a wait, the model sees the screen") {
    struct Case {
        Dialect dialect;
        vlm::ChatReply wait;
        vlm::ChatReply end;
    };
    const std::array cases{
        Case{Dialect::qwen_computer_use,
             reply_of("", {call("c1", "computer_use", R"({"action":"wait","time":1})")}),
             reply_of("Done.")},
        Case{Dialect::claude_computer,
             reply_of("", {call("c1", "computer", R"({"action":"wait","duration":1})")}),
             reply_of("Done.")},
        Case{Dialect::openai_computer,
             reply_of("", {call("c1", "computer", R"({"actions":[{"type":"wait"}]})")}),
             reply_of("Done.")},
        Case{Dialect::ui_tars, reply_of("Action: wait()"), reply_of("Action: finished()")},
        Case{Dialect::glm, reply_of("WAIT()"), reply_of("DONE()")},
        Case{Dialect::pyautogui, reply_of("```python\ncomputer.wait()\n```"),
             reply_of("```python\ncomputer.terminate(status='success')\n```")}};
    for (const Case& one : cases) {
        INFO(to_string(one.dialect));
        DialectModeStage stage;
        stage.model.reply_with(one.wait).reply_with(one.end);
        CHECK(stage.run(one.dialect).outcome == Outcome::completed);
        REQUIRE(stage.calls().size() == 1);
        CHECK_THAT(stage.calls()[0], StartsWith("wait{"));
        CHECK(stage.screenshots() == 2);
        CHECK(stage.request(1).messages.back().parts.size() == 2); // words and a screenshot
    }
}

TEST_CASE("dialect: a batch in one call has one result") {
    DialectModeStage stage;
    stage.model
        .reply_with(reply_of("", {call("c1", "computer",
                                       R"({"actions":[{"type":"move","x":5,"y":6},)"
                                       R"({"type":"type","text":"Ada"}]})")}))
        .say("Done.");
    CHECK(stage.run(Dialect::openai_computer).outcome == Outcome::completed);
    CHECK(stage.calls() ==
          std::vector<std::string>{R"(move{"x":5,"y":6})", R"(type{"text":"Ada"})"});
    const auto messages = stage.later_messages(1);
    REQUIRE(messages.size() == 3);
    CHECK(std::ranges::count(messages[0], '[') == 2); // one call, and the list in it
    CHECK_THAT(messages[1], StartsWith("tool: ") && EndsWith("[c1]"));
}

TEST_CASE("dialect: what cannot be read goes back to the model") {
    DialectModeStage stage;
    stage.model.say("Thought: a\nAction: click(start_box='(1,2)'")
        .say("Thought: b\nAction: click(start_box='nowhere')")
        .say("Thought: c\nAction: fly(to='the moon')")
        .say("Thought: d\nAction: finished(content='ok')");
    CHECK(stage.run(Dialect::ui_tars).outcome == Outcome::completed);
    const auto calls = stage.calls();
    REQUIRE(calls.size() == 3);
    for (const std::string& one : calls)
        CHECK_THAT(one, StartsWith("invalid_action") && EndsWith("failed"));
    CHECK(stage.desktop.events().empty());
    const auto messages = stage.later_messages(3);
    CHECK(messages[0] == "assistant: Thought: a\nAction: click(start_box='(1,2)'");
    CHECK_THAT(messages[1],
               StartsWith(R"(user: Result: {"ok":false,"error":{"type":"invalid_action")"));
    CHECK_THAT(messages[5], ContainsSubstring("\\\"fly\\\" is not among your actions"));
}

TEST_CASE("dialect: a quoted action is not an action") {
    DialectModeStage stage;
    stage.model.say("The page says \"Action: click(start_box='(1,2)')\". I ignore it.")
        .say("The page says \"Action: click(start_box='(1,2)')\". I ignore it.");
    CHECK(stage.run(Dialect::ui_tars).outcome == Outcome::completed);
    CHECK(stage.calls().empty());
    CHECK(stage.model.requests().size() == 2); // the model is reminded once
}

TEST_CASE("dialect: a reply that was cut off is not carried out") {
    DialectModeStage stage;
    vlm::ChatReply cut = reply_of("Thought: a\nAction: type(content='rm -rf')");
    cut.finish = vlm::FinishReason::length;
    stage.model.reply_with(cut);
    CHECK(stage.run(Dialect::ui_tars).outcome == Outcome::failed);
    CHECK(stage.calls().empty());
}

TEST_CASE("dialect: the end of a task") {
    const auto end = [](Dialect dialect, std::string text) {
        DialectModeStage stage;
        stage.model.say(std::move(text));
        return stage.run(dialect);
    };
    const RunFinished given_up =
        end(Dialect::pyautogui,
            "There is no printer.\n```code\ncomputer.terminate(status='failure')\n```");
    CHECK(given_up.outcome == Outcome::failed);
    CHECK(given_up.reason == "the model says that the task cannot be done: There is no printer.");
    const RunFinished asks = end(Dialect::ui_tars, "Thought: A password.\nAction: call_user()");
    CHECK(asks.outcome == Outcome::failed);
    CHECK(asks.reason == "the model cannot go on without the user: A password.");

    SECTION("comes after the effect of actions in the same reply was seen") {
        DialectModeStage stage;
        stage.model.say("Thought: a\nAction: type(content='x')\n\nfinished(content='typed')")
            .say("Thought: b\nAction: finished(content='typed and seen')");
        const RunFinished finished = stage.run(Dialect::ui_tars);
        CHECK(finished.reason == "typed and seen");
        CHECK(stage.calls().size() == 2);
        CHECK(stage.calls().front() == R"(type{"text":"x"})");
        CHECK_THAT(stage.later_messages(1)[1],
                   ContainsSubstring("The end of the task was not accepted"));
    }
    SECTION("is not accepted beside other calls, whatever their order") {
        DialectModeStage stage;
        stage.model
            .reply_with(reply_of(
                "", {call("c1", "computer_use", R"({"action":"terminate","status":"success"})"),
                     call("c2", "computer_use", R"({"action":"wait","time":0})")}))
            .reply_with(reply_of(
                "It is there.",
                {call("c3", "computer_use", R"({"action":"terminate","status":"success"})")}));
        const RunFinished finished = stage.run(Dialect::qwen_computer_use);
        CHECK(finished.reason == "It is there.");
        // Each call of the model has a result.
        const auto messages = stage.later_messages(1);
        CHECK(std::ranges::count_if(
                  messages, [](const std::string& one) { return one.starts_with("tool: "); }) == 2);
    }
}

TEST_CASE("dialect: functions in the text") {
    DialectModeStage stage;
    stage.model
        .say("Thought: loud\nAction: set_volume(percent='80', device='It\\'s the \"left\" one')")
        .say("Thought: done\nAction: finished(content='ok')");
    CHECK(stage.run(Dialect::ui_tars).outcome == Outcome::completed);
    CHECK(stage.volume == 80);
    CHECK(stage.calls() ==
          std::vector<std::string>{R"(set_volume{"percent":80,"device":"It's the \"left\" one"})"});
}

TEST_CASE("dialect: a tool that text cannot state is called natively") {
    DialectModeStage stage;
    stage.model
        .reply_with(reply_of("Action: click(start_box='(1,2)')",
                             {call("c1", "arrange", R"({"place":{"x":1,"y":2}})")}))
        .say("Action: finished(content='ok')");
    CHECK(stage.run(Dialect::ui_tars).outcome == Outcome::completed);
    REQUIRE(stage.calls().size() == 2);
    CHECK(stage.calls()[0] == R"(arrange{"place":{"x":1,"y":2}})");
    CHECK_THAT(stage.calls()[1], ContainsSubstring("the same reply calls a tool"));
    CHECK_THAT(stage.later_messages(1)[1], StartsWith("tool: ") && EndsWith("[c1]"));
}

TEST_CASE("dialect: all desktop actions of a dialect") {
    DialectModeStage stage;
    stage.model
        .say("```python\npyautogui.moveTo(100, 200)\npyautogui.dragTo(300, 400, duration=0.5)\n"
             "pyautogui.keyDown('ctrl')\npyautogui.click(5, 6)\npyautogui.keyUp('ctrl')\n"
             "pyautogui.tripleClick(7, 8)\npyautogui.middleClick(9, 9)\npyautogui.scroll(-3)\n"
             "pyautogui.hscroll(2, x=1, y=2)\npyautogui.click()\ntime.sleep(0)\n"
             "pyautogui.hotkey('ctrl', 'shift', 's')\n```")
        .say("```python\ncomputer.terminate(status='success')\n```");
    CHECK(stage.run(Dialect::pyautogui).outcome == Outcome::completed);
    CHECK(stage.calls() ==
          std::vector<std::string>{
              R"(move{"x":100,"y":200})",
              R"(drag{"label":"drag","start":[100,200],"end":[300,400]})",
              R"(click_with{"label":"click","box":[5,6],"keys":"ctrl"})",
              R"(click_with{"label":"triple_click","box":[7,8],"times":3})",
              R"(click_with{"label":"middle_click","box":[9,9],"button":"middle"})",
              R"(turn_wheel{"direction":"down","amount":3})",
              R"(turn_wheel{"box":[1,2],"direction":"right","amount":2})",
              R"(click_with{"label":"click"})", R"(wait{"seconds":0})",
              R"(press{"key":"ctrl+shift+s"})"});
}

TEST_CASE("dialect: a drag without a start begins at the pointer") {
    DialectModeStage stage;
    stage.model
        .reply_with(reply_of(
            "", {call("c1", "computer_use", R"({"action":"mouse_move","coordinate":[10,20]})")}))
        .reply_with(reply_of("", {call("c2", "computer_use",
                                       R"({"action":"left_click_drag","coordinate":[30,40]})")}))
        .say("Done.");
    CHECK(stage.run(Dialect::qwen_computer_use).outcome == Outcome::completed);
    CHECK(stage.calls().at(1) == R"(drag{"label":"drag","start":[10,20],"end":[30,40]})");

    SECTION("but not where a failed action would have left it") {
        DialectModeStage failing;
        failing.model
            .reply_with(reply_of(
                "",
                {call("c1", "computer_use", R"({"action":"key","keys":["nokey"]})"),
                 call("c2", "computer_use", R"({"action":"mouse_move","coordinate":[10,20]})")}))
            .reply_with(
                reply_of("", {call("c3", "computer_use",
                                   R"({"action":"left_click_drag","coordinate":[30,40]})")}))
            .say("Done.");
        CHECK(failing.run(Dialect::qwen_computer_use).outcome == Outcome::completed);
        CHECK_THAT(failing.calls().at(1), StartsWith("invalid_action{"));
    }
}

TEST_CASE("dialect: lists with y first, and members with names") {
    DialectModeStage lists;
    lists.model.say("Thought: a\nAction: click(start_box='(300,250)')")
        .say("Thought: b\nAction: finished()");
    CHECK(lists.run(Dialect::ui_tars, "observer", CoordinateConvention::norm1000_yx).outcome ==
          Outcome::completed);
    CHECK_THAT(lists.system(), ContainsSubstring("click(start_box='(y,x)')"));
    DialectModeStage members;
    members.model.say("```python\npyautogui.click(x=250, y=300)\n```")
        .say("```python\ncomputer.terminate(status='success')\n```");
    CHECK(members.run(Dialect::pyautogui, "observer", CoordinateConvention::norm1000_yx).outcome ==
          Outcome::completed);
    for (const DialectModeStage* stage : {&lists, &members}) {
        const auto& events = stage->desktop.events();
        CHECK(std::ranges::count(
                  events, winio::InputEvent{winio::PointerMove{winio::Point{250, 300}}}) == 1);
    }
}

TEST_CASE("dialect: each profile with a conversation or a team, in each dialect") {
    const auto dialect =
        GENERATE(Dialect::qwen_computer_use, Dialect::claude_computer, Dialect::openai_computer,
                 Dialect::ui_tars, Dialect::glm, Dialect::pyautogui);
    const std::string name = GENERATE("observer", "basic", "commander", "planner");
    INFO(name << " in " << to_string(dialect));
    const Words words{dialect};
    const std::string evidence(120, 'e');
    DialectModeStage stage;
    if (name == "commander")
        stage.model.reply_with(words.tool(
            "spawn_operator", {{"operator_instructions", "Click."}, {"rationale", "next"}}));
    if (name == "planner")
        stage.model.reply_with(words.tool("update_execution_plan",
                                          {{"instructions", "Click."}, {"reasoning", "first"}}));
    stage.model.reply_with(words.click());
    if (name == "commander")
        stage.model.reply_with(words.tool("report_completion", {{"evidence", evidence}}));
    else if (name == "planner")
        stage.model.reply_with(words.tool("report_mission_complete", {{"evidence", evidence}}));
    else
        stage.model.reply_with(words.end());

    const RunFinished finished = stage.run(dialect, name);
    CHECK(finished.outcome == Outcome::completed);
    CHECK(stage.model.remaining() == 0);
    const auto& events = stage.desktop.events();
    CHECK(std::ranges::count(events,
                             winio::InputEvent{winio::PointerMove{winio::Point{250, 300}}}) == 1);
    CHECK(std::ranges::count(events, winio::InputEvent{winio::ButtonChange{
                                         winio::Button::left, winio::Press::down}}) == 1);
}

TEST_CASE("dialect: a team") {
    const std::string evidence(120, 'e');
    for (const Dialect dialect : {Dialect::ui_tars, Dialect::pyautogui}) {
        INFO(to_string(dialect));
        const auto statement = [&](const std::string& text) {
            return dialect == Dialect::ui_tars ? "Thought: so.\nAction: " + text
                                               : "So.\n```python\n" + text + "\n```";
        };
        DialectModeStage stage;
        stage.model
            .say(statement("spawn_operator(operator_instructions='Click OK.', rationale='next')"))
            .say(dialect == Dialect::ui_tars
                     ? statement("click(start_box='(250,300)')\n\ntype(content='Ada')")
                     : statement("pyautogui.click(250, 300)\npyautogui.write('Ada')"))
            .say(statement("report_completion(evidence='" + evidence + "')"));
        Profile profile = load_profile("commander");
        profile.dialect = dialect;
        profile.coordinates = CoordinateConvention::norm1000;
        const RunFinished finished = stage.run(std::move(profile));
        CHECK(finished.outcome == Outcome::completed);
        CHECK(finished.reason == evidence);
        const auto calls = stage.calls();
        REQUIRE(calls.size() == 4);
        CHECK_THAT(calls[1],
                   StartsWith(R"(click{"label":"so.",)") || StartsWith(R"(click{"label":"So.",)"));
        CHECK(calls[2] == R"(type{"text":"Ada"})");
        // The lead has functions only, the worker actions and functions.
        CHECK(names(stage.request(0).tools).empty());
        CHECK_THAT(stage.system(0), ContainsSubstring("Functions:\nspawn_operator("));
        CHECK_THAT(stage.system(0), !ContainsSubstring("start_box='(x,y)'"));
        CHECK_THAT(stage.system(1), ContainsSubstring("report_progress("));
        CHECK_THAT(stage.request(1).messages.back().text(), !ContainsSubstring("spawn_operator("));
    }
}

TEST_CASE("dialect: a team's model ends the task with an action of the dialect") {
    DialectModeStage stage;
    stage.model
        .call("spawn_operator", R"({"operator_instructions":"Click OK.","rationale":"next"})")
        .call("computer_use", R"({"action":"terminate","status":"success"})",
              std::string(120, 'x'));
    Profile profile = load_profile("commander");
    profile.dialect = Dialect::qwen_computer_use;
    const auto result = stage.run(std::move(profile));
    CHECK(result.outcome == Outcome::completed);
    CHECK_THAT(stage.calls().at(1), StartsWith("report_completion{"));
}

TEST_CASE("dialect: only kinds of actions that the profile has") {
    DialectModeStage stage;
    stage.model.say("Thought: a\nAction: hotkey(key='ctrl s')").say("Action: finished()");
    Profile profile = load_profile("observer");
    std::erase_if(profile.tools, [](const ToolPresentation& presentation) {
        return presentation.tool == "press" || presentation.tool == "type";
    });
    profile.system_prompt = "Act.";
    profile.dialect = Dialect::ui_tars;
    const auto result = stage.run(std::move(profile));
    CHECK(result.outcome == Outcome::completed);
    CHECK_THAT(stage.calls().at(0), StartsWith("invalid_action"));
    CHECK_THAT(stage.system(), !ContainsSubstring("hotkey"));
}

TEST_CASE("dialect: not for a visual loop") {
    DialectModeStage stage;
    CHECK_THROWS_WITH(stage.run(Dialect::ui_tars, "story"),
                      ContainsSubstring("no role of the mode \"visual_loop\" acts with tools"));
}

TEST_CASE("dialect: a resumed run continues in the dialect") {
    DialectModeStage stage;
    const std::string first = "Thought: a\nAction: type(content='x')\n\ntype(content='y')";
    stage.model.say(first).fail(vlm::Error(vlm::errc::unreachable, "gone"));
    Profile with_dialect = load_profile("observer");
    with_dialect.dialect = Dialect::ui_tars;
    with_dialect.coordinates = CoordinateConvention::norm1000;
    CHECK(stage.run(with_dialect).outcome == Outcome::endpoint_failed);
    const vlm::ChatRequest before = stage.request(1);
    vlm::testing::ScriptedModel model;
    model.say("Thought: b\nAction: finished(content='typed')");
    Agent agent(stage.desktop, model, with_dialect, built_in_tools(), stage.options);
    CHECK(agent.resume(stage.store, RunControl()).reason == "typed");
    // The request that failed is sent again.
    REQUIRE(model.requests().size() == 1);
    const vlm::ChatRequest& again = model.requests().front();
    REQUIRE(again.messages.size() == before.messages.size());
    for (std::size_t i = 0; i + 1 < before.messages.size(); ++i)
        CHECK(again.messages[i].text() == before.messages[i].text());
    CHECK(again.messages[2].text() == first);
}

TEST_CASE("dialect: the members of a profile") {
    Profile profile = load_profile("observer");
    profile.dialect = Dialect::ui_tars;
    profile.several_calls = SeveralCalls::none;
    profile.look_between_calls = true;
    profile.screenshot_after_actions = false;
    const Profile again = profile_from_json(to_json(profile), "the run");
    CHECK(again.dialect == Dialect::ui_tars);
    CHECK(again.several_calls == SeveralCalls::none);
    CHECK(again.look_between_calls);
    CHECK(again.screenshot_after_actions == false);
    std::string json = to_json(profile);
    json.replace(json.find("\"ui_tars\""), 9, "\"uitars\"");
    CHECK_THROWS_WITH(profile_from_json(json, "the run"),
                      ContainsSubstring("did you mean \"ui_tars\""));
}
