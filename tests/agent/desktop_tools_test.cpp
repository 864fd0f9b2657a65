// The built-in tools as a model calls them: the observer profile's five tools as it presents them,
// the others under their own names.
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"

#include <fmt/format.h>

using namespace eyehand;

namespace {

using agent::ToolResult;
using Catch::Matchers::StartsWith;

ToolResult call(const std::string& name, const std::string& arguments) {
    const agent::Toolbox tools =
        agent::desktop_tools().present(agent::load_profile("observer").tools);
    winio::testing::MemoryDesktop desktop({1001, 1001}); // one pixel per unit
    agent::ToolContext context{desktop, winio::WorkArea({0, 0, 1001, 1001}), {}};
    return tools.call({"id", name, arguments, {}}, context);
}

winio::Plan plan_of(const std::string& name, const std::string& arguments) {
    const ToolResult result = call(name, arguments);
    INFO(result.json());
    REQUIRE(result.plan());
    return *result.plan();
}

std::string click_at(const std::string& box) {
    return fmt::format(R"({{"label":"OK","box":{}}})", box);
}

} // namespace

TEST_CASE("a box is a point, four numbers or two corners, and its center is clicked") {
    CHECK(plan_of("click_element", click_at("[300,400]")) == winio::gesture::click({300, 400}));
    CHECK(plan_of("click_element", click_at("[100,200,300,600]")) ==
          winio::gesture::click({200, 400}));
    CHECK(plan_of("click_element", click_at("[[100,200],[300,600]]")) ==
          winio::gesture::click({200, 400}));
}

TEST_CASE("inverted corners are swapped and coordinates clamped") {
    CHECK(plan_of("click_element", click_at("[300,600,100,200]")) ==
          winio::gesture::click({200, 400}));
    CHECK(plan_of("click_element", click_at("[5000,-7]")) == winio::gesture::click({1000, 0}));
}

TEST_CASE("common variants of boxes are accepted") {
    CHECK(plan_of("click_element", click_at(R"("[300, 400]")")) ==
          winio::gesture::click({300, 400}));
    CHECK(plan_of("click_element", click_at(R"(["300","400"])")) ==
          winio::gesture::click({300, 400}));
}

TEST_CASE("each mistake in a call has its error type") {
    struct Row {
        const char* tool;
        const char* arguments;
        const char* type;
    };
    const auto row = GENERATE(
        Row{"click_element", R"({"box":[1,2]})", "missing_label"},
        Row{"click_element", R"({"label":"","box":[1,2]})", "missing_label"},
        Row{"click_element", R"({"label":["x"],"box":[1,2]})", "invalid_args"},
        Row{"click_element", R"({"label":"OK"})", "missing_box"},
        Row{"click_element", R"({"label":"OK","box":null})", "missing_box"},
        Row{"click_element", R"({"label":"OK","box":"abc"})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":["abc",2]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[1]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[1,2,3]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[1,2,3,4,5]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[[1,2],[3]]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[[[1,2]],[3,4]]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK","box":[1e999,2]})", "invalid_box"},
        Row{"click_element", R"({"label":"OK")", "invalid_json"},
        Row{"click_element", R"([1,2])", "invalid_args"}, Row{"type_text", R"({})", "empty_text"},
        Row{"type_text", R"({"text":""})", "empty_text"},
        Row{"type_text", R"({"text":{"a":1}})", "invalid_args"},
        Row{"type_text", R"({"text":"a\u0000b"})", "invalid_args"},
        Row{"press_key", R"({})", "missing_key"}, Row{"press_key", R"({"key":""})", "missing_key"},
        Row{"press_key", R"({"key":"ctrl+hyper"})", "invalid_key"},
        Row{"press_key", R"({"key":"f25"})", "invalid_key"},
        Row{"scroll_at_position", R"({"direction":"down"})", "missing_box"},
        Row{"scroll_at_position", R"({"box":[1,2],"direction":"sideways"})", "invalid_args"},
        Row{"scroll_at_position", R"({"box":[1,2],"amount":0})", "invalid_args"},
        Row{"double_click", R"({})", "unknown_tool"});
    const ToolResult result = call(row.tool, row.arguments);
    INFO(row.tool << " " << row.arguments << " -> " << result.json());
    CHECK(result.error_type() == row.type);
    CHECK_FALSE(result.plan());
}

