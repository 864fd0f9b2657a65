#include "tool_roles.hpp"

#include "catch.hpp"
#include "phrase.hpp"
#include "profiles.hpp"

using namespace stand_in;
using namespace stand_in_test;

namespace {

Intent intent() {
    Intent intent;
    intent.place = Area{{100, 200}, {120, 210}, {110, 205}};
    intent.label = "File";
    intent.text = "down";
    intent.reason = "The step needs it.";
    intent.evidence = "The title bar shows it.";
    return intent;
}

std::string call(const json::array& tools, Role role, const Intent& what = intent()) {
    const auto made = ToolRoles(tools).call(role, what);
    return made ? made->name + json::serialize(made->arguments) : "none";
}

} // namespace

TEST_CASE("The observer's tools get boxes and labels") {
    const auto tools = observer_tools();
    CHECK(call(tools, Role::click) == R"(click_element{"label":"File","box":[100,200,120,210]})");
    CHECK(call(tools, Role::type) == R"(type_text{"text":"down"})");
    CHECK(call(tools, Role::press) == R"(press_key{"key":"down"})");
    CHECK(call(tools, Role::observe) == "observe_screen{}");
    CHECK(call(tools, Role::complete) == "none");
}

TEST_CASE("An amount stays within what the schema allows") {
    CHECK(call(observer_tools(), Role::scroll) ==
          R"(scroll_at_position{"box":[100,200,120,210],"direction":"down","amount":2})");
}

TEST_CASE("A direction that the schema does not list cannot be used") {
    Intent sideways = intent();
    sideways.text = "left";
    CHECK(call(observer_tools(), Role::scroll, sideways) == "none");
    CHECK(call(basic_tools(), Role::scroll, sideways) == "none");
}

TEST_CASE("The basic tools point and click separately") {
    const auto tools = basic_tools();
    CHECK(call(tools, Role::move) == R"(move_mouse{"x":110,"y":205})");
    CHECK(call(tools, Role::click) == "click_mouse{}");
    CHECK_FALSE(ToolRoles(tools).takes_position(Role::click));
    CHECK(call(tools, Role::scroll) == "scroll_down{}");
    CHECK(call(tools, Role::observe) == "take_screenshot{}");
    CHECK(call(tools, Role::press) == "none");
}

TEST_CASE("The operator's tools get a justification and a position") {
    const auto tools = commander_tools();
    CHECK(
        call(tools, Role::click) ==
        R"(click_element{"justification":"The step needs it.","label":"File","position":[110,205]})");
    CHECK_THAT(call(tools, Role::double_click), ContainsSubstring("double_click_element"));
    CHECK_THAT(call(tools, Role::right_click), ContainsSubstring("right_click_element"));
    CHECK_THAT(call(tools, Role::scroll), ContainsSubstring("scroll_down"));
    CHECK_THAT(call(tools, Role::press), ContainsSubstring(R"("key":"down")"));
    CHECK(call(tools, Role::observe) == "none");
}

TEST_CASE("The executor's tools have other names and the same roles") {
    const auto tools = planner_tools();
    CHECK(
        call(tools, Role::click) ==
        R"(click_screen_element{"reasoning":"The step needs it.","element_name":"File","position":[110,205]})");
    CHECK_THAT(call(tools, Role::type), ContainsSubstring("type_text_input"));
    CHECK_THAT(call(tools, Role::press), ContainsSubstring("press_keyboard_key"));
    Intent up = intent();
    up.text = "up";
    CHECK_THAT(call(tools, Role::scroll, up), ContainsSubstring("scroll_screen_up"));
}

TEST_CASE("Evidence has the required length") {
    for (const auto& tools : {commander_tools(), planner_tools()}) {
        const auto made = ToolRoles(tools).call(Role::complete, intent());
        REQUIRE(made);
        CHECK_THAT(made->name, ContainsSubstring("complet"));
        const std::string evidence(made->arguments.at("evidence").as_string());
        CHECK_THAT(evidence, ContainsSubstring("The title bar shows it."));
        CHECK(code_points(evidence) >= 100);
    }
}

TEST_CASE("A briefing tool is recognized by its instructions argument") {
    CHECK(call(briefing_tools(), Role::brief) ==
          R"(spawn_operator{"operator_instructions":"down","rationale":"The step needs it."})");
}

