// agent-cli run and resume on a real desktop, with a real socket: exit codes, messages and files of
// a run.
#include "process.hpp"

#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/responses.hpp"
#include "eyehand/winio/image_file.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fstream>
#include <thread>

using namespace eyehand;

namespace {

using Catch::Matchers::StartsWith;
using test::agent_cli;
using test::ProcessResult;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

struct RunStage {
    test::TempFolder folder;
    ChatServer server;

    void answer(const std::string& text, const std::string& tool = {},
                const std::string& arguments = "{}") {
        server.enqueue({.body = completion(text, tool, arguments)});
    }
    ProcessResult run(std::vector<std::string> more = {},
                      const std::function<void(const std::function<void()>&)>& while_running = {}) {
        std::vector<std::string> arguments{"run",        "do it",     "--endpoint",
                                           server.url(), "--run-dir", folder.path().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return agent_cli(arguments, {}, while_running);
    }
    [[nodiscard]] std::filesystem::path run_path() const { return folder / "run_0001"; }
    [[nodiscard]] std::string last_event() const {
        return test::lines_of(run_path() / "events.jsonl").back();
    }
};

/// Checks the files of a run that has ended with this outcome.
void check_complete(const RunStage& stage, const std::string& outcome) {
    CHECK_THAT(stage.last_event(), ContainsSubstring(R"("type":"run_finished")"));
    CHECK_THAT(stage.last_event(), ContainsSubstring(R"("outcome":")" + outcome + "\""));
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("outcome":")" + outcome + "\""));
    CHECK_THAT(test::read_file(stage.run_path() / "execution_log.txt"),
               ContainsSubstring("RUN FINISHED: " + outcome));
}

} // namespace

TEST_CASE("a run that the model completes is exit code 0 and prints the model's last words") {
    RunStage stage;
    stage.answer("I look again.", "observe_screen");
    stage.answer("<think>hm</think>It is done: zażółć.");
    const auto result = stage.run();
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "It is done: zażółć.\n");
    CHECK_THAT(result.err, ContainsSubstring("[  1] I look again. | observe_screen {} -> ok ("));
    CHECK_THAT(result.err, ContainsSubstring("run_0001"));
    check_complete(stage, "completed");
    CHECK(std::filesystem::exists(stage.run_path() / "screenshots/turn_0002.png"));
    CHECK_THAT(test::read_file(stage.run_path() / "http.log"), !ContainsSubstring("base64"));
}

TEST_CASE("a run applies the calibration of its model, and with --calibration off it does not") {
    const test::Workspace workspace;
    ChatServer server;
    session::Calibration calibration;
    calibration.endpoint = server.url() + "/v1/chat/completions";
    calibration.model = "tiny";
    calibration.fit.grounds = true;
    calibration.fit.form.convention = agent::CoordinateConvention::percent;
    const std::filesystem::path folder = workspace.trust_file().parent_path() / "calibrations";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / session::calibration_file(calibration.endpoint, calibration.model))
        << session::to_json(calibration);
    const auto coordinates = [&](std::vector<std::string> more) {
        server.enqueue({.body = completion("It is done.")});
        const test::TempFolder runs;
        std::vector<std::string> arguments{
            "run",        "do it",      "--model",   "tiny",
            "--endpoint", server.url(), "--run-dir", runs.path().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = workspace.agent_cli(arguments);
        INFO(result.err);
        CHECK(result.status == 0);
        return test::read_file(runs / "run_0001/run.json");
    };
    CHECK_THAT(coordinates({}), ContainsSubstring(R"("coordinates": "percent")") ||
                                    ContainsSubstring(R"("coordinates":"percent")"));
    CHECK_THAT(coordinates({"--calibration", "off"}), !ContainsSubstring("percent"));
}

TEST_CASE("a run with stored responses sends what is new, and everything after resume") {
    using vlm::testing::response_events;
    RunStage stage;
    const auto answer_events = [&](const vlm::testing::Response& response, int number,
                                   std::string_view previous = {}) {
        stage.server.enqueue({.content_type = "text/event-stream",
                              .body = response_events(response, number, previous)});
    };
    answer_events({.reasoning = "I look.", .calls = {{"observe_screen"}}}, 1);
    answer_events({.calls = {{"observe_screen", "{}", "c2"}}}, 2, "resp_1");
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    CHECK(stage.run({"--api", "responses", "--store-responses", "--no-probe"}).status == 4);
    answer_events({.text = "Done."}, 3);
    const auto resumed =
        agent_cli({"resume", stage.run_path().string(), "--store-responses", "--no-probe"});
    INFO(resumed.err);
    CHECK(resumed.status == 0);
    const auto body = [&](std::size_t request) { return stage.server.requests().at(request).body; };
    CHECK_THAT(body(0), !ContainsSubstring("previous_response_id"));
    CHECK_THAT(body(1), ContainsSubstring(R"("previous_response_id":"resp_1")"));
    CHECK_THAT(body(1), !ContainsSubstring("gAAAAA1-"));
    CHECK_THAT(body(2), ContainsSubstring(R"("previous_response_id":"resp_2")"));
    CHECK_THAT(body(3), !ContainsSubstring("previous_response_id"));
    CHECK_THAT(body(3), ContainsSubstring("gAAAAA1-"));
    CHECK_THAT(body(3), ContainsSubstring(R"("store":true)"));
}

