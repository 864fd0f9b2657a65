// The observer profile's five tools, as a model calls them.
#include "agent/desktop_tools.hpp"
#include "agent/profile.hpp"
#include "json.hpp"
#include "vlm/chat.hpp"
#include "winio/gesture.hpp"
#include "winio/testing/memory_desktop.hpp"

#include "catch.hpp"

#include <fmt/format.h>

namespace {

using agent::ToolResult;

ToolResult call(const std::string& name, const std::string& arguments) {
    const agent::Toolbox tools =
        agent::desktop_tools().faced(agent::load_profile("observer").tools);
    winio::testing::MemoryDesktop desktop({1001, 1001}); // a unit a pixel
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

TEST_CASE("a box is a point, four numbers or two corners, and its centre is clicked") {
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

TEST_CASE("boxes as models also write them are understood") {
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

TEST_CASE("observing asks for a screenshot and does nothing else") {
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

TEST_CASE("keys are named freely") {
    CHECK(plan_of("press_key", R"({"key":"Ctrl+Shift+S"})") ==
          winio::gesture::press(*winio::parse_chord("ctrl+shift+s")));
    CHECK(call("press_key", R"({"key":"Return"})").json() == R"({"ok":true,"pressed":"enter"})");
}

TEST_CASE("scrolling goes down three notches unless told otherwise") {
    CHECK(plan_of("scroll_at_position", R"({"box":[500,500]})") ==
          winio::gesture::scroll({500, 500}, -3));
    CHECK(plan_of("scroll_at_position", R"({"box":[500,500],"direction":"up","amount":5})") ==
          winio::gesture::scroll({500, 500}, 5));
}

TEST_CASE("the observer profile offers its five tools in a fixed order") {
    std::string names;
    for (const auto& spec :
         agent::desktop_tools().faced(agent::load_profile("observer").tools).specs()) {
        names += spec.name + " ";
        CHECK(agent::parse_json(spec.parameters_json)); // the schema is JSON
    }
    CHECK(names == "observe_screen click_element type_text press_key scroll_at_position ");
}