TEST_CASE("observe requests a screenshot and does nothing else") {
    const ToolResult result = call("observe_screen", "");
    CHECK(result.succeeded());
    CHECK(result.wants_screenshot());
    CHECK_FALSE(result.plan());
}

TEST_CASE("typing takes any Unicode text") {
    CHECK(plan_of("type_text", R"({"text":"Zażółć\n世界 😀"})") ==
          winio::gesture::type("Zażółć\n世界 😀"));
    CHECK(plan_of("type_text", R"({"text":" "})") == winio::gesture::type(" "));
    CHECK(plan_of("type_text", R"({"text":12})") == winio::gesture::type("12"));
}

TEST_CASE("a text that is too long is refused with its limit") {
    const auto [tool, limit] = GENERATE(table<std::string, std::size_t>(
        {{"type", 65536}, {"paste_text", 65536}, {"launch_app", 8192}}));
    const std::string argument = tool == "launch_app" ? "command" : "text";
    const auto result = [&, tool = tool](std::size_t characters) {
        std::string text;
        for (std::size_t i = 0; i < characters; ++i) text += "\u017c";
        const agent::Toolbox tools = agent::desktop_tools();
        winio::testing::MemoryDesktop desktop({1001, 1001});
        agent::ToolContext context{desktop, winio::WorkArea({0, 0, 1001, 1001}), {}};
        return tools.call({"id", tool, fmt::format(R"({{"{}":"{}"}})", argument, text), {}},
                          context);
    };
    CHECK(result(limit).plan());
    const ToolResult refused = result(limit + 1);
    CHECK_FALSE(refused.plan());
    CHECK(refused.error_type() == "invalid_args");
    CHECK_THAT(refused.message(),
               ContainsSubstring(
                   fmt::format("it must have at most {} characters, it has {}", limit, limit + 1)));
}

TEST_CASE("keys have alternative names") {
    CHECK(plan_of("press_key", R"({"key":"Ctrl+Shift+S"})") ==
          winio::gesture::press(*winio::parse_chord("ctrl+shift+s")));
    CHECK(call("press_key", R"({"key":"Return"})").json() == R"({"ok":true,"pressed":"enter"})");
}

TEST_CASE("scrolling goes down three notches by default") {
    CHECK(plan_of("scroll_at_position", R"({"box":[500,500]})") ==
          winio::gesture::scroll({500, 500}, -3));
    CHECK(plan_of("scroll_at_position", R"({"box":[500,500],"direction":"up","amount":5})") ==
          winio::gesture::scroll({500, 500}, 5));
}

TEST_CASE("the observer profile offers its five tools in a fixed order") {
    std::string names;
    for (const auto& spec :
         agent::desktop_tools().present(agent::load_profile("observer").tools).specs()) {
        names += spec.name + " ";
        CHECK(agent::parse_json(spec.parameters_json)); // the schema is JSON
    }
    CHECK(names == "observe_screen click_element type_text press_key scroll_at_position ");
}

// ---- the tools under their own names ------------------------------------------------------------

namespace {

/// A desktop with one pixel per unit, and the results of tools on it.
struct Desk {
    winio::testing::MemoryDesktop desktop{winio::Size{1001, 1001}};
    winio::WorkArea area{{0, 0, 1001, 1001}};