TEST_CASE("a run with the Responses API is recorded, resumed with this API, and replayed") {
    using vlm::testing::response_events;
    RunStage stage;
    const auto answer_events = [&](const vlm::testing::Response& response, int number) {
        stage.server.enqueue(
            {.content_type = "text/event-stream", .body = response_events(response, number)});
    };
    answer_events({.reasoning = "I look.", .calls = {{"observe_screen"}}}, 1);
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    CHECK(stage.run({"--api", "responses", "--no-probe", "--record-desktop"}).status == 4);
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("api":{"value":"responses","source":"--api"})"));

    answer_events({.text = "Done."}, 2);
    const auto resumed = agent_cli({"resume", stage.run_path().string(), "--no-probe"});
    INFO(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(resumed.out == "Done.\n");
    for (const auto& request : stage.server.requests()) CHECK(request.target == "/v1/responses");
    CHECK_THAT(stage.server.requests().at(2).body, ContainsSubstring("gAAAAA1-"));
    CHECK(vlm::testing::response_request_problem(stage.server.requests().at(2).body).empty());

    const auto replayed = agent_cli({"replay", stage.run_path().string()});
    INFO(replayed.out);
    CHECK(replayed.status == 0);
    CHECK_THAT(replayed.out, ContainsSubstring("2 replies decoded"));
}

TEST_CASE("a run of a version without the setting api is resumed with chat completions") {
    RunStage stage;
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    CHECK(stage.run({"--no-probe"}).status == 4);
    const std::filesystem::path file = stage.run_path() / "run.json";
    std::string run = test::read_file(file);
    const std::string api = R"("api":{"value":"chat","source":"default"},)";
    REQUIRE(run.find(api) != std::string::npos);
    std::ofstream(file, std::ios::trunc) << run.erase(run.find(api), api.size());

    const std::vector<std::string> resume{"resume", stage.run_path().string(), "--no-probe"};
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    CHECK(agent_cli(resume, {{"EYEHAND_API", "responses"}}).status == 4);
    CHECK(stage.server.requests().at(1).target == "/v1/chat/completions");
    CHECK_THAT(test::read_file(file), ContainsSubstring(R"("api":{"value":"chat")"));

    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    std::vector<std::string> with_flag = resume;
    with_flag.insert(with_flag.end(), {"--api", "responses"});
    CHECK(agent_cli(with_flag).status == 4);
    CHECK(stage.server.requests().at(2).target == "/v1/responses");
}

TEST_CASE("another endpoint for a resumed run brings the current API") {
    RunStage stage;
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    CHECK(stage.run({"--api", "responses", "--no-probe"}).status == 4);
    ChatServer other;
    for (int i = 0; i < 2; ++i)
        other.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    std::vector<std::string> resume{"resume", stage.run_path().string(), "--no-probe", "--endpoint",
                                    other.url()};
    CHECK(agent_cli(resume).status == 4);
    CHECK(other.requests().at(0).target == "/v1/chat/completions");
    resume.insert(resume.end(), {"--api", "responses"});
    CHECK(agent_cli(resume).status == 4);
    CHECK(other.requests().at(1).target == "/v1/responses");
}

TEST_CASE("the terminal shows the observation of a visual loop's reply, not its JSON") {
    RunStage stage;
    stage.answer(R"({"observation": "The desktop is empty.", "bboxes": [], "actions": [], )"
                 R"("done": true})");
    const auto result = stage.run({"--profile", "story"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.err, ContainsSubstring("The desktop is empty. | done ("));
    CHECK_THAT(result.err, !ContainsSubstring("bboxes"));
}

TEST_CASE("mistakes of the model are answered and the run continues") {
    RunStage stage;
    stage.answer("", "no_such_tool");
    stage.answer("", "click_element", "not JSON");
    stage.answer("", "click_element", R"({"label":"x","box":["abc",1]})");
    stage.answer("", "press_key", R"({"key":"hyper"})");
    stage.answer("", "scroll_at_position", R"({"box":[5000,5000]})");
    stage.answer("I give up.");
    const auto result = stage.run();
    CHECK(result.status == 0);
    for (const char* type : {"unknown_tool", "invalid_json", "invalid_box", "invalid_key"}) {
        CHECK_THAT(result.err, ContainsSubstring(type));
    }
    CHECK_THAT(result.err, ContainsSubstring("scroll_at_position {\"box\":[5000,5000]} -> ok"));
}

TEST_CASE("an unreachable endpoint is exit code 4 with the remedy") {
    RunStage stage;
    const auto result = agent_cli({"run", "do it", "--endpoint", "http://127.0.0.1:1", "--run-dir",
                                   stage.folder.path().string()});
    CHECK(result.status == 4);
    CHECK_THAT(result.err, ContainsSubstring("nothing listens at 127.0.0.1:1"));
    check_complete(stage, "endpoint_failed");
    CHECK_THAT(test::read_file(stage.run_path() / "http.log"), ContainsSubstring("failed: "));
}

TEST_CASE("an unexpected answer of the server is exit code 4 and leaves a complete run") {
    struct Row {
        Answer answer;
        const char* words;
    };
    const Row row =
        GENERATE(Row{{.content_type = "text/html", .body = "<html>Welcome</html>"}, "HTML"},
                 Row{{.body = "{}"}, "choices"}, Row{{.body = R"({"choices":[]})"}, "choices"},
                 Row{{.status = 404, .body = R"({"error":"no such path"})"}, "no such path"});
    RunStage stage;
    stage.server.enqueue(row.answer);
    const auto result = stage.run();
    INFO(result.err);
    CHECK(result.status == 4);
    CHECK_THAT(result.err, ContainsSubstring(row.words));
    check_complete(stage, "endpoint_failed");
}

TEST_CASE("used up turns are exit code 3") {
    RunStage stage;
    stage.answer("", "observe_screen");
    CHECK(stage.run({"--max-turns", "1"}).status == 3);
    check_complete(stage, "steps_used_up");
}

TEST_CASE(
    "a run that reaches a limit is exit code 3 and names the limit, also when it is resumed") {
    RunStage stage;
    const auto result = stage.run({"--max-time", "0.001"});
    CHECK(result.status == 3);
    CHECK_THAT(result.err, ContainsSubstring("the time limit of 0.001 s is reached"));
    check_complete(stage, "steps_used_up");
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("max_time_ms":{"value":"1","source":"--max-time"})"));

    CHECK(agent_cli({"resume", stage.run_path().string()}).status == 3);
    const auto unknown =
        agent_cli({"resume", stage.run_path().string(), "--coordinates", "pixels"});
    CHECK(unknown.status == 2);
    CHECK_THAT(unknown.err, ContainsSubstring("allowed values: auto, norm1000, norm999"));
    stage.answer("It is done.");
    CHECK(agent_cli({"resume", stage.run_path().string(), "--max-time", "0", "--coordinates",
                     "norm1000_yx"})
              .status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("coordinates":"norm1000_yx")"));
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("max_time_ms":{"value":"0","source":"--max-time"})"));
}

TEST_CASE("an unknown display is exit code 5, lists the displays and leaves a complete run") {
    RunStage stage;
    const auto result = stage.run({"--display", "7"});
    CHECK(result.status == 5);
    CHECK_THAT(result.err, ContainsSubstring("unknown display \"7\"; known displays: \""));
    check_complete(stage, "desktop_failed");
    CHECK(agent_cli({"screenshot", (stage.folder / "x.png").string(), "--display", "7"}).status ==
          5);
}

TEST_CASE("a run folder that cannot be created is exit code 2 and names the option") {
    RunStage stage;
    std::ofstream(stage.folder / "file") << "x";
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   (stage.folder / "file/runs").string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("cannot be created"));
    CHECK_THAT(result.err, ContainsSubstring("choose another folder with --run-dir"));
}

TEST_CASE("a bad endpoint is exit code 2 before any file is written") {
    RunStage stage;
    const auto result = agent_cli({"run", "do it", "--endpoint", "localhost:1234", "--run-dir",
                                   stage.folder.path().string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("localhost:1234"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("an unknown tool is exit code 2 before any file is written") {
    RunStage stage;
    const auto result = stage.run({"--with", "fly"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("the tool \"fly\" is unknown"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("the task can follow --with") {
    RunStage stage;
    stage.answer("It is done.");
    const auto result =
        agent_cli({"run", "--no-probe", "--endpoint", stage.server.url(), "--run-dir",
                   stage.folder.path().string(), "--with", "drag", "do it"});
    INFO(result.err);
    REQUIRE(result.status == 0);
    CHECK_THAT(stage.server.requests().front().body, ContainsSubstring("do it"));
}

TEST_CASE("--quiet still prints the reason of a failure") {
    RunStage stage;
    const auto result = agent_cli({"run", "do it", "--quiet", "--endpoint", "http://127.0.0.1:1",
                                   "--run-dir", stage.folder.path().string()});
    CHECK(result.status == 4);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring("nothing listens"));
}

TEST_CASE("older names of variables set the request and the run") {
    RunStage stage;
    stage.answer("done");
    const auto result = agent_cli({"run", "do it"},
                                  {{"LMSTUDIO_ENDPOINT", stage.server.url() + "?key=in-the-query"},
                                   {"LMSTUDIO_TIMEOUT", "30"},
                                   {"LMSTUDIO_TEMPERATURE", "0.25"},
                                   {"LMSTUDIO_MAX_TOKENS", "77"},
                                   {"AGENT_MAX_STEPS", "4"},
                                   {"AGENT_STEP_DELAY", "0.01"},
                                   {"AGENT_KEEP_LAST_SCREENSHOTS", "3"},
                                   {"AGENT_KEEP_LAST_THINKS", "5"},
                                   {"AGENT_DUMP_DIR", stage.folder.path().string()}});
    INFO(result.err);
    CHECK(result.status == 0);
    const std::string body = stage.server.requests().at(0).body;
    CHECK_THAT(body, ContainsSubstring(R"("temperature":0.25)"));
    CHECK_THAT(body, ContainsSubstring(R"("max_tokens":77)"));
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary,
               ContainsSubstring(R"("timeout_ms":{"value":"30000","source":"LMSTUDIO_TIMEOUT"})"));
    CHECK_THAT(summary, ContainsSubstring(R"("max_turns":4)"));
    CHECK_THAT(summary, ContainsSubstring(R"("step_delay_ms":10)"));
    CHECK_THAT(summary, ContainsSubstring(R"("screenshots":{"keep":3,"batch":8})"));
    CHECK_THAT(summary, ContainsSubstring(R"("thinks":{"keep":5,"batch":8})"));
    CHECK_THAT(summary, ContainsSubstring(R"("parameters":{"type":"object")"));
    CHECK_THAT(summary + result.err, !ContainsSubstring("in-the-query"));
}

TEST_CASE(
    "--reasoning-effort and --thinking-tokens set the request, and a note says what is not sent") {
    RunStage stage;
    stage.answer("done");
    const auto result = stage.run({"--reasoning-effort", "low", "--thinking-tokens", "300"});
    INFO(result.err);
    CHECK(result.status == 0);
    const std::string body = stage.server.requests().back().body;
    CHECK_THAT(body, ContainsSubstring(R"("reasoning_effort":"low")") && !ContainsSubstring("300"));
    const std::string note = "thinking_tokens was not sent: the server does not support it";
    CHECK_THAT(result.err, ContainsSubstring(note));
    CHECK_THAT(test::read_file(stage.run_path() / "events.jsonl"), ContainsSubstring(note));
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("reasoning_effort":"low","thinking_tokens":300)"));
    CHECK_THAT(summary, ContainsSubstring(
                            R"("thinking_tokens":{"value":"300","source":"--thinking-tokens"})"));
}

TEST_CASE("a model cannot send control characters to the terminal") {
    RunStage stage;
    stage.answer("\x1B[2Jgone", "\x1B]0;title");
    stage.answer("\x1B[31mred\xC2\x9B"
                 "0m");
    const auto result = stage.run();
    CHECK(result.status == 0);
    CHECK(result.out == "[31mred0m\n");
    CHECK_THAT(result.err, !ContainsSubstring("\x1B"));
}

TEST_CASE("--json prints the journal as it happens, and nothing else") {
    RunStage stage;
    stage.answer("done");
    const auto result = stage.run({"--json", "--quiet"});
    CHECK(result.status == 0);
    CHECK(result.out == test::read_file(stage.run_path() / "events.jsonl"));
    CHECK(result.err.empty());
}

TEST_CASE("flags override variables, and run.json contains the source of each value") {
    RunStage stage;
    stage.answer("done");
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   stage.folder.path().string(), "--model", "from-flag"},
                                  {{"LMSTUDIO_MODEL", "from-variable"},
                                   {"AGENT_IMAGE_W", "640"},
                                   {"AGENT_IMAGE_H", "480"},
                                   {"AGENT_DUMP_PREFIX", "screen_"},
                                   {"AGENT_DUMP_START", "5"},
                                   {"EYEHAND_API_KEY", "my-secret"}});
    CHECK(result.status == 0);
    CHECK_THAT(stage.server.requests().at(0).body, ContainsSubstring(R"("model":"from-flag")"));
    CHECK(stage.server.requests().at(0).headers.at("authorization") == "Bearer my-secret");
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("model":{"value":"from-flag","source":"--model"})"));
    CHECK_THAT(summary,
               ContainsSubstring(
                   R"("image":{"value":"640x480","source":"AGENT_IMAGE_W, AGENT_IMAGE_H"})"));
    CHECK_THAT(summary, !ContainsSubstring("my-secret"));
    CHECK(std::filesystem::exists(stage.run_path() / "screenshots/screen_0005.png"));
}

TEST_CASE(
    "Ctrl+C during a model request is exit code 130, closes the socket and leaves a complete run") {
    RunStage stage;
    stage.server.enqueue({.never = true});
    const auto result = stage.run({}, [&](const std::function<void()>& interrupt) {
        CHECK(stage.server.wait_for_requests(1, std::chrono::seconds(60)));
        interrupt();
    });
    INFO(result.err);
    CHECK(result.status == 130);
    check_complete(stage, "cancelled");
    CHECK(stage.server.wait_until_disconnected(std::chrono::seconds(60)));
}

TEST_CASE("a run prints why it waits, and run.json contains the settings of the client") {
    RunStage stage;
    const std::map<std::string, std::string> soon{{"retry-after-ms", "1"}};
    stage.server.enqueue({.status = 503, .body = R"({"error":"Loading model"})", .headers = soon});
    stage.server.enqueue({.status = 429, .body = R"({"error":"too much"})", .headers = soon});
    stage.answer("done");
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   stage.folder.path().string(), "--no-stream", "--retries", "1"},
                                  {{"EYEHAND_API_KEY", "my-secret"}});
    CHECK(result.status == 0);
    CHECK(result.out == "done\n");
    CHECK_THAT(result.err, ContainsSubstring("the server is loading its model; waiting for it\n"));
    CHECK_THAT(result.err,
               ContainsSubstring("retrying in 0.") && ContainsSubstring(" s (attempt 3): "));
    CHECK_THAT(result.err, ContainsSubstring("too much"));
    CHECK_THAT(stage.server.requests().at(0).body, !ContainsSubstring("\"stream\""));
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("retries":{"value":"1","source":"--retries"})"));
    CHECK_THAT(summary, ContainsSubstring(R"("stream":{"value":"false","source":"--no-stream"})"));
    CHECK_THAT(summary,
               ContainsSubstring(R"-("api_key":{"value":"set","source":"EYEHAND_API_KEY"})-"));
}

TEST_CASE("--quiet also suppresses the messages about waiting") {
    RunStage stage;
    stage.server.enqueue({.status = 503, .headers = {{"retry-after-ms", "1"}}});
    stage.answer("done");
    CHECK(stage.run({"--quiet"}).err.empty());
    CHECK_THAT(stage.server.requests().at(0).body, ContainsSubstring(R"("stream":true)"));
}

TEST_CASE("a screenshot is a PNG of the requested size") {
    RunStage stage;
    const auto file = stage.folder / "zażółć.png";
    const std::u8string name = file.u8string();
    const auto result = agent_cli({"screenshot", std::string(name.begin(), name.end()), "--image",
                                   "320x200", "--image-exact"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("320x200"));
    const std::string png = test::read_file(file);
    CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1A\n");
    CHECK(png.substr(16, 8) == std::string("\0\0\x01\x40\0\0\0\xC8", 8)); // IHDR: 320 x 200
}

TEST_CASE("the extension of a screenshot's file chooses its format, and otherwise the setting") {
    RunStage stage;
    const auto save = [&](const char* name, const std::vector<std::string>& more = {}) {
        const auto file = stage.folder / name;
        std::vector<std::string> arguments{"screenshot", file.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const auto result = agent_cli(arguments);
        INFO(result.err);
        CHECK(result.status == 0);
        return test::read_file(file);
    };
    const std::string jpeg = save("x.jpg");
    CHECK(jpeg.starts_with("\xFF\xD8\xFF"));
    CHECK(save("y.JPEG", {"--image-quality", "10"}).size() < jpeg.size());
    CHECK(save("x.png", {"--image-format", "jpeg"}).starts_with("\x89PNG"));
    CHECK(save("x.bin", {"--image-format", "jpeg"}).starts_with("\xFF\xD8\xFF"));
    if (winio::is_supported(winio::WebpOptions{})) {
        CHECK(save("x.webp").substr(8, 4) == "WEBP");
    } else {
        const auto result = agent_cli({"screenshot", (stage.folder / "x.webp").string()});
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring("this build cannot encode webp; choose png"));
    }
    const auto refused =
        agent_cli({"screenshot", (stage.folder / "z.png").string(), "--image-quality", "10"});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, ContainsSubstring("PNG is lossless and has no quality"));
}

TEST_CASE("a run sends and stores screenshots in the format that the user chooses") {
    RunStage stage;
    stage.answer("done");
    const auto result = stage.run({"--image-format", "jpeg", "--image-quality", "40",
                                   "--image-detail", "high", "--image", "320x200"});
    INFO(result.err);
    CHECK(result.status == 0);
    const std::string body = stage.server.requests().back().body;
    CHECK_THAT(body, ContainsSubstring("data:image/jpeg;base64,/9j/") &&
                         ContainsSubstring(R"(,"detail":"high"})"));
    CHECK(test::read_file(stage.run_path() / "screenshots/turn_0001.jpg")
              .starts_with("\xFF\xD8\xFF"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path() / "screenshots/turn_0001.png"));
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("image_format":"jpeg","image_quality":40)"));
    CHECK_THAT(summary, ContainsSubstring(R"("image_quality":{"value":"40","source")"));
    CHECK_THAT(test::read_file(stage.run_path() / "report.html"),
               ContainsSubstring("data:image/jpeg;base64,"));
    CHECK(agent_cli({"verify", stage.run_path().string()}).status == 0);
    CHECK(agent_cli({"export", stage.run_path().string(), "--as", "script"}).status == 0);
}

TEST_CASE("a screenshot file that cannot be written is exit code 2 with the remedy") {
    RunStage stage;
    const auto result = agent_cli({"screenshot", (stage.folder / "no/such/folder/x.png").string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("cannot be written; check that its folder exists"));
}

TEST_CASE("a run whose server failed continues with a server at another address") {
    RunStage stage;
    stage.answer("I press it.", "press_key", R"({"key":"f9"})");
    stage.server.enqueue({.status = 404, .body = R"({"error":"No models loaded."})"});
    CHECK(stage.run({"--with", "wait", "--with", "hotkey"}).status == 4);

    ChatServer other;
    other.enqueue({.body = completion("It is done.")});
    const auto result = agent_cli({"resume", stage.run_path().string(), "--endpoint", other.url()});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "It is done.\n");
    check_complete(stage, "completed");
    const std::string request = other.requests().at(0).body;
    CHECK_THAT(request, ContainsSubstring("data:image/png;base64,")); // from the run directory
    CHECK_THAT(request, ContainsSubstring("f9"));
    CHECK_THAT(request, ContainsSubstring("\"name\":\"hotkey\""));
    const auto again = agent_cli({"resume", stage.run_path().string()});
    CHECK(again.status == 2);
    CHECK_THAT(again.err, ContainsSubstring("cannot be resumed"));
    CHECK(agent_cli({"resume", (stage.folder / "nowhere").string()}).status == 2);
}

TEST_CASE("a run in progress cannot be resumed and continues unharmed") {
    RunStage stage;
    stage.server.enqueue({.never = true});
    const auto result = stage.run({}, [&](const std::function<void()>& interrupt) {
        CHECK(stage.server.wait_for_requests(1, std::chrono::seconds(60)));
        const auto second = agent_cli({"resume", stage.run_path().string()});
        CHECK(second.status == 2);
        CHECK_THAT(second.err, ContainsSubstring("the run is still in progress"));
        interrupt();
    });
    CHECK(result.status == 130);
    check_complete(stage, "cancelled");
}

TEST_CASE("a resumed run keeps its area, waits and endpoint") {
    RunStage stage;
    const std::string with_key = stage.server.url() + "/v1/chat/completions?key=in-the-query";
    stage.server.enqueue({.status = 404, .body = R"({"error":"No models loaded."})"});
    CHECK(agent_cli(
              {"run", "do it", "--crop", "0,0,500,500", "--run-dir", stage.folder.path().string()},
              {{"LMSTUDIO_ENDPOINT", with_key}, {"EYEHAND_SETTLE_MINIMUM", "0.3"}})
              .status == 4);
    const auto first = test::lines_of(stage.run_path() / "events.jsonl");

    // Variables do not replace the crop and the waits of the run; the query comes from the current
    // endpoint.
    stage.answer("", "observe_screen");
    stage.server.enqueue({.status = 404, .body = R"({"error":"No models loaded."})"});
    const auto again =
        agent_cli({"resume", stage.run_path().string()}, {{"LMSTUDIO_ENDPOINT", with_key},
                                                          {"EYEHAND_CROP", "0,0,100,100"},
                                                          {"EYEHAND_SETTLE_MINIMUM", "0"}});
    INFO(again.err);
    CHECK(again.status == 4);
    CHECK_THAT(stage.server.requests().at(1).target, ContainsSubstring("key=in-the-query"));
    const auto area_of = [](const std::string& line) {
        const std::size_t at = line.find(R"("area":[)");
        return line.substr(at, line.find(']', at) - at);
    };
    std::vector<std::string> seen;
    for (const std::string& line : test::lines_of(stage.run_path() / "events.jsonl"))
        if (line.find(R"("type":"observed")") != std::string::npos) seen.push_back(line);
    REQUIRE(seen.size() == 3); // a resumed run looks first
    CHECK(area_of(seen[1]) == area_of(seen[0]));
    const std::size_t settle = seen[1].find(R"("settle_ms":)");
    CHECK(std::stoi(seen[1].substr(settle + 12)) >= 300);

    // The run keeps its server even if a variable names another one; a flag replaces the area.
    stage.answer("", "observe_screen");
    stage.answer("It is done.");
    const auto last =
        agent_cli({"resume", stage.run_path().string(), "--crop", "0,0,1000,1000"},
                  {{"LMSTUDIO_ENDPOINT", "http://127.0.0.1:1/v1/chat/completions?key=another"}});
    INFO(last.err);
    CHECK(last.status == 0);
    CHECK_THAT(stage.server.requests().back().target, !ContainsSubstring("key="));
    const auto lines = test::lines_of(stage.run_path() / "events.jsonl");
    for (const std::string& line : lines)
        if (line.find(R"("type":"observed")") != std::string::npos) seen.push_back(line);
    CHECK(area_of(seen.back()) != area_of(seen[0]));
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("crop":{"value":"0,0,1000,1000","source":"--crop"})"));
}

TEST_CASE("LM Studio's log is stored for every part of a resumed run") {
    RunStage stage;
    const std::filesystem::path logs = stage.folder / "logs";
    std::filesystem::create_directories(logs);
    const auto log = [&](const std::string& line) {
        std::ofstream(logs / "server.log", std::ios::binary | std::ios::app) << line << "\n";
    };
    const auto part = [&](std::size_t number) {
        stage.server.enqueue({.never = true});
        return [&stage, log, number](const std::function<void()>& interrupt) {
            CHECK(stage.server.wait_for_requests(number, std::chrono::seconds(60)));
            log("part " + std::to_string(number));
            interrupt();
        };
    };
    log("before");
    const auto first =
        agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--lmstudio-logs",
                   logs.string(), "--run-dir", stage.folder.path().string()},
                  {}, part(1));
    CHECK(first.status == 130);
    log("between");
    CHECK(agent_cli({"resume", stage.run_path().string()}, {}, part(2)).status == 130);
    CHECK(test::read_file(stage.run_path() / "lmstudio_raw.log") == "part 1\npart 2\n");
    CHECK(test::read_file(stage.run_path() / "lmstudio_clean.log") == "part 1\npart 2\n");
}

namespace {

constexpr const char* small_server =
    R"({"object":"list","data":[{"id":"tiny-vl","object":"model","owned_by":"llamacpp",
        "meta":{"n_ctx":8192}}]})";
