// The profile `story` and the heat of others at work on a desktop in memory.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"

#include <algorithm>
#include <fstream>

using namespace eyehand;

namespace {

using namespace agent;

const std::string click = R"({"name":"click","x1":300,"y1":400})";

std::string reply(const std::string& observation, const std::string& actions,
                  const std::string& more = {}) {
    return R"({"observation":")" + observation + R"(","bboxes":[],"actions":[)" + actions + "]" +
           more + "}";
}
const std::string drawn = reply("The line is drawn.", "", R"(,"done":true)");

struct StoryRunStage {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}}; // half a pixel per unit
    vlm::testing::ScriptedModel model;
    RunControl control;
    AgentOptions options = test::unguarded();
    Profile profile = load_profile("story");
    std::filesystem::path run_path;

    StoryRunStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        profile.pace.drag_step_delay = std::chrono::milliseconds(0);
    }
    RunFinished run() { return run_with(model); }
    RunFinished run_with(vlm::ChatModel& asked) {
        RunDirectory directory = RunDirectory::create(folder.path());
        run_path = directory.path();
        Agent agent(desktop, asked, profile, built_in_tools(), options);
        return agent.run("draw a line", directory, control);
    }
    [[nodiscard]] bool has(const std::string& file) const {
        return std::filesystem::exists(run_path / file);
    }
    /// The lines of turns.jsonl, each as a value.
    [[nodiscard]] std::vector<json::value> turns() const {
        std::vector<json::value> all;
        for (const std::string& line : test::lines_of(run_path / "turns.jsonl")) {
            auto value = parse_json(line);
            REQUIRE(value);
            all.push_back(*std::move(value));
        }
        return all;
    }
    [[nodiscard]] int presses() const {
        return static_cast<int>(std::count(
            desktop.events().begin(), desktop.events().end(),
            winio::InputEvent{winio::ButtonChange{winio::Button::left, winio::Press::down}}));
    }
};

std::string image_bytes(const vlm::ChatRequest& request) {
    const auto& image = std::get<vlm::Image>(request.messages.back().parts.back());
    return {image.bytes->begin(), image.bytes->end()};
}

} // namespace

TEST_CASE("story: it acts, looks, and receives its own observation") {
    StoryRunStage stage;
    stage.model
        .say(reply("I will draw.", click + R"(,{"name":"DRAG","x1":10,"y1":20,"x2":30,"y2":20})"))
        .say(drawn);
    const RunFinished result = stage.run();

    CHECK(result.outcome == Outcome::completed);
    CHECK(result.reason == "The line is drawn.");
    CHECK(stage.presses() == 2);
    CHECK(stage.desktop.pointer() == winio::Point{15, 10});
    CHECK_FALSE(stage.desktop.holds_anything());

    REQUIRE(stage.model.requests().size() == 2);
    const vlm::ChatRequest& second = stage.model.requests()[1];
    REQUIRE(second.messages.size() == 2);
    CHECK(second.messages[1].text() == "I will draw.");
    CHECK_THAT(second.messages[0].text(), ContainsSubstring("The task: draw a line"));
    CHECK_THAT(second.messages[0].text(), !ContainsSubstring("{{"));
    CHECK_THAT(second.messages[0].text(), !ContainsSubstring("\"press\""));
    CHECK(second.tools.empty());
    CHECK(second.response_format);
    // The model receives the annotated screenshot.
    CHECK(image_bytes(second) == test::read_file(stage.run_path / "turn_0002_annotated.png"));
    CHECK(image_bytes(second) != test::read_file(stage.run_path / "turn_0002_raw.png"));
    // Nothing is drawn without an action.
    CHECK(test::read_file(stage.run_path / "turn_0001_annotated.png") ==
          test::read_file(stage.run_path / "turn_0001_raw.png"));
}