    ToolResult call(const std::string& name, const std::string& arguments) {
        agent::ToolContext context{desktop, area, {}};
        return agent::desktop_tools().call({"id", name, arguments, {}}, context);
    }
    winio::Plan plan(const std::string& name, const std::string& arguments) {
        const ToolResult result = call(name, arguments);
        INFO(result.json());
        REQUIRE(result.plan());
        return *result.plan();
    }
    void move_pointer(winio::Point to) {
        (void)desktop.send(std::vector<winio::InputEvent>{winio::PointerMove{to}});
    }
};

winio::WindowInfo window(std::uintptr_t id, const std::string& title, bool foreground = false) {
    return {.id = winio::WindowId{id},
            .title = title,
            .process = "app.exe",
            .bounds = {0, 0, 100, 100},
            .foreground = foreground};
}

} // namespace

TEST_CASE("a right click and a double click hit the center of their target") {
    Desk desk;
    CHECK(desk.plan("right_click", click_at("[100,200,300,600]")) ==
          winio::gesture::click({200, 400}, winio::Button::right));
    CHECK(desk.plan("double_click", click_at("[300,400]")) ==
          winio::gesture::click({300, 400}, winio::Button::left, 2));
}

TEST_CASE("a drag goes from start to end and has both as targets") {
    Desk desk;
    const winio::Plan plan =
        desk.plan("drag", R"({"label":"icon","start":[100,200],"end":[5000,-1]})");
    CHECK(plan == winio::gesture::drag({100, 200}, {1000, 0}));
    CHECK(plan.targets == std::vector<winio::Point>{{100, 200}, {1000, 0}});
}

TEST_CASE("the pointer moves to clamped coordinates, also if they are texts") {
    Desk desk;
    CHECK(desk.plan("move", R"({"x":300,"y":400})") == winio::gesture::move({300, 400}));
    CHECK(desk.plan("move", R"({"x":-5,"y":"2000"})") == winio::gesture::move({0, 1000}));
    CHECK(desk.call("move", R"({"x":300.4,"y":400})").json() == R"({"ok":true,"x":300,"y":400})");
}

TEST_CASE("click_here has the pointer's position as its target") {
    Desk desk;
    desk.move_pointer({700, 300});
    const winio::Plan plan = desk.plan("click_here", "{}");
    CHECK(plan.steps == winio::gesture::click_here().steps);
    CHECK(plan.targets == std::vector<winio::Point>{{700, 300}});
    CHECK_THAT(desk.call("click_here", "").json(), ContainsSubstring(R"("x":700,"y":300)"));
}

TEST_CASE("a pointer outside the work area neither clicks nor scrolls") {
    Desk desk;
    desk.area = winio::WorkArea({0, 0, 500, 500});
    desk.move_pointer({700, 300});
    for (const char* tool : {"click_here", "scroll_here"}) {
        const ToolResult result = desk.call(tool, "{}");
        CHECK(result.error_type() == "pointer_outside");
        CHECK_FALSE(result.plan());
    }
}

TEST_CASE("scrolling without a position happens in the middle of the work area") {
    Desk desk;
    desk.area = winio::WorkArea({100, 100, 401, 201});
    desk.move_pointer({0, 0});
    CHECK(desk.plan("scroll_down", "{}") == winio::gesture::scroll({300, 200}, -1));
    CHECK(desk.plan("scroll_up", R"({"amount":7})") == winio::gesture::scroll({300, 200}, 7));
}

TEST_CASE("scroll_here does not move the pointer") {
    Desk desk;
    desk.move_pointer({40, 50});
    const winio::Plan plan = desk.plan("scroll_here", R"({"direction":"up","amount":2})");
    CHECK(plan ==
          winio::Plan{{winio::Step{winio::Batch{winio::WheelTurn{2}}}}, {winio::Point{40, 50}}});
}

TEST_CASE("a hotkey is a chord") {
    Desk desk;
    CHECK(desk.plan("hotkey", R"({"keys":"Ctrl+Shift+S"})") ==
          winio::gesture::press(*winio::parse_chord("ctrl+shift+s")));
}