constexpr const char* small_props =
    R"({"default_generation_settings":{"n_ctx":8192},"modalities":{"vision":true},
        "build_info":"b1-x"})";

} // namespace

TEST_CASE("a run probes the server first and keeps fewer screenshots in a small context") {
    RunStage stage;
    const auto run = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run",        "do it",
                                           "--endpoint", stage.server.url(),
                                           "--run-dir",  stage.folder.path().string(),
                                           "--image",    "1024x768!",
                                           "--watch",    "check"}; // without the test that cancels
        arguments.insert(arguments.end(), more.begin(), more.end());
        return agent_cli(arguments, {{"EYEHAND_PROBE", "1"}});
    };
    const auto probed = [&] {
        stage.server.enqueue({.body = small_server, .headers = {{"Server", "llama.cpp"}}});
        stage.server.enqueue({.body = small_props});
        stage.answer("done");
    };
    probed();
    CHECK(run({}).status == 0);
    CHECK(stage.server.requests().at(0).method == "GET");
    CHECK(stage.server.requests().at(1).method == "GET");
    CHECK(stage.server.requests().size() == 3);
    std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("server":{"value":"llama-server)"));
    CHECK_THAT(summary, ContainsSubstring(R"("context_tokens":{"value":"8192","source":"probe"})"));
    // 32 * 24 + 2 tokens each: half of the context has room for five, of which two are always kept.
    CHECK_THAT(summary, ContainsSubstring(R"("drop_screenshots":{"value":"4","source":"probe"})"));
    CHECK_THAT(summary, ContainsSubstring(R"("screenshots":{"keep":2,"batch":4})"));
    CHECK_THAT(test::read_file(stage.run_path() / "http.log"), ContainsSubstring("/v1/models"));

    // Without the probe there is one request.
    stage.answer("done");
    CHECK(run({"--no-probe"}).status == 0);
    CHECK(stage.server.requests().size() == 4);
    summary = test::read_file(stage.folder / "run_0002/run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("probe":{"value":"false","source":"--no-probe"})"));
    CHECK_THAT(summary, ContainsSubstring(R"("screenshots":{"keep":2,"batch":8})"));
}