TEST_CASE("story: the flat layout has two lines per turn") {
    StoryRunStage stage;
    stage.model.say(reply("I click.", click)).say(drawn);
    stage.run();
    const auto turns = stage.turns();
    REQUIRE(turns.size() == 6); // including the last screenshot
    CHECK(to_text(turns[2]) ==
          R"({"turn":2,"stage":"raw","observation":"I click.","bboxes":[],"actions":)"
          R"([{"name":"click","x1":300,"y1":400}],"raw_png":"turn_0002_raw.png"})");
    CHECK(to_text(turns[3]) ==
          R"({"turn":2,"stage":"annotated","annotated_png":"turn_0002_annotated.png"})");
    CHECK(stage.has("turn_0003_annotated.png"));
    CHECK_THAT(test::read_file(stage.run_path / "main.log"),
               ContainsSubstring("INFO turn 2: RESULT"));
    CHECK_THAT(test::read_file(stage.run_path / "main.log"), !ContainsSubstring("DEBUG"));
    CHECK(stage.has("execution_log.txt"));
}

TEST_CASE("story: the layout turn_dirs has a folder per turn") {
    StoryRunStage stage;
    stage.profile.log = {LogLayout::turn_dirs, false, LogLevel::info};
    stage.model.say(reply("I click.", click)).say("No JSON at all.").say(drawn);
    stage.run();
    for (const char* file : {"turn_0001/screenshot_raw.png", "turn_0001/screenshot_annotated.png",
                             "turn_0001/vlm_output.json", "turn_0004/vlm_output.json"})
        CHECK(stage.has(file));
    const auto output = parse_json(test::read_file(stage.run_path / "turn_0003/vlm_output.json"));
    REQUIRE(output);
    CHECK(output->at("observation").as_string() == "No JSON at all.");
    CHECK(output->at("actions").as_array().empty());
    CHECK_FALSE(stage.has("turns.jsonl"));
    CHECK_FALSE(stage.has("main.log"));
}

TEST_CASE("story: main.log has the events from its level on") {
    StoryRunStage stage;
    stage.profile.log.level = GENERATE(LogLevel::debug, LogLevel::warning, LogLevel::error);
    stage.model.say("No JSON at all.").say(drawn);
    stage.run();
    const bool written = stage.has("main.log");
    const std::string log = written ? test::read_file(stage.run_path / "main.log") : "";
    const bool debug = stage.profile.log.level == LogLevel::debug;
    CHECK((log.find("DEBUG turn 1: TURN 1") != std::string::npos) == debug);
    CHECK((log.find("WARNING turn 2: REPLY: The reply was not") != std::string::npos) ==
          (stage.profile.log.level != LogLevel::error));
}

TEST_CASE("story: main.log has the guard's decisions, denials as warnings") {
    StoryRunStage stage;
    stage.options.guard = Guard();
    stage.options.approvals = Approvals::unattended;
    stage.options.guard.add(
        parse_guard_rules(R"({"rules":[{"name":"few","when":{"rate":1},"then":"deny"}]})", "rules"),
        RuleOrigin::user);
    stage.model.say(reply("I click.", click)).say(reply("I click again.", click)).say(drawn);
    stage.run();
    const std::string log = test::read_file(stage.run_path / "main.log");
    CHECK_THAT(log, ContainsSubstring("INFO turn 2: DECISION on click: allowed by the rule"));
    CHECK_THAT(log, ContainsSubstring("WARNING turn 3: DECISION on click: denied by the rule, "
                                      "rule \"user: few\""));
}

TEST_CASE("story: without physical execution, nothing reaches the desktop") {
    StoryRunStage stage;
    stage.profile.physical_execution = false;
    stage.model.say(reply("I click.", click)).say(drawn);
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(stage.desktop.events().empty());
    CHECK(stage.model.requests()[1].messages[1].text() == "I click.");
    CHECK(test::read_file(stage.run_path / "turn_0002_annotated.png") !=
          test::read_file(stage.run_path / "turn_0002_raw.png"));
}

TEST_CASE("story: a crop limits screenshots and actions") {
    StoryRunStage stage;
    stage.options.area.crop = winio::NormBox{500, 500, 1000, 1000};
    stage.model.say(reply("I click.", R"({"name":"click","x1":0,"y1":1000})")).say(drawn);
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(stage.desktop.pointer()->x >= 250);
    CHECK(stage.desktop.pointer()->x <= 251);
    CHECK(stage.desktop.pointer()->y == 500);
}

