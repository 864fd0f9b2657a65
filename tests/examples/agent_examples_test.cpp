// Runs the examples of libagent against a scripted server. Two environment variables name folders:
// EYEHAND_EXAMPLE_PROGRAMS contains the built programs, EYEHAND_EXAMPLE_SOURCES is docs/examples.
// Cases with the tag [desktop] need a display.
#include "catch.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include <cstdlib>
#include <thread>

using eyehand::vlm::testing::ChatServer;
using eyehand::vlm::testing::completion;
using eyehand::vlm::testing::Gate;
using test::ProcessResult;

namespace {

constexpr std::chrono::seconds limit{60}; // only catches hangs
constexpr const char* look = "observe_screen";

std::filesystem::path folder_of(const char* variable) {
    const char* value = std::getenv(variable);
    if (value == nullptr) throw std::runtime_error(std::string(variable) + " is not set");
    return value;
}

struct Stage {
    test::TempFolder folder;
    ChatServer server;
    std::string runs = (folder / "runs").string();
    std::string run_directory = (folder / "runs" / "run_0001").string();

    std::size_t answers = 0; ///< enqueued so far

    void enqueue(eyehand::vlm::testing::Answer answer) {
        server.enqueue(std::move(answer));
        ++answers;
    }
    void say(const std::string& text) { enqueue({.body = completion(text)}); }
    void call(const std::string& tool, const std::string& arguments = "{}") {
        enqueue({.body = completion("", tool, arguments)});
    }
    void click(const std::string& box) {
        call("click_element", R"({"label":"there","box":)" + box + "}");
    }
    [[nodiscard]] std::string body(std::size_t request) const {
        return server.requests().at(request).body;
    }

    static ProcessResult run(const std::string& example, const std::vector<std::string>& arguments,
                             const test::Surroundings& surroundings = {}) {
        return test::run_program(folder_of("EYEHAND_EXAMPLE_PROGRAMS") / example, arguments,
                                 surroundings);
    }
    /// Interrupts the program after the server's answers so far, while it waits for the next one.
    ProcessResult crash(const std::string& example, const std::vector<std::string>& arguments) {
        enqueue({.never = true});
        return run(example, arguments, {.while_running = [this](const auto& interrupt) {
                       CHECK(server.wait_for_requests(answers, limit));
                       interrupt();
                   }});
    }
};

/// Waits until a file that another program writes contains `text`.
bool comes_to_contain(const std::filesystem::path& file, const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!std::filesystem::exists(file) ||
           test::read_file(file).find(text) == std::string::npos) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

constexpr const char* task = "Do what is necessary.";

} // namespace

TEST_CASE("custom_tool: the model calls the tool and reads its results", "[desktop]") {
    Stage stage;
    stage.call("look_up_order", R"({"number": 1002, "currency": "usd"})");
    stage.call("look_up_order", R"({"number": 7})");
    stage.say("52.50 dollars.");
    const ProcessResult result =
        Stage::run("custom_tool", {stage.server.url(), stage.runs, "What did Alan Turing pay?"});
    CHECK(result.err.empty());
    CHECK(result.out == "completed: 52.50 dollars.\n");
    CHECK(result.status == 0);
    REQUIRE(stage.server.requests().size() == 3);
    CHECK_THAT(stage.body(0), ContainsSubstring(R"("name":"look_up_order")"));
    CHECK_THAT(stage.body(0), ContainsSubstring(R"(["eur","usd"])"));
    CHECK_THAT(stage.body(1), ContainsSubstring(R"(\"customer\":\"Alan Turing\",\"total\":52.5)"));
    CHECK_THAT(stage.body(2), ContainsSubstring("unknown_order"));
}

TEST_CASE("custom_desktop: the agent's click leaves a dot on the canvas") {
    Stage stage;
    stage.click("[500,500]");
    stage.say("The dot is there.");
    const ProcessResult result = Stage::run("custom_desktop", {stage.server.url(), stage.runs});
    CHECK(result.err.empty());
    CHECK(result.out == "completed: The dot is there.\ncenter: ink\n");
    CHECK(result.status == 0);
}

