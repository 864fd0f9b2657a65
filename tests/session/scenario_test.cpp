// Tests scenarios: parsing, preparation, and checks.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/session/scenario.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <set>

using namespace eyehand;

namespace {

using namespace agent;
using namespace session;
using winio::testing::MemoryDesktop;

std::string complaint(const std::string& text) {
    try {
        (void)parse_scenario(text, "my.json");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_scenario);
        return error.what();
    }
    FAIL("no error was thrown");
    return {};
}
/// A valid scenario with additional members.
std::string with(const std::string& members) {
    return R"({"schema":1,"name":"n","task":"t",)" + members + "}";
}

/// A folder and a desktop on which single checks are evaluated.
struct ScenarioStage {
    test::TempFolder folder;
    MemoryDesktop desktop{winio::Size{1001, 1001}};
    CheckOptions options;

    CheckResult check(ScenarioCheck one) {
        Scenario scenario;
        scenario.checks = {std::move(one)};
        return session::check(scenario, desktop, options).at(0);
    }
    CheckResult check_file(CheckKind kind, const std::string& holds, const std::string& wanted) {
        const auto file = folder / "note.txt";
        std::ofstream(file, std::ios::binary) << holds;
        return check({.kind = kind, .subject = file.string(), .text = wanted});
    }
};

} // namespace

TEST_CASE("a scenario file may use the old name of max_turns") {
    const Scenario scenario =
        parse_scenario(R"({"schema":1,"name":"n","task":"t","max_steps":7})", "my.json");
    CHECK(scenario.max_turns == 7);
}

TEST_CASE("a scenario has a task, a setup and checks") {
    const Scenario scenario = parse_scenario(
        R"({"schema":1,"name":"n","description":"d","profile":"basic","number":2,"task":"t",
            "max_turns":7,"setup":[{"launch":"a.exe"},{"wait_for_window":"A","seconds":1.5}],
            "checks":[{"file_contains":"f","text":"x"},{"registry":"HKCU\\K","value":"v","text":""},
                      {"clipboard":"c"},{"pointer_in":[1,2,3,4]}]})",
        "my.json");
    CHECK(scenario.profile == "basic");
    CHECK(scenario.max_turns == 7);
    REQUIRE(scenario.setup.size() == 2);
    CHECK(scenario.setup[0].launch == "a.exe");
    CHECK(scenario.setup[1].timeout == std::chrono::milliseconds(1500));
    REQUIRE(scenario.checks.size() == 4);
    CHECK(scenario.checks[0].kind == CheckKind::file_contains);
    CHECK(scenario.checks[1].value == "v");
    CHECK(scenario.checks[2].text == "c");
    CHECK(scenario.checks[3].box.y2 == 4);
    const std::string shown = to_json(scenario);
    CHECK(to_json(parse_scenario(shown, "again")) == shown);

    const auto settings = config_of(scenario);
    REQUIRE(settings.size() == 2);
    CHECK(settings[1].source == "scenario n");
    CHECK(settings[1].layer == ConfigLayer::scenario);
}