TEST_CASE("story: screenshots are scaled only if a size or a percentage is set") {
    struct Row {
        const char* file;
        winio::Size size;
    };
    const Row row = GENERATE(
        Row{"{}", {501, 501}}, Row{R"({"capture_width":400,"capture_height":300})", {400, 300}},
        Row{R"({"capture_width":400,"capture_height":0})", {501, 501}},
        Row{R"({"capture_scale_percent":50})", {251, 251}},
        Row{R"({"capture_scale_percent":-1})", {501, 501}},
        Row{R"({"capture_width":40,"capture_height":30,"capture_scale_percent":50})", {40, 30}});
    StoryRunStage stage;
    session::Config config = session::default_config();
    config.add(session::config_of(stage.profile));
    config.add(session::parse_config(row.file, "eyehand.json"));
    apply(config, stage.profile);
    stage.model.say(drawn);
    stage.run();
    const std::string png = test::read_file(stage.run_path / "turn_0001_raw.png");
    const auto big_endian = [&](std::size_t at) {
        return static_cast<unsigned char>(png[at]) << 24 |
               static_cast<unsigned char>(png[at + 1]) << 16 |
               static_cast<unsigned char>(png[at + 2]) << 8 |
               static_cast<unsigned char>(png[at + 3]);
    };
    CHECK(winio::Size{big_endian(16), big_endian(20)} == row.size);
}

TEST_CASE("story: without a boot reply, the run is rejected before anything is created") {
    StoryRunStage stage;
    stage.profile.settings<VisualLoopSettings>()->boot.clear();
    try {
        (void)Agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
        FAIL("it began");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        CHECK_THAT(error.what(), ContainsSubstring("no first reply"));
    }
}

TEST_CASE("story: further tools are actions, and the model reads their results") {
    StoryRunStage stage;
    stage.profile.extra_tools = {"read_clipboard", "scroll"};
    stage.options.with = {"paste_text", "wait"};
    stage.desktop.clipboard()->set_text("one\ntwo");
    stage.model.say(reply("I read.", R"({"name":"Read_Clipboard"},{"name":"wait","seconds":0})"))
        .say(reply("I scroll.", R"({"name":"scroll","x1":10,"y1":20,"amount":2})"))
        .say(reply("I paste.", R"({"name":"paste_text","text":""},{"name":"press","key":"a"})"))
        .say(drawn);
    CHECK(stage.run().outcome == Outcome::completed);
    const auto& requests = stage.model.requests();
    REQUIRE(requests.size() == 4);
    CHECK(requests[0].tools.empty());
    const std::string prompt = requests[0].messages[0].text();
    CHECK_THAT(prompt, ContainsSubstring(R"(- "paste_text" with "text" (the text): Pastes text)"));
    CHECK_THAT(prompt, ContainsSubstring(R"(- "read_clipboard": Returns the text)"));
    CHECK_THAT(prompt, ContainsSubstring(R"(- "scroll" at x1, y1 with)"));
    CHECK_THAT(requests[0].response_format->schema_json,
               ContainsSubstring(R"("name":{"type":"string","enum":["paste_text"]})"));
    CHECK(requests[1].messages[1].text() ==
          "I read.\n\nResults of your last actions:\n"
          "- Action 1 (read_clipboard): ok, untrusted clipboard, text:\n  one\n  two\n"
          "- Action 2 (wait): ok, waited_seconds 0");
    CHECK(requests[2].messages[1].text() == "I scroll.");
    CHECK(std::count(stage.desktop.events().begin(), stage.desktop.events().end(),
                     winio::InputEvent{winio::WheelTurn{-2}}) == 1);
    CHECK_THAT(requests[3].messages[1].text(),
               ContainsSubstring("Action 1 (paste_text) was not carried out: Argument \"text\""));
    CHECK_THAT(requests[3].messages[1].text(),
               ContainsSubstring("Action 2: unknown action \"press\"; known actions: move, click, "
                                 "right_click, double_click, drag, scroll, "));
}

TEST_CASE("story: tools of the program are actions, too") {
    StoryRunStage stage;
    int calls = 0;
    stage.options.custom_tools.add("count", "Counts.",
                                   R"({"type":"object","properties":{"step":{"type":"integer"}}})",
                                   [&](JsonView arguments, ToolContext&) {
                                       calls += static_cast<int>(arguments.find("step")->number());
                                       return ok("counted");
                                   });
    stage.model.say(reply("I count.", R"({"name":"count","step":3})")).say(drawn);
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(calls == 3);
    CHECK_THAT(stage.model.requests()[1].messages[1].text(),
               ContainsSubstring("Action 1 (count): ok: counted"));
}

