// Calls and results in words.
#include "modes/call_words.hpp"

#include "catch.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/agent/team_settings.hpp"

using namespace eyehand;
using namespace eyehand::agent;

namespace {

/// The call as the commander's operator makes it.
std::string words(const std::string& tool, const std::string& arguments) {
    const Profile profile = load_profile("commander");
    const Toolbox tools = built_in_tools().present(profile.settings<TeamSettings>()->worker.tools);
    const auto offered = tools.arguments(tool);
    return call_in_words({"id", tool, arguments, {}}, offered ? &*offered : nullptr).call;
}

} // namespace

TEST_CASE("a call in words has the target and its place, but no ignored argument") {
    struct Row {
        const char* tool;
        const char* arguments;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"click_element", R"({"justification":"why","label":"Save","position":[512,300]})",
            R"(click_element "Save" at (512,300))"},
        Row{"click_element", R"({"label":"Save","position":[500,300,524,300]})",
            R"(click_element "Save" at (512,300))"},
        Row{"click_element", R"({"position":"left","label":"a\nb"})",
            R"(click_element "a b", position "left")"},
        Row{"drag_element", R"({"label":"icon","start":[1,2],"end":[3.6,1200]})",
            R"(drag_element "icon" from (1,2) to (4,1000))"},
        Row{"type_text", R"({"justification":"why","text":"hi there"})", R"(type_text "hi there")"},
        Row{"press_key", R"("{\"key\":\"foo\"}")", R"(press_key "foo")"},
        Row{"scroll_down", R"({"justification":"why"})", "scroll_down"},
        Row{"report_progress", R"({"objective_id":"1","status":"DONE","evidence":"seen"})",
            R"(report_progress "1", status "DONE", evidence "seen")"},
        Row{"no_such_tool", R"({"a":1,"b":"c"})", R"(no_such_tool a 1, b "c")"},
        Row{"click_element", "not JSON", "click_element not JSON"});
    CHECK(words(row.tool, row.arguments) == row.words);
}

TEST_CASE("a call with coordinates as two arguments has one place in words") {
    const auto offered = built_in_tools().arguments("move");
    CHECK(call_in_words({"id", "move", R"({"x":300,"y":"400"})", {}}, &*offered).call ==
          "move at (300,400)");
}

TEST_CASE("the ignored arguments of a call are its reason") {
    const Profile profile = load_profile("planner");
    const Toolbox tools = built_in_tools().present(profile.settings<TeamSettings>()->worker.tools);
    const auto offered = tools.arguments("click_screen_element");
    const CallWords words = call_in_words(
        {"id", "click_screen_element", R"({"reasoning":"to focus it","element_name":"field"})", {}},
        &*offered);
    CHECK(words.call == R"(click_screen_element "field")");
    CHECK(words.reason == "to focus it");
}

TEST_CASE("a result in words repeats no argument") {
    struct Row {
        const char* result;
        const char* arguments;
        const char* words;
    };
    const Row row = GENERATE(
        Row{R"({"ok":true})", "{}", "ok"},
        Row{R"({"ok":true,"message":"Reported."})", "{}", "ok: Reported."},
        Row{R"({"ok":true,"clicked":"OK","x":500,"y":300})", R"({"label":"OK","box":[500,300]})",
            "ok"},
        Row{R"({"ok":true,"pressed":"ctrl+s"})", R"({"key":"Ctrl+S"})", "ok"},
        Row{R"({"ok":true,"focused":"notes.txt - Notepad"})", R"({"title":"Notepad"})",
            R"(ok, focused "notes.txt - Notepad")"},
        Row{R"({"ok":true,"text":"one\ntwo"})", "", "ok, text:\n  one\n  two"},
        Row{R"({"ok":true,"untrusted":"clipboard","text":"one"})", "",
            "ok, untrusted clipboard, text \"one\""},
        Row{R"({"ok":false,"untrusted":"program","error":{"type":"program_failed","message":"m"}})",
            "", "failed (program_failed), untrusted program: m"},
        Row{R"({"ok":true,"effect":"confirmed","x":1})", "", "ok (confirmed), x 1"},
        Row{R"({"ok":false,"error":{"type":"invalid_key","message":"no key \"foo\""}})", "{}",
            R"(refused (invalid_key): no key "foo")"},
        Row{R"({"ok":false,"error":{"type":"timed_out","message":"It took 5 s."}})", "{}",
            "failed (timed_out): It took 5 s."},
        Row{"words of\na custom tool", "{}", "words of a custom tool"});
    CHECK(result_in_words(row.result, row.arguments).result == row.words);
}

TEST_CASE("only a successful result has an effect") {
    using winio::ActionEffect;
    CHECK(with_effect(R"({"ok":true})", ActionEffect::confirmed) ==
          R"({"ok":true,"effect":"confirmed"})");
    CHECK(with_effect(R"({"ok":true})", ActionEffect::unseen) == R"({"ok":true})");
    CHECK(with_effect(R"({"ok":true})", std::nullopt) == R"({"ok":true})");
    CHECK(with_effect(R"({"ok":false})", ActionEffect::confirmed) == R"({"ok":false})");
}