TEST_CASE("a run continues without probe results if the server reports none") {
    RunStage stage;
    const std::size_t questions =
        5; // the list of models, then the own request of each kind of server
    for (std::size_t i = 0; i < questions; ++i) stage.server.enqueue({.status = 404, .body = "{}"});
    for (std::size_t i = 0; i < questions; ++i) stage.answer("done");
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   stage.folder.path().string()},
                                  {{"EYEHAND_PROBE", "1"}});
    INFO(result.err);
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"), !ContainsSubstring("\"probe\"}"));
    CHECK(stage.server.requests().back().method == "POST");
}

TEST_CASE("a program tool is offered with --tool, and denied if the user cannot be asked") {
    RunStage stage;
    const std::filesystem::path file = stage.folder / "mine.json";
    std::ofstream(file, std::ios::binary)
        << R"({"name":"mine","description":"Mine.","effect":"reads","command":[)" << '"'
        << (test::program_folder() / "eyehand-test-tool").generic_string() << '"'
        << R"(,"echo"],"parameters":{"type":"object","properties":{"city":{"type":"string"}}}})";
    const auto run = [&](std::vector<std::string> more) {
        stage.answer("", "mine", R"({"city":"Rome"})");
        stage.answer("done");
        more.insert(more.begin(), {"--tool", file.string()});
        return stage.run(std::move(more));
    };
    const auto refused = run({});
    INFO(refused.err);
    CHECK(refused.status == 0);
    CHECK_THAT(stage.server.requests().at(0).body, ContainsSubstring(R"("name":"mine")"));
    CHECK_THAT(stage.server.requests().at(1).body, ContainsSubstring("no user can be asked"));

    CHECK(run({"--allow-tool", "mine"}).status == 0);
    CHECK_THAT(stage.server.requests().at(3).body, ContainsSubstring("Rome"));
    CHECK_THAT(stage.server.requests().at(3).body, !ContainsSubstring("no user can be asked"));
    const std::string summary = test::read_file(stage.folder / "run_0002/run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("program_tools":{"value":"mine","source":"--tool"})"));
    CHECK_THAT(summary,
               ContainsSubstring(R"("allowed_tools":{"value":"mine","source":"--allow-tool"})"));

    CHECK(stage.run({"--allow-tool", "mine"}).status == 2);
    std::ofstream(file, std::ios::binary) << R"({"name":"mine"})";
    const auto wrong = stage.run({"--tool", file.string()});
    CHECK(wrong.status == 2);
    CHECK_THAT(wrong.err, ContainsSubstring(R"(mine.json: "description" is missing)"));
    CHECK_FALSE(std::filesystem::exists(stage.folder / "run_0003"));
}