TEST_CASE("an error in a scenario names the file and the member") {
    struct Row {
        std::string text;
        const char* words;
    };
    const Row row = GENERATE(
        Row{"{", "my.json is not JSON"}, Row{"[]", "my.json must be an object"},
        Row{R"({"name":"n","task":"t"})", "my.json: \"schema\" is missing"},
        Row{R"({"schema":2,"name":"n","task":"t"})", "\"schema\" is 2; this version reads up to 1"},
        Row{R"({"schema":1,"name":"n"})", "\"task\" is missing"},
        Row{R"({"schema":1,"name":"n","task":" "})", "\"task\" is empty"},
        Row{with(R"("max_turn":1)"), "\"max_turn\" is unknown here; did you mean \"max_turns\"?"},
        Row{with(R"("max_turns":0)"), "\"max_turns\" must be a whole number from 1"},
        Row{with(R"("checks":{})"), "\"checks\" must be an array"},
        Row{with(R"("checks":[1])"), "my.json: checks[0] must be an object"},
        Row{with(R"("checks":[{"clipboard":"a"},{"file_exist":"x"}])"),
            "my.json: checks[1]: \"file_exist\" is unknown here; did you mean \"file_exists\"?"},
        Row{with(R"("checks":[{}])"), "is missing"},
        Row{with(R"("checks":[{"file_equals":"x"}])"), "checks[0]: \"text\" is missing"},
        Row{with(R"("checks":[{"file_contains":"x","text":""}])"),
            "every file contains the empty text"},
        Row{with(R"("checks":[{"window_title":"x","text":"y"}])"), "\"text\" is unknown here"},
        Row{with(R"("checks":[{"pointer_in":[5,5,5,9]}])"), "x1 < x2"},
        Row{with(R"("checks":[{"pointer_in":"x"}])"), "must be [x1, y1, x2, y2]"},
        Row{with(R"("checks":[{"called":[]}])"), "checks[0]: \"called\" is empty"},
        Row{with(R"("checks":[{"called":"click","times":0}])"), "must be a whole number from 1"},
        Row{with(R"("setup":[{"seconds":3}])"), "setup[0]: \"wait_for_window\" is missing"},
        Row{with(R"("setup":[{"wait_for_window":"w","seconds":601}])"), "from 0 to 600"},
        Row{with(R"("setup":[{"launch":"a","wait_for_window":"w"}])"), "must be a separate step"});
    CHECK_THAT(complaint(row.text), ContainsSubstring(row.words));
}

TEST_CASE("the built-in scenarios have unique names, and the numbered ones are complete") {
    std::set<std::string> names;
    std::string numbered;
    for (const Scenario& scenario : scenarios()) {
        CHECK(names.insert(scenario.name).second);
        CHECK_FALSE(scenario.description.empty());
        CHECK(scenario.max_turns);
        if (scenario.number != 0)
            numbered += scenario.profile + ":" + std::to_string(scenario.number) + " ";
    }
    CHECK(names.size() == 12);
    CHECK(numbered == "basic:1 basic:2 basic:3 basic:4 observer:1 observer:2 observer:3 ");
    CHECK(load_scenario("basic:2").name == "centre-pointer");
    CHECK(load_scenario("start-menu").number == 2);
}

TEST_CASE("a scenario is loaded from a file, and an unknown name lists the built-in scenarios") {
    const test::TempFolder folder;
    std::ofstream(folder / "mine.json") << R"({"schema":1,"name":"mine","task":"t"})";
    CHECK(load_scenario((folder / "mine.json").string()).name == "mine");
    try {
        (void)load_scenario("observer:9");
        FAIL("found");
    } catch (const Error& error) {
        CHECK(error.code() == errc::scenario_not_found);
        CHECK_THAT(error.what(), ContainsSubstring("\"observer:9\"") &&
                                     ContainsSubstring("centre-pointer (basic:2)"));
    }
}

TEST_CASE("the setup launches a program and waits for its window") {
    ScenarioStage stage;
    stage.desktop.on_launch = [&](const winio::LaunchCommand&) {
        stage.desktop.set_windows({{.title = "Untitled - Notepad"}});
    };
    Scenario scenario;
    scenario.setup = {{.launch = "notepad.exe"}, {.wait_for_window = "notepad"}};
    set_up(scenario, stage.desktop);
    REQUIRE(stage.desktop.launches().size() == 1);
    CHECK(stage.desktop.launches()[0].command == "notepad.exe");

    scenario.setup = {{.wait_for_window = "WordPad", .timeout = std::chrono::milliseconds(0)}};
    CHECK_THROWS_AS(set_up(scenario, stage.desktop), winio::Error);
}

