// Each built-in profile at work on a desktop in memory, with a scripted model.
#include "eyehand/agent/agent.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"

#include <algorithm>

using namespace eyehand;

namespace {

using namespace agent;

const std::string evidence =
    "The title bar reads greeting.txt - Notepad, the text area shows the greeting in one line, and "
    "no dialog is open any more.";

struct ProfileRunStage {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}}; // half a pixel per unit
    vlm::testing::ScriptedModel model;
    std::filesystem::path run_path;

    RunFinished run(const std::string& profile) {
        RunDirectory directory = RunDirectory::create(folder.path());
        run_path = directory.path();
        AgentOptions options = test::unguarded();
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        Agent agent(desktop, model, load_profile(profile), built_in_tools(), options);
        RunControl control;
        return agent.run("write a greeting", directory, control);
    }
    [[nodiscard]] const vlm::ChatRequest& request(std::size_t index) const {
        return model.requests().at(index);
    }
    /// The texts of the request besides the system prompt.
    [[nodiscard]] std::string told(std::size_t index) const {
        std::string all;
        for (const vlm::Message& message : request(index).messages)
            if (message.role != vlm::Role::system) all += message.text() + "\n";
        return all;
    }
    [[nodiscard]] std::size_t images(std::size_t index) const {
        std::size_t count = 0;
        for (const vlm::Message& message : request(index).messages)
            for (const vlm::Part& part : message.parts)
                count += std::holds_alternative<vlm::Image>(part) ? 1 : 0;
        return count;
    }
    [[nodiscard]] int clicks() const {
        return static_cast<int>(std::count(
            desktop.events().begin(), desktop.events().end(),
            winio::InputEvent{winio::ButtonChange{winio::Button::left, winio::Press::down}}));
    }
};

} // namespace

TEST_CASE("the commander briefs, the operator acts and reports, and the run ends with evidence") {
    ProfileRunStage stage;
    const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
    stage.model.call("spawn_operator", brief, "1. click OK (now) 2. check (later)")
        .call("click_element", R"({"justification":"asked","label":"OK","position":[300,400]})",
              "OBJ: click OK")
        .call("report_progress",
              R"({"objective_id":"click OK","status":"DONE","evidence":"the dialog is gone"})")
        .call("spawn_operator", brief, "2. check (now)") // the review after DONE
        .call("spawn_operator", brief, "2. check (now)") // the review of turn 5
        .call("report_completion", R"({"evidence":"It is done."})")
        .call("report_completion", R"({"evidence":")" + evidence + R"("})");
    const RunFinished result = stage.run("commander");

    CHECK(result.outcome == Outcome::completed);
    CHECK(result.reason == evidence);
    CHECK(result.turns == 7);
    CHECK(stage.model.remaining() == 0);
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
    CHECK(stage.clicks() == 1);
    CHECK(std::filesystem::exists(stage.run_path / "screenshots/turn_0000.png"));

    // The commander receives only text, the operator also screenshots.
    CHECK(stage.images(0) == 0);
    CHECK(stage.request(0).tools.size() == 2);
    CHECK(stage.request(0).sampling.temperature == 0.35);
    CHECK(stage.images(1) == 1);
    CHECK(stage.request(1).tools.size() == 10);
    CHECK(stage.request(1).sampling.max_tokens == 1024);
    CHECK_THAT(stage.told(1), ContainsSubstring("Click OK."));
    CHECK(stage.images(3) == 0);
    CHECK_THAT(stage.told(3), ContainsSubstring("report_progress"));
    // The short claim was refused, and the operator is told so.
    CHECK(stage.images(6) == 1);
    CHECK_THAT(stage.told(6), ContainsSubstring("evidence_too_short"));
}