TEST_CASE("tools of an MCP server are offered, and denied if the user cannot be asked") {
    RunStage stage;
    const std::filesystem::path file = stage.folder / "mcp.json";
    std::ofstream(file, std::ios::binary)
        << R"({"mcpServers":{"mine":{"command":")"
        << (test::program_folder() / "eyehand-test-mcp-server").generic_string()
        << R"(","args":["2026-07-28"],"env":{"KEY":"my-secret"}}}})";
    const auto run = [&](std::vector<std::string> more) {
        stage.answer("", "mine__echo", R"({"city":"Rome"})");
        stage.answer("done");
        more.insert(more.begin(), {"--mcp-config", file.string()});
        return stage.run(std::move(more));
    };
    const auto refused = run({});
    INFO(refused.err);
    CHECK(refused.status == 0);
    CHECK_THAT(stage.server.requests().at(0).body, ContainsSubstring(R"("name":"mine__echo")"));
    CHECK_THAT(stage.server.requests().at(1).body, ContainsSubstring("no user can be asked"));

    CHECK(run({"--allow-tool", "mine__echo"}).status == 0);
    CHECK_THAT(stage.server.requests().at(3).body, ContainsSubstring("Rome") &&
                                                       ContainsSubstring("untrusted") &&
                                                       !ContainsSubstring("no user can be asked"));
    const std::string summary = test::read_file(stage.folder / "run_0002/run.json");
    CHECK_THAT(summary,
               ContainsSubstring(R"("mcp_servers":{"value":"mine","source":"--mcp-config"})"));
    CHECK_THAT(summary, !ContainsSubstring("my-secret"));

    std::ofstream(file, std::ios::binary)
        << R"({"mcpServers":{"mine":{"command":"eyehand-no-such-program"}}})";
    const auto absent = stage.run({"--mcp-config", file.string()});
    CHECK(absent.status == 2);
    CHECK_THAT(absent.err, ContainsSubstring("eyehand-no-such-program"));
    CHECK_FALSE(std::filesystem::exists(stage.folder / "run_0003"));
}