TEST_CASE("custom_desktop: the canvas center stays empty if the agent clicks elsewhere") {
    Stage stage;
    stage.click("[100,100]");
    stage.say("No.");
    const ProcessResult result = Stage::run("custom_desktop", {stage.server.url(), stage.runs});
    CHECK(result.out == "completed: No.\ncenter: empty\n");
}

TEST_CASE("custom_chat_model: a run within the token budget completes", "[desktop]") {
    Stage stage;
    stage.call(look);
    stage.say("Done.");
    const ProcessResult result =
        Stage::run("custom_chat_model", {stage.server.url(), stage.runs, "1000", task});
    CHECK(result.err.empty());
    CHECK(result.out == "completed: Done.\ntokens: 80\n");
    CHECK(result.status == 0);
}

TEST_CASE("custom_chat_model: a run ends when the token budget is used up", "[desktop]") {
    Stage stage;
    stage.call(look);
    const ProcessResult result =
        Stage::run("custom_chat_model", {stage.server.url(), stage.runs, "40", task});
    CHECK(result.out == "endpoint_failed: the token budget is used up: 40 of 40\ntokens: 40\n");
    CHECK(result.status == 1);
    CHECK(stage.server.requests().size() == 1);
}

TEST_CASE("observer: the user approves and denies actions and resumes the run", "[desktop]") {
    Stage stage;
    stage.click("[400,400]");
    stage.click("[600,600]");
    stage.say("Done.");
    const ProcessResult result =
        Stage::run("observer", {stage.server.url(), stage.runs, task}, {.input = "y\nn\n\n"});
    CHECK(result.err.empty());
    CHECK(result.out == R"(Allow click_element {"label":"there","box":[400,400]}? (y/n) )"
                        "click_element: ok\n"
                        R"(Allow click_element {"label":"there","box":[600,600]}? (y/n) )"
                        "click_element: failed\n"
                        "Paused. Press Enter to resume. completed: Done.\n");
    CHECK(result.status == 0);
    REQUIRE(stage.server.requests().size() == 3);
    CHECK_THAT(stage.body(1), !ContainsSubstring("The user said no."));
    CHECK_THAT(stage.body(2), ContainsSubstring("The user said no."));
}

TEST_CASE("follow_run: prints turns while another process runs") {
    Stage stage;
    const Gate gate;
    stage.click("[500,500]");
    stage.enqueue({.parts = {eyehand::vlm::testing::chunked_head("application/json"), gate,
                             eyehand::vlm::testing::chunk(completion("Drawn.")),
                             eyehand::vlm::testing::chunk("")}});
    const std::filesystem::path printed = stage.folder / "printed";
    const auto let_the_run_end = [&](const auto&) {
        CHECK(gate.wait_until_reached(1, limit));
        CHECK(comes_to_contain(printed, "turn 1\n"));
        CHECK_THAT(test::read_file(printed), !ContainsSubstring("Drawn."));
        gate.open();
    };
    const auto run_while_followed = [&](const auto& interrupt) {
        const ProcessResult run = Stage::run("custom_desktop", {stage.server.url(), stage.runs},
                                             {.while_running = let_the_run_end});
        CHECK(run.status == 0);
        if (run.status != 0) interrupt(); // the follower would wait for the end of the run
    };
    const ProcessResult result = Stage::run("follow_run", {stage.run_directory},
                                            {.out = printed, .while_running = run_while_followed});
    CHECK(result.err.empty());
    CHECK_THAT(result.out,
               ContainsSubstring("turn 1\n  model: \n  click_element {\"label\":\"there\""));
    CHECK_THAT(result.out, ContainsSubstring("turn 2\n  model: Drawn.\ncompleted: Drawn.\n"));
    CHECK(result.status == 0);
}