TEST_CASE("comparisons of files ignore line breaks and encoding") {
    struct Row {
        CheckKind kind;
        std::string holds;
        const char* wanted;
        bool fits;
    };
    using namespace std::string_literals;
    const Row row = GENERATE(
        Row{CheckKind::file_exists, "", "", true},
        Row{CheckKind::file_equals, "one\r\ntwo\r\n", "one\ntwo\n", true},
        Row{CheckKind::file_equals, "\xEF\xBB\xBFzażółć", "zażółć", true},
        Row{CheckKind::file_equals, "\xFF\xFEh\0i\0\x3D\xD8\x00\xDE"s, "hi😀", true},
        Row{CheckKind::file_equals, "\xFE\xFF\0h\0i"s, "hi", true},
        Row{CheckKind::file_equals, "", "", true}, Row{CheckKind::file_equals, "one", "on", false},
        Row{CheckKind::file_contains, "one two three", "two", true},
        Row{CheckKind::file_contains, "one two three", "four", false});
    ScenarioStage stage;
    const CheckResult result = stage.check_file(row.kind, row.holds, row.wanted);
    INFO(result.what << ": " << result.reason);
    CHECK(result.holds == row.fits);
    CHECK(result.reason.empty() == row.fits);
}

TEST_CASE("checks of missing or old files fail") {
    ScenarioStage stage;
    CHECK_THAT(stage.check({.subject = (stage.folder / "none").string()}).reason,
               ContainsSubstring("does not exist"));
    stage.options.since = std::filesystem::file_time_type::clock::now() + std::chrono::hours(1);
    CHECK_THAT(stage.check_file(CheckKind::file_equals, "x", "x").reason,
               ContainsSubstring("existed before the run"));
    stage.options.since = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
    CHECK(stage.check_file(CheckKind::file_equals, "x", "x").holds);
}

TEST_CASE("a variable in a path is replaced, and an unset one is reported") {
    ScenarioStage stage;
    std::ofstream(stage.folder / "a.txt") << "x";
    stage.options.variable = [&](const std::string& name) -> std::optional<std::string> {
        if (name == "HERE") return stage.folder.path().string();
        return std::nullopt;
    };
    CHECK(stage.check({.subject = "${HERE}/a.txt"}).holds);
    CHECK_THAT(stage.check({.subject = "${THERE}/a.txt"}).reason,
               ContainsSubstring("THERE is not set"));
}

TEST_CASE("windows, clipboard, programs and pointer are checked on the desktop") {
    ScenarioStage stage;
    stage.desktop.set_windows({{.title = "note.txt - Notepad", .process = "Notepad.exe"}});
    stage.desktop.clipboard()->set_text("two\r\nlines");
    const winio::InputEvent move = winio::PointerMove{{500, 500}};
    CHECK(stage.desktop.send(std::span(&move, 1)).complete());

    CHECK(stage.check({.kind = CheckKind::window_title, .subject = "NOTE.TXT"}).holds);
    CHECK_THAT(stage.check({.kind = CheckKind::window_title, .subject = "letter"}).reason,
               ContainsSubstring("the open windows are: \"note.txt - Notepad\""));
    CHECK(stage.check({.kind = CheckKind::clipboard, .text = "two\nlines"}).holds);
    CHECK_THAT(stage.check({.kind = CheckKind::clipboard, .text = "two"}).reason,
               ContainsSubstring("it contains"));
    CHECK(stage.check({.kind = CheckKind::process_running, .subject = "notepad.exe"}).holds);
    CHECK_FALSE(stage.check({.kind = CheckKind::process_running, .subject = "no such.exe"}).holds);
    CHECK(stage.check({.kind = CheckKind::pointer_in, .box = {490, 490, 510, 510}}).holds);
    CHECK_THAT(stage.check({.kind = CheckKind::pointer_in, .box = {0, 0, 10, 10}}).reason,
               ContainsSubstring("it is at 500, 500"));
}