TEST_CASE("a program tool does not get the user's API keys") {
    RunStage stage;
    const auto offer = [&](const std::string& variable) {
        const std::filesystem::path file = stage.folder / (variable + ".json");
        std::ofstream(file, std::ios::binary)
            << R"({"name":")" << variable << R"(","description":"d","effect":"reads","command":[)"
            << '"' << (test::program_folder() / "eyehand-test-tool").generic_string() << '"'
            << R"(,"variable",")" << variable << R"("]})";
        stage.answer("", variable);
        return file.string();
    };
    std::vector<std::string> arguments{"run",        "do it",
                                       "--endpoint", stage.server.url(),
                                       "--run-dir",  stage.folder.path().string()};
    for (const char* name : {"EYEHAND_API_KEY", "OPENAI_API_KEY", "EYEHAND_MODEL"})
        arguments.insert(arguments.end(), {"--tool", offer(name), "--allow-tool", name});
    stage.answer("done");
    const auto result = agent_cli(arguments, {{"EYEHAND_API_KEY", "my-secret"},
                                              {"OPENAI_API_KEY", "my-other-secret"},
                                              {"EYEHAND_MODEL", "no-secret"}});
    INFO(result.err);
    CHECK(result.status == 0);
    REQUIRE(stage.server.requests().size() == 4);
    const std::string told = stage.server.requests().back().body;
    CHECK_THAT(told, ContainsSubstring("(none)") && ContainsSubstring(R"(\"no-secret\")"));
    CHECK_THAT(told, !ContainsSubstring("my-secret") && !ContainsSubstring("my-other-secret"));
}

namespace {

const Answer no_model{.status = 404, .body = R"({"error":"No models loaded."})"};

/// How often `part` is in `text`.
std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

TEST_CASE("the endpoint in a run directory does not get the user's key without the user's order") {
    RunStage stage;
    for (int i = 0; i < 5; ++i) stage.server.enqueue(no_model);
    CHECK(stage.run().status == 4);
    const std::string path = stage.run_path().string();
    const auto key_sent = [&] {
        return stage.server.requests().back().headers.contains("authorization");
    };
    const std::string api_key = R"("api_key":{"value":"set")";
    const auto summary = [&] { return test::read_file(stage.run_path() / "run.json"); };

    const auto elsewhere = agent_cli({"resume", path}, {{"EYEHAND_API_KEY", "my-secret"}});
    CHECK(elsewhere.status == 4);
    CHECK(stage.server.requests().size() == 2);
    CHECK_FALSE(key_sent());
    CHECK_THAT(elsewhere.err, ContainsSubstring(stage.server.url()));
    CHECK_THAT(elsewhere.err, ContainsSubstring("no key is sent there"));
    CHECK_THAT(summary(), !ContainsSubstring(api_key));

    // Only scheme, host and port must match.
    const auto same = agent_cli({"resume", path}, {{"EYEHAND_API_KEY", "my-secret"},
                                                   {"LMSTUDIO_ENDPOINT", stage.server.url()}});
    CHECK(key_sent());
    CHECK_THAT(same.err, !ContainsSubstring("no key"));
    CHECK_THAT(summary(), ContainsSubstring(api_key));
    CHECK(agent_cli({"resume", path, "--endpoint", stage.server.url()},
                    {{"EYEHAND_API_KEY", "my-secret"}})
              .status == 4);
    CHECK(key_sent());

    // Without a key, there is no message that it is not sent.
    const auto without = agent_cli({"resume", path});
    CHECK_THAT(without.err, ContainsSubstring(stage.server.url()));
    CHECK_THAT(without.err, !ContainsSubstring("no key"));
}

TEST_CASE("an untrusted file chooses neither the server of a run nor its panel nor its folder") {
    ChatServer attacker;
    test::Workspace workspace;
    workspace.write(R"({"endpoint": ")" + attacker.url() +
                    R"(", "panel": true, "host": "0.0.0.0", "panel_compat": true,
                        "run_dir": "elsewhere", "connect_timeout": 7})");
    const auto result =
        workspace.agent_cli({"run", "do it", "--retries", "0"}, {{"EYEHAND_API_KEY", "my-secret"}});
    INFO(result.err);
    CHECK(attacker.connections() == 0);
    CHECK_THAT(result.err, !ContainsSubstring("panel: http"));
    CHECK_THAT(result.err, ContainsSubstring("eyehand.json is not trusted"));
    CHECK_FALSE(std::filesystem::exists(workspace.folder / "elsewhere"));
    const std::string summary = test::read_file(workspace.folder / "runs/run_0001/run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("connect_timeout_ms":{"value":"7000")"));
    CHECK_THAT(summary, ContainsSubstring(R"("host":{"value":"127.0.0.1","source":"default"})"));
}

