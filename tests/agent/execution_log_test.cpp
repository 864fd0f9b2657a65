// execution_log.txt of whole runs on a desktop in memory.
#include "eyehand/agent/agent.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "record/execution_log.hpp"

#include "catch.hpp"
#include "unguarded.hpp"

#include <fmt/format.h>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

struct ExecutionLogStage {
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    vlm::testing::ScriptedModel model;
    MemoryStore store;
    RunControl control;
    AgentOptions options = test::unguarded();
    std::string profile = "commander";

    ExecutionLogStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    Agent agent() { return {desktop, model, load_profile(profile), built_in_tools(), options}; }
    [[nodiscard]] std::string log() const { return store.bytes("execution_log.txt"); }
};

std::string click(int x) {
    return fmt::format(R"({{"justification":"asked","label":"OK","position":[{},400]}})", x);
}

const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
const std::string claim = fmt::format(R"({{"evidence":"{}"}})", std::string(120, 'e'));

} // namespace

TEST_CASE("execution log: it begins with the configuration") {
    ExecutionLogStage stage;
    stage.options.settings = {{"model", "tiny", "--model"}, {"max_turns", "30", "profile"}};
    stage.model.fail({vlm::errc::unreachable, "no server"});
    (void)stage.agent().run("click OK", stage.store, stage.control);
    const std::string log = stage.log();
    const std::size_t configuration = log.find("] CONFIGURATION\n");
    REQUIRE(configuration != std::string::npos);
    CHECK(configuration > log.find("] RUN STARTED\n"));
    CHECK(configuration < log.find("] TURN 1"));
    CHECK_THAT(log, ContainsSubstring("\n  model: tiny (--model)\n"));
    CHECK_THAT(log, ContainsSubstring("\n  team.lead.sampling.temperature: 0.35\n"));
    CHECK_THAT(log, ContainsSubstring("\n  team.review_interval: 5\n"));
    CHECK_THAT(log, ContainsSubstring("Tools: spawn_operator"));
}

TEST_CASE("execution log: a turn has its phase, and requests have numbers") {
    ExecutionLogStage stage;
    stage.model.call("spawn_operator", brief, "1. click OK (now)")
        .call("click_element", click(300))
        .call("report_completion", claim);
    (void)stage.agent().run("click OK", stage.store, stage.control);
    const std::string log = stage.log();
    CHECK_THAT(log, ContainsSubstring("] TURN 1 (commander, EVALUATION)\nRequest #1: "));
    CHECK_THAT(log, ContainsSubstring("] REPLY to request #1 after "));
    CHECK_THAT(log, ContainsSubstring("] PHASE: EXECUTION"));
    CHECK_THAT(log, ContainsSubstring("] TURN 2 (operator, EXECUTION)\nRequest #2: "));
    CHECK_THAT(log, ContainsSubstring("\nRequests: 3\n"));
    CHECK_THAT(log, ContainsSubstring("Message (system): prompts/"));
    CHECK_THAT(log, ContainsSubstring("Message (user): image, SHA-256 "));
    CHECK_THAT(log, !ContainsSubstring("base64"));
}

TEST_CASE("execution log: a turn without phases has only its role") {
    ExecutionLogStage stage;
    stage.profile = "observer";
    stage.model.say("done");
    (void)stage.agent().run("look", stage.store, stage.control);
    CHECK_THAT(stage.log(), ContainsSubstring("] TURN 1 (agent)\nRequest #1: "));
    CHECK_THAT(stage.log(), !ContainsSubstring("Archives"));
}

TEST_CASE("execution log: a decision of the guard is logged once, before the result") {
    ExecutionLogStage stage;
    stage.profile = "observer";
    stage.options.guard = Guard(GuardLevel::standard);
    stage.model.call("press_key", R"({"key":"windows"})").say("Done.");
    (void)stage.agent().run("open the menu", stage.store, stage.control);
    const std::string log = stage.log();
    const std::size_t decision =
        log.find("] DECISION on press_key: denied by the absence of a user, "
                 "rule \"built_in: system chord\"\n");
    REQUIRE(decision != std::string::npos);
    CHECK(decision < log.find("] RESULT of press_key"));
    CHECK_THAT(log, !ContainsSubstring("Guard: "));
}

TEST_CASE("execution log: the result has the decision if the journal has no entry for it") {
    const MemoryStore store;
    ExecutionLog log(load_profile("observer"), store);
    Event event;
    event.payload = Invoked{.tool = "click", .guard = GuardRecord{true, "default", "rule", {}}};
    CHECK_THAT(log.entry(event).text,
               ContainsSubstring("Guard: allowed by the rule, rule \"default\"\n"));
}

TEST_CASE("execution log: the state shows the memory, and the plan when it changes") {
    ExecutionLogStage stage;
    stage.model.call("spawn_operator", brief, "1. click OK (now)")
        .call("click_element", click(300))
        .call("report_completion", claim);
    (void)stage.agent().run("click OK", stage.store, stage.control);
    const std::string log = stage.log();
    CHECK_THAT(log, ContainsSubstring("Plan: 1. click OK (now)\n"));
    CHECK_THAT(log, ContainsSubstring("Brief: Click OK.\n"));
    CHECK_THAT(log, ContainsSubstring("Memory: 1 active actions, 0 archived\n"));
    CHECK(log.find("Plan: 1.") == log.rfind("Plan: 1."));
}

TEST_CASE("execution log: the end names the archives, also those before a resumption") {
    ExecutionLogStage stage;
    stage.model.call("spawn_operator", brief, "plan");
    for (int x = 100; x < 400; x += 100) stage.model.call("click_element", click(x));
    const auto archive = [](const char* turns) {
        return fmt::format(
            R"({{"compression_summary":"clicked","loop_analysis":"nothing","archived_turns":{}}})",
            turns);
    };
    stage.model.call("compress_memory", archive("[2]"))
        .call("compress_memory", archive("[3]"))
        .fail({vlm::errc::unreachable, "no server"});
    (void)stage.agent().run("click OK", stage.store, stage.control);
    CHECK_THAT(stage.log(), ContainsSubstring("NO REPLY to request #7: "));
    CHECK_THAT(stage.log(),
               ContainsSubstring("\nArchives: 2\nMemory: 1 active actions, 2 archived\n"));
    stage.model.call("spawn_operator", brief, "plan").call("report_completion", claim);
    RunControl control;
    CHECK(stage.agent().resume(stage.store, control).outcome == Outcome::completed);
    const std::string log = stage.log();
    const std::string resumed = log.substr(log.find("] RUN RESUMED"));
    CHECK_THAT(resumed, ContainsSubstring("] CONFIGURATION\n"));
    CHECK_THAT(resumed, ContainsSubstring("Request #8: "));
    CHECK_THAT(resumed, ContainsSubstring("\nRequests: 9\n"));
    CHECK_THAT(resumed, ContainsSubstring("\nArchives: 2\n"));
}