TEST_CASE("a check fails if the clipboard cannot be read") {
    ScenarioStage stage;
    stage.desktop.on_clipboard = [](winio::testing::ClipboardUse) {
        throw winio::Error(winio::errc::clipboard_failed, "another program has it open");
    };
    CHECK_THAT(stage.check({.kind = CheckKind::clipboard, .text = "x"}).reason,
               ContainsSubstring("another program has it open"));
}

TEST_CASE("programs without windows are found, too") {
#ifdef _WIN32
    const char* const self = "session-tests.exe";
#else
    const char* const self = "session-tests";
#endif
    ScenarioStage stage;
    CHECK(stage.check({.kind = CheckKind::process_running, .subject = self}).holds);
}

TEST_CASE("checks of the registry are supported on Windows only") {
    ScenarioStage stage;
    const auto of = [&](const char* key, const char* value) {
        return stage.check(
            {.kind = CheckKind::registry, .subject = key, .value = value, .text = "x"});
    };
#ifdef _WIN32
    CHECK_THAT(of("HKCU\\Software\\No such key", "v").reason,
               ContainsSubstring("the value does not exist"));
    CHECK_THAT(of("HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion", "CurrentVersion").reason,
               ContainsSubstring("it is \""));
#else
    CHECK_THAT(of("HKCU\\Software", "v").reason, ContainsSubstring("not supported here"));
#endif
}

TEST_CASE("a scenario can be run and checked") {
    ScenarioStage stage;
    Scenario scenario = load_scenario("clipboard-copy");
    scenario.setup.clear();
    vlm::testing::ScriptedModel model;
    model.call("press_key", R"({"key":"ctrl+c"})").say("It is copied.");
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        stage.desktop.clipboard()->set_text("Copied by hand and eye.");
    };
    scenario.checks.push_back({.kind = CheckKind::called, .tools = {"hotkey", "press"}});
    scenario.checks.push_back({.kind = CheckKind::called, .text = "Ctrl+C", .tools = {"press"}});
    scenario.checks.push_back({.kind = CheckKind::called, .tools = {"press"}, .times = 2});
    scenario.checks.push_back({.kind = CheckKind::called, .tools = {"click"}});
    CHECK_FALSE(check(scenario, stage.desktop).at(0).holds);
    AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    Agent agent(stage.desktop, model, load_profile(scenario.profile), desktop_tools(), options);
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    RunControl control;
    CHECK(agent.run(scenario.task, directory, control).outcome == Outcome::completed);
    const RunView run = read_run(directory);
    const auto results = check(scenario, stage.desktop, {.run = &run});
    CHECK(results.at(0).holds);
    CHECK(results.at(1).holds);
    CHECK(results.at(1).what == "the run called hotkey or press");
    CHECK(results.at(2).reason == R"(its calls were about "ctrl+c")");
    CHECK(results.at(3).what == "the run called press at least 2 times");
    CHECK(results.at(3).reason == "successful calls: 1");
    CHECK_FALSE(results.at(4).holds);
    CHECK_THAT(check(scenario, stage.desktop).at(1).reason, ContainsSubstring("journal"));
}

TEST_CASE("each built-in scenario has a check that fails if nothing was done") {
    ScenarioStage stage;
    vlm::testing::ScriptedModel model;
    model.say("It is done.");
    AgentOptions options;
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    Agent agent(stage.desktop, model, load_profile("observer"), desktop_tools(), options);
    MemoryStore store;
    RunControl control;
    (void)agent.run("do nothing", store, control);
    const RunView run = read_run(store);
    for (const Scenario& scenario : scenarios()) {
        INFO(scenario.name);
        // The setup alone satisfies these kinds.
        stage.desktop.set_windows({{.title = "Notepad WineMine", .process = "winemine.exe"}});
        const auto results = check(scenario, stage.desktop, {.run = &run});
        CHECK(std::any_of(results.begin(), results.end(),
                          [](const CheckResult& result) { return !result.holds; }));
    }
}