TEST_CASE("a run directory does not get the key although an untrusted file has the same endpoint") {
    RunStage stage;
    for (int i = 0; i < 9; ++i) stage.server.enqueue(no_model);
    CHECK(stage.run().status == 4);
    const std::string path = stage.run_path().string();
    const std::size_t before = stage.server.requests().size();
    const auto key_sent = [&] {
        return stage.server.requests().back().headers.contains("authorization");
    };
    test::Workspace workspace;
    workspace.write(R"({"endpoint": ")" + stage.server.url() + R"("})");
    const auto result = workspace.agent_cli({"resume", path}, {{"EYEHAND_API_KEY", "my-secret"}});
    INFO(result.err);
    REQUIRE(stage.server.requests().size() > before);
    CHECK_FALSE(key_sent());
    CHECK_THAT(result.err, ContainsSubstring("no key is sent there"));

    CHECK(workspace.agent_cli({"trust"}).status == 0);
    (void)workspace.agent_cli({"resume", path}, {{"EYEHAND_API_KEY", "my-secret"}});
    CHECK(key_sent());
}

TEST_CASE("run.json of a resumed run contains the current server settings") {
    RunStage stage;
    stage.server.enqueue({.body = small_server, .headers = {{"Server", "llama.cpp"}}});
    stage.server.enqueue({.body = small_props});
    stage.server.enqueue(no_model);
    CHECK(agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                     stage.folder.path().string(), "--image", "1024x768!", "--no-stream"},
                    {{"EYEHAND_PROBE", "1"},
                     {"LMSTUDIO_TIMEOUT", "30"},
                     {"EYEHAND_API_KEY", "my-secret"},
                     {"http_proxy", "http://127.0.0.1:1"}})
              .status == 4);
    std::string summary = test::read_file(stage.run_path() / "run.json");
    for (const char* then : {"server", "context_tokens", "api_key", "http_proxy"})
        CHECK_THAT(summary, ContainsSubstring("\"" + std::string(then) + "\":{\"value\""));

    stage.server.enqueue(no_model);
    CHECK(agent_cli({"resume", stage.run_path().string(), "--retries", "1"},
                    {{"LMSTUDIO_TIMEOUT", "50"}})
              .status == 4);
    summary = test::read_file(stage.run_path() / "run.json");
    for (const char* now : {R"("timeout_ms":{"value":"50000","source":"LMSTUDIO_TIMEOUT"})",
                            R"("retries":{"value":"1","source":"--retries"})",
                            R"("stream":{"value":"true","source":"default"})",
                            R"("probe":{"value":"false","source":"EYEHAND_PROBE"})",
                            R"("image":{"value":"1024x768!","source":"--image"})",
                            R"("drop_screenshots":{"value":"4","source":"probe"})"})
        CHECK_THAT(summary, ContainsSubstring(now));
    for (const char* then : {"server", "served_model", "context_tokens", "sees_images",
                             "calls_tools", "api_key", "http_proxy"})
        CHECK_THAT(summary, !ContainsSubstring("\"" + std::string(then) + "\":{\"value\""));
    CHECK_THAT(summary, ContainsSubstring(R"("endpoint":{"value":")" + stage.server.url()));
}

TEST_CASE("a run that cannot be resumed is exit code 2 and stays unchanged") {
    RunStage stage;
    stage.server.enqueue(no_model);
    CHECK(stage.run().status == 4);
    const std::filesystem::path journal = stage.run_path() / "events.jsonl";
    const auto resume = [&] { return agent_cli({"resume", stage.run_path().string()}); };
    const std::string whole = test::read_file(journal);
    const auto write = [&](const std::string& text) {
        std::ofstream(journal, std::ios::binary) << text;
    };

    write("no journal\n");
    const auto corrupt = resume();
    CHECK(corrupt.status == 2);
    CHECK_THAT(corrupt.err, ContainsSubstring("events.jsonl, line 1"));
    write("");
    CHECK(resume().status == 2);
    std::filesystem::remove(journal);
    CHECK(resume().status == 2);
    std::filesystem::create_directory(journal);
    CHECK(resume().status == 2); // the journal cannot be written
    std::filesystem::remove(journal);
    write(whole);
    std::ofstream(stage.run_path() / "run.json", std::ios::binary) << "{}";
    CHECK(resume().status == 2);
    CHECK(stage.server.requests().size() == 1);
}

TEST_CASE("http.log contains the probe exactly once, whatever follows") {
    RunStage stage;
    const auto probed = [&] {
        stage.server.enqueue({.body = small_server, .headers = {{"Server", "llama.cpp"}}});
        stage.server.enqueue({.body = small_props});
    };
    const auto asked = [&] {
        return count(test::read_file(stage.run_path() / "http.log"), "/v1/models");
    };
    // With an explicit value of `watch`, the probe cancels no request.
    const std::map<std::string, std::string> probe{{"EYEHAND_PROBE", "1"},
                                                   {"EYEHAND_WATCH", "check"}};
    probed();
    CHECK(agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                     stage.folder.path().string(), "--display", "7"},
                    probe)
              .status == 5);
    const std::size_t once = asked();
    CHECK(once > 0);

    const std::vector<std::string> resume{"resume", stage.run_path().string(), "--endpoint",
                                          stage.server.url()};
    probed();
    CHECK(agent_cli(resume, probe).status == 5); // the display is still unknown
    CHECK(asked() == 2 * once);

    probed();
    stage.answer("done");
    auto anywhere = resume;
    anywhere.insert(anywhere.end(), {"--display", "all"});
    CHECK(agent_cli(anywhere, probe).status == 0);
    CHECK(asked() == 3 * once);

    // A run that cannot be resumed stays unchanged.
    probed();
    CHECK(agent_cli(anywhere, probe).status == 2);
    CHECK(asked() == 3 * once);
}