TEST_CASE("a held key is down for the given time and is released") {
    Desk desk;
    const winio::Plan plan = desk.plan("hold_key", R"({"key":"shift+right","seconds":0.5})");
    const winio::Key shift = winio::NamedKey::shift;
    const winio::Key right = winio::NamedKey::right;
    using winio::KeyChange;
    using winio::Press;
    CHECK(plan.steps ==
          std::vector<winio::Step>{
              {winio::Batch{KeyChange{shift, Press::down}, KeyChange{right, Press::down}},
               std::chrono::milliseconds(500)},
              {winio::Batch{KeyChange{right, Press::up}, KeyChange{shift, Press::up}}}});
}

TEST_CASE("wait is a pause that can be stopped, and does nothing else") {
    Desk desk;
    const winio::Plan plan = desk.plan("wait", R"({"seconds":30})");
    std::stop_source stop;
    stop.request_stop();
    winio::InputExecutor executor(desk.desktop, desk.area);
    CHECK(executor.execute(plan, stop.get_token()).error == winio::errc::cancelled);
    CHECK(executor.execute(desk.plan("wait", R"({"seconds":0})")).complete());
    CHECK(desk.desktop.events().empty());
}

TEST_CASE("windows with a title are listed, topmost first") {
    Desk desk;
    desk.desktop.set_windows(
        {window(1, "Untitled - Notepad", true), window(2, ""), window(3, "Line one\nline two")});
    const auto json = agent::parse_json(desk.call("list_windows", "{}").json());
    REQUIRE(json);
    CHECK(json->at("count").to_number<int>() == 2);
    CHECK(json->at("windows").as_string() ==
          "1. Untitled - Notepad (app.exe), in front\n2. Line one line two (app.exe)");
    CHECK(desk.call("list_windows", "{}").has_read());
    CHECK(desk.call("list_windows", "{}").untrusted() == "window");
    CHECK_FALSE(desk.call("observe", "{}").has_read());
}

TEST_CASE("a window is brought to the front by a part of its title") {
    Desk desk;
    desk.desktop.set_windows({window(1, "Readme - Editor"), window(7, "Untitled - Notepad")});
    CHECK(desk.plan("focus_window", R"({"title":"notepad"})").steps ==
          std::vector<winio::Step>{{winio::WindowCommand{winio::WindowId{7}}}});
    const ToolResult none = desk.call("focus_window", R"({"title":"Paint"})");
    CHECK(none.untrusted() == "window"); // it lists the titles
    CHECK(desk.call("focus_window", R"({"title":"notepad"})").untrusted() == "window");
    CHECK(none.error_type() == "window_not_found");
    CHECK_THAT(none.message(), ContainsSubstring(R"("Readme - Editor", "Untitled - Notepad")"));
}

TEST_CASE("a program is launched with its unchanged command line") {
    Desk desk;
    CHECK(desk.plan("launch_app", R"({"command":"notepad.exe \"a b.txt\""})").steps ==
          std::vector<winio::Step>{
              {winio::LaunchCommand{"notepad.exe \"a b.txt\"", agent::key_variables()}}});
}

TEST_CASE("the clipboard's text is read, and text is pasted through it") {
    Desk desk;
    CHECK_THAT(desk.call("read_clipboard", "{}").json(), ContainsSubstring("holds no text"));
    desk.desktop.clipboard()->set_text("zażółć");
    CHECK_THAT(desk.call("read_clipboard", "{}").json(), ContainsSubstring(R"("text":"zażółć")"));
    desk.desktop.clipboard()->set_text(std::string(100000, 'x'));
    CHECK(desk.call("read_clipboard", "{}").json().size() < 5000);
    CHECK(desk.call("read_clipboard", "{}").has_read());
    CHECK_THAT(desk.call("read_clipboard", "{}").json(),
               StartsWith(R"({"ok":true,"untrusted":"clipboard","text":)"));
    CHECK(desk.plan("paste_text", R"({"text":"世界"})") == winio::gesture::paste("世界"));
}