TEST_CASE("story: extended actions reach the keyboard, and the prompt describes them") {
    StoryRunStage stage;
    stage.profile.settings<VisualLoopSettings>()->limits.extended_actions = true;
    stage.model.say(reply("I type.", R"({"name":"type","text":"Zażółć"})")).say(drawn);
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(stage.desktop.typed() == "Zażółć");
    CHECK_THAT(stage.model.requests()[0].messages[0].text(), ContainsSubstring("\"press\""));
}

TEST_CASE("story: a server that rejects the schema is asked without one") {
    StoryRunStage stage;
    vlm::testing::ChatServer server;
    server.enqueue(
        {.status = 400, .body = R"({"error":{"message":"response_format is not supported"}})"});
    server.enqueue({.body = vlm::testing::completion(reply("I click.", click))});
    server.enqueue({.body = vlm::testing::completion(drawn)});
    vlm::OpenAiClient client(
        {.endpoint = server.url(), .stream = false, .retries = {.max_retries = 0}});
    CHECK(stage.run_with(client).outcome == Outcome::completed);
    CHECK(stage.presses() == 1);
    const auto requests = server.requests();
    REQUIRE(requests.size() == 3);
    CHECK_THAT(requests[0].body, ContainsSubstring("json_schema"));
    CHECK_THAT(requests[1].body, !ContainsSubstring("json_schema"));
    CHECK_THAT(requests[2].body, !ContainsSubstring("json_schema"));
}

// ---- resuming -----------------------------------------------------------------------------------

namespace {

const std::vector<std::string> script{
    reply("one", R"({"name":"click","x1":1,"y1":1},{"name":"click","x1":2,"y1":2})"),
    "No JSON at all.",
    reply("two", R"({"name":"click","x1":3,"y1":3},{"name":"fly"})"),
    drawn,
};

RunFinished follow_script(StoryRunStage& stage, RunDirectory& directory, std::size_t from,
                          bool again) {
    vlm::testing::ScriptedModel model;
    for (std::size_t i = from; i < script.size(); ++i) model.say(script[i]);
    Agent agent(stage.desktop, model, stage.profile, built_in_tools(), stage.options);
    RunControl control;
    return again ? agent.resume(directory, control) : agent.run("draw", directory, control);
}

std::size_t count(const std::vector<std::string>& lines, std::size_t max, const std::string& type) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < max; ++i)
        found += lines[i].find("\"type\":\"" + type + "\"") != std::string::npos ? 1 : 0;
    return found;
}

} // namespace

TEST_CASE("story: a run interrupted after any entry continues, repeats no action, and has complete "
          "turns") {
    StoryRunStage first;
    RunDirectory whole = RunDirectory::create(first.folder.path());
    REQUIRE(follow_script(first, whole, 0, false).outcome == Outcome::completed);
    REQUIRE(first.presses() == 3);
    const auto lines = test::lines_of(whole.journal_file());
    std::string journal;
    for (std::size_t kept = 1; kept < lines.size() - 1; ++kept) {
        INFO("kept " << kept << ", the last one is " << lines[kept - 1]);
        journal += lines[kept - 1] + "\n";
        const std::filesystem::path cut = first.folder / "cut";
        std::filesystem::remove_all(cut);
        std::filesystem::copy(whole.path(), cut, std::filesystem::copy_options::recursive);
        std::ofstream(cut / "events.jsonl", std::ios::binary | std::ios::trunc) << journal;
        std::ofstream(cut / "turns.jsonl", std::ios::binary | std::ios::trunc)
            << "{\"turn\":1,\"sta";
        RunDirectory directory = RunDirectory::open(cut);

        StoryRunStage stage;
        stage.run_path = cut;
        const RunFinished result =
            follow_script(stage, directory, count(lines, kept, "replied"), true);
        CHECK(result.outcome == Outcome::completed);
        CHECK(result.turns == 5);
        // The remaining actions of an interrupted reply are based on a screen of that time.
        std::size_t next_reply = kept;
        while (next_reply < lines.size() && count({lines[next_reply]}, 1, "replied") == 0)
            ++next_reply;
        CHECK(static_cast<std::size_t>(stage.presses()) ==
              count(lines, lines.size(), "invoke") - count(lines, next_reply, "invoke"));
        const auto turns = stage.turns();
        REQUIRE(turns.size() == 10);
        for (std::size_t i = 0; i < turns.size(); ++i) {
            CHECK(turns[i].at("turn").to_number<std::size_t>() == i / 2 + 1);
            CHECK(turns[i].at("stage").as_string() == (i % 2 == 0 ? "raw" : "annotated"));
            if (i % 2 == 1) CHECK(stage.has(std::string(turns[i].at("annotated_png").as_string())));
        }
    }
}