TEST_CASE("no run starts if actions require approval and the user cannot be asked") {
    RunStage stage;
    const auto result = stage.run({"--approve", "always"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("there is no terminal and no panel to ask"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("--annotate panel requires a panel") {
    RunStage stage;
    const auto result = stage.run({"--annotate", "panel"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("turn it on (--panel)"));
}

TEST_CASE("each run writes its report, whatever its outcome, and prints the path") {
    RunStage stage;
    stage.answer("It is done.");
    const auto result = stage.run();
    const std::filesystem::path report = stage.run_path() / "report.html";
    CHECK_THAT(result.err, ContainsSubstring("report: " + report.generic_string() + "\n"));
    CHECK_THAT(test::read_file(report), ContainsSubstring("It is done."));

    const auto failed = agent_cli({"run", "do it", "--endpoint", "http://127.0.0.1:1", "--run-dir",
                                   stage.folder.path().string()});
    CHECK(failed.status == 4);
    CHECK_THAT(failed.err, ContainsSubstring("run_0002/report.html"));
    CHECK_THAT(test::read_file(stage.folder / "run_0002/report.html"),
               ContainsSubstring("nothing listens"));
}

TEST_CASE("the report command writes a report again and prints its path") {
    RunStage stage;
    stage.answer("It is done.");
    const auto result = stage.run({"--quiet"});
    CHECK_THAT(result.err, !ContainsSubstring("report"));
    const std::filesystem::path report = stage.run_path() / "report.html";
    std::filesystem::remove(report);
    const auto made = agent_cli({"report", stage.run_path().string()});
    CHECK(made.status == 0);
    CHECK(made.out == report.generic_string() + "\n");
    CHECK(made.err.empty());
    CHECK(std::filesystem::file_size(report) > 10000);
    std::ofstream(stage.run_path() / "run.json") << "{";
    CHECK(agent_cli({"report", stage.run_path().string()}).status == 1);
}

TEST_CASE("a report that cannot be written is reported and does not change the exit code") {
    RunStage stage;
    stage.answer("", "observe_screen");
    CHECK(stage.run({"--max-turns", "1"}).status == 3);
    const std::filesystem::path report = stage.run_path() / "report.html";
    std::filesystem::remove(report);
    std::filesystem::create_directories(report / "in the way");
    stage.answer("It is done.");
    const auto result = agent_cli({"resume", stage.run_path().string(), "--endpoint",
                                   stage.server.url(), "--max-turns", "5"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.err, ContainsSubstring("no report was written: "));
}

TEST_CASE("a cassette recorded by one run answers another run instead of the model") {
    RunStage stage;
    const std::string cassette = (stage.folder / "run.cassette").string();
    stage.answer("", "type_text", R"({"text":"a"})");
    stage.answer("It is done.");
    const auto recorded = stage.run({"--no-probe", "--record", cassette});
    INFO(recorded.err);
    CHECK(recorded.status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("record":{"value":)"));
    const std::size_t asked = stage.server.requests().size();

    const auto replayed = stage.run({"--replay", cassette});
    INFO(replayed.err);
    CHECK(replayed.status == 0);
    CHECK(replayed.out == "It is done.\n");
    CHECK(stage.server.requests().size() == asked); // the replay needs no server
    CHECK_THAT(test::read_file(stage.folder / "run_0002/events.jsonl"),
               ContainsSubstring(R"("type":"invoked")"));

    // Each request contains the task.
    const auto strict = agent_cli({"run", "another task", "--run-dir", stage.folder.path().string(),
                                   "--replay", cassette, "--replay-strict"});
    CHECK(strict.status == 4);
    CHECK_THAT(strict.err + strict.out, ContainsSubstring("another task"));
}

TEST_CASE("recording does not overwrite a cassette, and a missing cassette cannot be replayed") {
    RunStage stage;
    const std::string cassette = (stage.folder / "run.cassette").string();
    std::ofstream(cassette) << "mine";
    const auto over = stage.run({"--no-probe", "--record", cassette});
    CHECK(over.status == 2);
    CHECK_THAT(over.err, ContainsSubstring("run.cassette"));
    CHECK(test::read_file(cassette) == "mine");
    CHECK(stage.run({"--replay", cassette}).status == 2);
    CHECK(stage.run({"--replay", (stage.folder / "none").string()}).status == 2);
    CHECK(stage.run({"--replay", cassette, "--record", cassette + "2"}).status == 2);
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("verify finds what was changed in a run, also after it was resumed") {
    RunStage stage;
    const std::string key = (stage.folder / "key").string();
    std::ofstream(key) << "a key of more than sixteen bytes\n";
    const std::string run = stage.run_path().string();
    stage.answer("I press it.", "press_key", R"({"key":"f9"})");
    stage.server.enqueue({.status = 404, .body = R"({"error":"No models loaded."})"});
    CHECK(stage.run({"--journal-key-file", key}).status == 4);
    const auto keyless = agent_cli({"resume", run, "--endpoint", stage.server.url()});
    CHECK(keyless.status == 2);
    CHECK_THAT(keyless.err, ContainsSubstring("requires the same key"));
    stage.answer("It is done.");
    CHECK(agent_cli({"resume", run, "--endpoint", stage.server.url(), "--journal-key-file", key})
              .status == 0);

    const auto verified = agent_cli({"verify", run, "--journal-key-file", key});
    INFO(verified.out + verified.err);
    CHECK(verified.status == 0);
    CHECK_THAT(verified.out, StartsWith("no change found: "));
    CHECK_THAT(verified.out, ContainsSubstring("can have been changed without the key"));
    CHECK_THAT(test::read_file(stage.run_path() / "report.html"),
               ContainsSubstring(R"("verification":"no change found, with the key")"));
    CHECK_THAT(agent_cli({"verify", run}).out, ContainsSubstring("the run has a key"));

    std::ofstream(stage.run_path() / "http.log", std::ios::app) << "more\n";
    const auto changed = agent_cli({"verify", run, "--journal-key-file", key});
    CHECK(changed.status == 1);
    CHECK_THAT(changed.out, StartsWith("http.log: has text after its end\n"));
    CHECK(agent_cli({"report", run}).status == 0);
    CHECK_THAT(test::read_file(stage.run_path() / "report.html"),
               ContainsSubstring("Verification: http.log: has text after its end"));
}

TEST_CASE("verify needs a run and a usable key") {
    const test::TempFolder folder;
    const std::string path = folder.path().string();
    const auto no_run = agent_cli({"verify", path});
    CHECK(no_run.status == 2);
    CHECK_THAT(no_run.err, ContainsSubstring("is not a run directory"));
    const std::string key = (folder / "key").string();
    const auto missing = agent_cli({"verify", path, "--journal-key-file", key});
    CHECK(missing.status == 2);
    std::ofstream(key) << "short\n";
    std::filesystem::create_directories(folder / "screenshots");
    std::ofstream(folder / "events.jsonl") << "\n";
    const auto weak = agent_cli({"verify", path, "--journal-key-file", key});
    CHECK(weak.status == 2);
    CHECK_THAT(weak.err, ContainsSubstring("key of 5 bytes"));
}