TEST_CASE("the planner must plan first, and the executor receives its previous action") {
    ProfileRunStage stage;
    stage.model
        .call("update_execution_plan", R"({"instructions":"Click the field.","reasoning":"first"})",
              "1. click the field (now)")
        .call("click_screen_element",
              R"({"reasoning":"to focus it","element_name":"field","position":[10,20]})",
              "LAST_ACTION_RESULT: none\nNEXT_STEP: click, the field gets a caret")
        .call("report_mission_complete", R"({"evidence":")" + evidence + R"("})");
    const RunFinished result = stage.run("planner");

    CHECK(result.outcome == Outcome::completed);
    CHECK(result.turns == 3);
    CHECK(stage.desktop.pointer() == winio::Point{5, 10});

    REQUIRE(stage.request(0).tools.size() == 1);
    CHECK(stage.request(0).tools.at(0).name == "update_execution_plan");
    CHECK(stage.request(0).tool_choice == vlm::ToolChoice::required);
    CHECK(stage.images(0) == 0);

    CHECK(stage.request(1).tool_choice != vlm::ToolChoice::required);
    CHECK_THAT(stage.told(1), ContainsSubstring("Click the field."));
    CHECK_THAT(stage.told(1), !ContainsSubstring("LAST ACTION"));
    CHECK_THAT(stage.told(2), ContainsSubstring("LAST ACTION"));
    CHECK_THAT(stage.told(2), ContainsSubstring("to focus it"));
    CHECK_THAT(stage.told(2), ContainsSubstring("the field gets a caret"));
}

TEST_CASE("the basic agent looks, moves and clicks, one call at a time") {
    ProfileRunStage stage;
    const std::string move = R"({"x":300,"y":400})";
    stage.model.call("take_screenshot", "{}")
        .reply_with({.tool_calls = {{"a", "move_mouse", move, {}}, {"b", "click_mouse", "{}", {}}}})
        .call("move_mouse", move)
        .call("click_mouse", "")
        .call("scroll_down", "{}")
        .say("The field has the focus.");
    const RunFinished result = stage.run("basic");

    CHECK(result.outcome == Outcome::completed);
    CHECK(result.turns == 6);
    CHECK(stage.images(0) == 0);
    CHECK(stage.images(1) == 1);

    // None of several calls was executed, and each was answered.
    const auto& after_two = stage.request(2).messages;
    REQUIRE(after_two.size() >= 2);
    for (std::size_t back : {std::size_t{1}, std::size_t{2}}) {
        const vlm::Message& answer = after_two.at(after_two.size() - back);
        CHECK(answer.role == vlm::Role::tool);
        CHECK_THAT(answer.text(), ContainsSubstring(R"("type":"invalid_arguments")"));
    }
    CHECK(stage.clicks() == 1);
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
    CHECK_THAT(stage.told(4), ContainsSubstring(R"("x":300,"y":400)"));
    CHECK(std::count(stage.desktop.events().begin(), stage.desktop.events().end(),
                     winio::InputEvent{winio::WheelTurn{-1}}) == 1);
}

TEST_CASE("a wait does not count for loop detection") {
    ProfileRunStage stage;
    Profile profile = load_profile("observer");
    profile.extra_tools = {"wait"};
    stage.model.call("wait", R"({"seconds":0})").say("done");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    AgentOptions options = test::unguarded();
    options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
    options.reaction = winio::no_reaction_wait;
    Agent agent(stage.desktop, stage.model, profile, built_in_tools(), options);
    RunControl control;
    struct Watcher : Observer {
        std::vector<Invoked> invoked;
        void on_event(const Event& event) override {
            visit(
                event, [&](const Invoked& fact) { invoked.push_back(fact); }, [](const auto&) {});
        }
    } watcher;
    CHECK(agent.run("wait", directory, control, &watcher).outcome == Outcome::completed);
    REQUIRE(watcher.invoked.size() == 1);
    CHECK(watcher.invoked.at(0).ok);
    CHECK_FALSE(watcher.invoked.at(0).action.acts);
    CHECK(stage.request(0).tools.back().name == "wait");
}