TEST_CASE("Report and archive tools are recognized by their status and turns arguments") {
    Intent what = intent();
    what.objective = "Save it";
    what.status = "DONE";
    what.turns = {3, 4};
    what.evidence = std::string(100, '!');
    CHECK(
        call(planner_tools(), Role::report, what) ==
        R"(report_goal_status{"goal_identifier":"Save it","completion_status":"DONE","evidence":")" +
            what.evidence + R"("})");
    CHECK(call(briefing_tools(), Role::archive, what) ==
          R"(compress_memory{"compression_summary":"down","loop_analysis":"The step needs it.",)"
          R"("archived_turns":[3,4]})");
}

TEST_CASE("Keys are a list if the schema requires a list") {
    Intent save = intent();
    save.text = "ctrl+s";
    const json::array tools{
        tool("hotkey", R"("keys":{"type":"array","items":{"type":"string"}})", R"("keys")")};
    CHECK(call(tools, Role::press, save) == R"(hotkey{"keys":["ctrl","s"]})");
}

TEST_CASE("Arguments have only listed values") {
    const json::array tools{
        tool("press_key", R"("key":{"type":"string","enum":["enter","esc"]})", R"("key")")};
    CHECK(call(tools, Role::press) == "none");
    const json::array urgent{
        tool("click",
             R"("position":)" + point_type + R"(,"mood":{"type":"string","enum":["calm","quick"]})",
             R"("position","mood")")};
    CHECK(call(urgent, Role::click) == R"(click{"position":[110,205],"mood":"calm"})");
}

TEST_CASE("A nested box is a pair of corners") {
    const json::array tools{
        tool("click", R"("box":{"type":"array","items":{"type":"array"}})", R"("box")")};
    CHECK(call(tools, Role::click) == R"(click{"box":[[100,200],[120,210]]})");
}

TEST_CASE("Lists have y first if the place says so, and named arguments do not change") {
    Intent what = intent();
    what.place->y_first = true;
    CHECK(call(observer_tools(), Role::click, what) ==
          R"(click_element{"label":"File","box":[200,100,210,120]})");
    CHECK_THAT(call(commander_tools(), Role::click, what),
               ContainsSubstring(R"("position":[205,110])"));
    CHECK(call(basic_tools(), Role::move, what) == R"(move_mouse{"x":110,"y":205})");
    const json::array nested{
        tool("click", R"("box":{"type":"array","items":{"type":"array"}})", R"("box")")};
    CHECK(call(nested, Role::click, what) == R"(click{"box":[[200,100],[210,120]]})");
}

TEST_CASE("Numbers have decimals only if they are not whole") {
    Intent what = intent();
    what.place = Area{{0, 0.25}, {1, 0.75}, {0.5, 0.5}};
    const auto made = ToolRoles(observer_tools()).call(Role::click, what);
    REQUIRE(made);
    CHECK(made->arguments.at("box") == json::array{0, 0.25, 1, 0.75});
}

TEST_CASE("Positions are recognized in schemas with any range and description") {
    const std::string number =
        R"({"type":"number","minimum":0,"maximum":1279,"description":"pixels, 120 of 1279"})";
    const json::array named{
        tool("move_mouse", R"("x":)" + number + R"(,"y":)" + number, R"("x","y")")};
    CHECK(call(named, Role::move) == R"(move_mouse{"x":110,"y":205})");
    const json::array lists{tool(
        "drag",
        R"("start":{"type":"array","minItems":2,"maxItems":2,"description":"[y, x], 0 to 1","items":)" +
            number + R"(},"box":{"type":"array","minItems":2,"maxItems":4,"items":)" + number + "}",
        R"("start","box")")};
    CHECK(call(lists, Role::drag) == R"(drag{"start":[110,205],"box":[100,200,120,210]})");
}

TEST_CASE("A tool with arguments requires all of them") {
    const json::value urgent = tool_with(
        "click", {{"position", json::object{{"maxItems", 2}}}, {"reason", json::object()}});
    CHECK(call({urgent}, Role::click) ==
          R"(click{"position":[110,205],"reason":"The step needs it."})");
}

TEST_CASE("Malformed tools are left out") {
    const json::array tools{json::value(5), json::object{{"function", json::array{}}},
                            json::object{{"function", json::object{{"name", "click"}}}}};
    CHECK(call(tools, Role::click) == "click{}");
    CHECK(call({}, Role::click) == "none");
}