TEST_CASE("story: an action that may have happened is reported, not repeated") {
    StoryRunStage first;
    RunDirectory whole = RunDirectory::create(first.folder.path());
    (void)follow_script(first, whole, 0, false);
    std::string journal;
    for (const std::string& line : test::lines_of(whole.journal_file())) {
        journal += line + "\n";
        if (line.find("\"type\":\"invoke\"") != std::string::npos) break;
    }
    std::ofstream(whole.journal_file(), std::ios::binary | std::ios::trunc) << journal;
    StoryRunStage stage;
    vlm::testing::ScriptedModel model;
    model.say(drawn);
    Agent agent(stage.desktop, model, stage.profile, built_in_tools(), stage.options);
    RunControl control;
    CHECK(agent.resume(whole, control).outcome == Outcome::completed);
    CHECK(stage.presses() == 0); // the other action waits for a screenshot
    const std::string told = model.requests().at(0).messages.at(1).text();
    CHECK_THAT(told,
               ContainsSubstring("Action 1 (click) was not carried out: The run was interrupted"));
    CHECK_THAT(told, ContainsSubstring("Look at the new screenshot"));
}

TEST_CASE("story: the settings of the profile stay with the run") {
    StoryRunStage stage;
    stage.profile.log.layout = LogLayout::turn_dirs;
    stage.profile.executed_heat.trail_turns = 7;
    stage.model.say(drawn);
    stage.run();
    const Profile kept = load_run(stage.run_path).summary.profile;
    stage.profile.coordinates = CoordinateConvention::norm1000; // chosen by the run
    CHECK(to_json(kept) == to_json(stage.profile));
    CHECK(load_run(stage.run_path).summary.tools.empty());
}

// ---- heat in other modes ------------------------------------------------------------------------

TEST_CASE("heat: the model of another profile sees where it has acted, with an explanation") {
    StoryRunStage stage;
    stage.profile = load_profile("observer");
    stage.profile.executed_heat.enabled = true;
    stage.model.call("click_element", R"({"label":"OK","box":[300,400]})")
        .call("observe_screen", "{}")
        .say("done");
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(stage.has("screenshots/turn_0001.png"));
    CHECK_FALSE(stage.has("screenshots/turn_0001_raw.png")); // no action yet, no annotation
    CHECK(image_bytes(stage.model.requests()[2]) ==
          test::read_file(stage.run_path / "screenshots/turn_0003.png"));
    CHECK(test::read_file(stage.run_path / "screenshots/turn_0003.png") !=
          test::read_file(stage.run_path / "screenshots/turn_0003_raw.png"));
    CHECK_THAT(stage.model.requests()[0].messages[0].text(), ContainsSubstring("Orange spots"));
}

TEST_CASE("heat: annotations do not count as changes of the screen") {
    StoryRunStage stage;
    stage.profile = load_profile("commander");
    stage.profile.executed_heat.enabled = true;
    stage.profile.max_turns = 6;
    const std::string press = R"({"justification":"x","label":"OK","position":[300,400]})";
    stage.model
        .call("spawn_operator", R"({"operator_instructions":"Click.","rationale":"x"})", "1.")
        .call("click_element", press)
        .call("click_element", press)
        .call("click_element", press)
        .call("spawn_operator", R"({"operator_instructions":"Click.","rationale":"x"})", "1.")
        .call("click_element", press);
    stage.run();
    // Three repetitions without effect are a loop, also with heat.
    CHECK_THAT(test::read_file(stage.run_path / "events.jsonl"),
               ContainsSubstring("\"type\":\"recover\""));
}