TEST_CASE("follow_run: ends when the process of the run has died") {
    Stage stage;
    stage.click("[500,500]");
    const std::filesystem::path printed = stage.folder / "printed";
    const auto run_until_interrupted = [&](const auto&) {
        (void)stage.crash("custom_desktop", {stage.server.url(), stage.runs});
    };
    const ProcessResult result =
        Stage::run("follow_run", {stage.run_directory},
                   {.out = printed, .while_running = run_until_interrupted});
    CHECK(result.err.empty());
    CHECK_THAT(result.out, ContainsSubstring("turn 1\n  model: \n  click_element"));
    CHECK(result.out.ends_with("interrupted\n"));
    CHECK(result.status == 0);
}

TEST_CASE("read_run: prints a finished run, and finds a changed event") {
    Stage stage;
    stage.click("[500,500]");
    stage.say("The dot is there.");
    REQUIRE(Stage::run("custom_desktop", {stage.server.url(), stage.runs}).status == 0);

    const ProcessResult whole = Stage::run("read_run", {stage.run_directory});
    CHECK(whole.err.empty());
    CHECK(whole.out.starts_with("task: Draw a dot in the center.\n"
                                "model: test-model\n"));
    CHECK_THAT(whole.out, ContainsSubstring("turn 1, "));
    CHECK_THAT(whole.out, ContainsSubstring("  saw screenshots/turn_0001.png\n"));
    CHECK_THAT(whole.out, ContainsSubstring(R"("box":[500,500]} -> {"ok":true)"));
    CHECK_THAT(whole.out, ContainsSubstring("  model: The dot is there.\n"));
    CHECK(whole.out.ends_with("tokens: 60 in, 20 out\ncompleted: The dot is there.\n"));
    CHECK(whole.status == 0);

    const std::filesystem::path journal =
        std::filesystem::path(stage.run_directory) / "events.jsonl";
    std::string text = test::read_file(journal);
    text.replace(text.find("center"), 6, "corner");
    std::ofstream(journal, std::ios::binary) << text;
    const ProcessResult changed = Stage::run("read_run", {stage.run_directory});
    CHECK_THAT(changed.out, ContainsSubstring("\nevent 2: "));
    CHECK(changed.status == 1);
}

TEST_CASE("resume_run: completes a run whose process died", "[desktop]") {
    Stage stage;
    stage.call(look);
    const ProcessResult died =
        stage.crash("custom_chat_model", {stage.server.url(), stage.runs, "1000", task});
    CHECK(died.status != 0);
    CHECK(died.out.empty());

    stage.say("Done.");
    const ProcessResult result =
        Stage::run("resume_run", {stage.run_directory, stage.server.url()});
    CHECK(result.err.empty());
    CHECK(result.out ==
          "task: " + std::string(task) + "\nbefore: interrupted\ncompleted: Done.\nturns: 2\n");
    CHECK(result.status == 0);
    CHECK(stage.server.requests().size() == 3); // the first turn is not repeated

    const ProcessResult again = Stage::run("resume_run", {stage.run_directory, stage.server.url()});
    CHECK_THAT(again.out, ContainsSubstring("before: completed\n"));
    CHECK_THAT(again.err, ContainsSubstring("agent.run_over: "));
    CHECK(again.status == 1);
}

TEST_CASE("custom_mode: a run whose process died is resumed", "[desktop]") {
    Stage stage;
    const std::string profile =
        (folder_of("EYEHAND_EXAMPLE_SOURCES") / "custom_mode" / "profile").string();
    stage.say("A gray screen.");
    CHECK(stage.crash("custom_mode", {"run", profile, stage.server.url(), stage.runs}).status != 0);

    stage.say("Still gray.");
    const ProcessResult result =
        Stage::run("custom_mode", {"resume", stage.run_directory, stage.server.url()});
    CHECK(result.err.empty());
    CHECK(result.out == "completed: A gray screen.\nStill gray.\n\n");
    CHECK(result.status == 0);
    CHECK(stage.server.requests().size() == 3);
}