TEST_CASE("each mistake in a call under the tools' own names has its error type") {
    struct Row {
        const char* tool;
        const char* arguments;
        const char* type;
    };
    const auto row = GENERATE(
        Row{"right_click", R"({"box":[1,2]})", "invalid_args"},
        Row{"double_click", R"({"label":"OK","box":"here"})", "invalid_args"},
        Row{"drag", R"({"label":"a","start":[1,2]})", "invalid_args"},
        Row{"drag", R"({"label":"a","start":[1,2],"end":[1,"x"]})", "invalid_args"},
        Row{"move", R"({"x":1})", "invalid_args"},
        Row{"move", R"({"x":1,"y":"left"})", "invalid_args"},
        Row{"move", R"({"x":1,"y":1e999})", "invalid_args"},
        Row{"scroll_down", R"({"amount":0})", "invalid_args"},
        Row{"scroll_up", R"({"amount":31})", "invalid_args"},
        Row{"scroll_here", R"({"direction":"left"})", "invalid_args"},
        Row{"hotkey", R"({})", "invalid_args"},
        Row{"hotkey", R"({"keys":"ctrl+hyper"})", "invalid_key"},
        Row{"hold_key", R"({"key":"shift","seconds":0})", "invalid_args"},
        Row{"hold_key", R"({"key":"shift","seconds":10.5})", "invalid_args"},
        Row{"hold_key", R"({"key":"nokey","seconds":1})", "invalid_key"},
        Row{"wait", R"({"seconds":31})", "invalid_args"},
        Row{"wait", R"({"seconds":-1})", "invalid_args"}, Row{"wait", R"({})", "invalid_args"},
        Row{"focus_window", R"({"title":""})", "invalid_args"},
        Row{"focus_window", R"({"title":"none"})", "window_not_found"},
        Row{"launch_app", R"({"command":""})", "invalid_args"},
        Row{"launch_app", R"({"command":"a\u0000b"})", "invalid_args"},
        Row{"paste_text", R"({"text":"a\u0000b"})", "invalid_args"},
        Row{"paste_text", R"({})", "invalid_args"});
    Desk desk;
    const ToolResult result = desk.call(row.tool, row.arguments);
    INFO(row.tool << " " << row.arguments << " -> " << result.json());
    CHECK(result.error_type() == row.type);
    CHECK_FALSE(result.plan());
}

TEST_CASE("a call is identified by its targets and its subject, not by the model's words") {
    struct Row {
        const char* tool;
        const char* arguments;
        const char* subject;
        std::size_t targets;
    };
    const auto row = GENERATE(
        Row{"click", R"({"label":"OK","box":[1,2]})", "", 1},
        Row{"double_click", R"({"label":"OK","box":[1,2]})", "", 1},
        Row{"right_click", R"({"label":"OK","box":[1,2]})", "", 1},
        Row{"drag", R"({"label":"OK","start":[1,2],"end":[3,4]})", "", 2},
        Row{"move", R"({"x":1,"y":2})", "", 1}, Row{"click_here", "{}", "", 1},
        Row{"scroll", R"({"box":[1,2],"direction":"up"})", "3 up", 1},
        Row{"scroll_down", R"({"amount":2})", "2 down", 1}, Row{"scroll_up", "{}", "1 up", 1},
        Row{"scroll_here", "{}", "1 down", 1}, Row{"type", R"({"text":"abc"})", "abc", 0},
        Row{"paste_text", R"({"text":"abc"})", "abc", 0},
        Row{"press", R"({"key":"Return"})", "enter", 0},
        Row{"hotkey", R"({"keys":"CTRL+s"})", "ctrl+s", 0},
        Row{"hold_key", R"({"key":"a","seconds":2.5})", "a 2.5", 0},
        Row{"wait", R"({"seconds":2})", "2", 0},
        Row{"launch_app", R"({"command":"calc"})", "calc", 0},
        Row{"focus_window", R"({"title":"note"})", "note", 0});
    Desk desk;
    desk.desktop.set_windows({window(1, "Notepad")});
    const ToolResult result = desk.call(row.tool, row.arguments);
    INFO(row.tool << " " << result.json());
    REQUIRE(result.plan());
    CHECK(result.subject() == row.subject);
    CHECK(result.plan()->targets.size() == row.targets);
}
