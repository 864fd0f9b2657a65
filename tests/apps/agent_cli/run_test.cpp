// agent-cli on a real desktop, against a real socket: exit codes, messages, and what a run leaves
// behind.
#include "process.hpp"

#include "vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <thread>

namespace {

using test::agent_cli;
using test::ProcessResult;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;

struct Stage {
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

/// A run that ended leaves all its files, whatever ended it.
void check_complete(const Stage& stage, const std::string& outcome) {
    CHECK_THAT(stage.last_event(), ContainsSubstring(R"("type":"run_finished")"));
    CHECK_THAT(stage.last_event(), ContainsSubstring(R"("outcome":")" + outcome + "\""));
    CHECK_THAT(test::read_file(stage.run_path() / "run.json"),
               ContainsSubstring(R"("outcome":")" + outcome + "\""));
    CHECK_THAT(test::read_file(stage.run_path() / "execution_log.txt"),
               ContainsSubstring("RUN FINISHED: " + outcome));
}

} // namespace

TEST_CASE("a run that the model completes is exit code 0 and prints the model's last words") {
    Stage stage;
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

TEST_CASE("a model's mistakes are answered and the run goes on") {
    Stage stage;
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

TEST_CASE("an endpoint that is down is exit code 4 and says what to do") {
    Stage stage;
    const auto result = agent_cli({"run", "do it", "--endpoint", "http://127.0.0.1:1", "--run-dir",
                                   stage.folder.path().string()});
    CHECK(result.status == 4);
    CHECK_THAT(result.err, ContainsSubstring("nothing listens at 127.0.0.1:1"));
    check_complete(stage, "endpoint_failed");
    CHECK_THAT(test::read_file(stage.run_path() / "http.log"), ContainsSubstring("failed: "));
}

TEST_CASE("a server that answers with something else is exit code 4 and a complete run") {
    struct Row {
        Answer answer;
        const char* words;
    };
    const Row row =
        GENERATE(Row{{.content_type = "text/html", .body = "<html>Welcome</html>"}, "HTML"},
                 Row{{.body = "{}"}, "choices"}, Row{{.body = R"({"choices":[]})"}, "choices"},
                 Row{{.status = 404, .body = R"({"error":"no such path"})"}, "no such path"});
    Stage stage;
    stage.server.enqueue(row.answer);
    const auto result = stage.run();
    INFO(result.err);
    CHECK(result.status == 4);
    CHECK_THAT(result.err, ContainsSubstring(row.words));
    check_complete(stage, "endpoint_failed");
}

TEST_CASE("used up steps are exit code 3") {
    Stage stage;
    stage.answer("", "observe_screen");
    CHECK(stage.run({"--max-steps", "1"}).status == 3);
    check_complete(stage, "steps_used_up");
}

TEST_CASE("a display that is not there is exit code 5, names those that are, and leaves a run") {
    Stage stage;
    const auto result = stage.run({"--display", "7"});
    CHECK(result.status == 5);
    CHECK_THAT(result.err, ContainsSubstring("there is no display \"7\", only \""));
    check_complete(stage, "desktop_failed");
    CHECK(agent_cli({"screenshot", (stage.folder / "x.png").string(), "--display", "7"}).status ==
          5);
}

TEST_CASE("a run folder that cannot be made is exit code 2 and names the option") {
    Stage stage;
    std::ofstream(stage.folder / "file") << "x";
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   (stage.folder / "file/runs").string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("cannot be created"));
    CHECK_THAT(result.err, ContainsSubstring("choose another folder with --run-dir"));
}

TEST_CASE("a bad endpoint is exit code 2 before anything is written") {
    Stage stage;
    const auto result = agent_cli({"run", "do it", "--endpoint", "localhost:1234", "--run-dir",
                                   stage.folder.path().string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("localhost:1234"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("a tool that is not there is exit code 2 before anything is written") {
    Stage stage;
    const auto result = stage.run({"--with", "fly"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("there is no tool \"fly\""));
    CHECK_FALSE(std::filesystem::exists(stage.run_path()));
}

TEST_CASE("--quiet leaves the reason of a failure") {
    Stage stage;
    const auto result = agent_cli({"run", "do it", "--quiet", "--endpoint", "http://127.0.0.1:1",
                                   "--run-dir", stage.folder.path().string()});
    CHECK(result.status == 4);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, ContainsSubstring("nothing listens"));
}

TEST_CASE("the variables of the reference systems reach the model and the run") {
    Stage stage;
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
    CHECK_THAT(summary, ContainsSubstring(R"("max_steps":4)"));
    CHECK_THAT(summary, ContainsSubstring(R"("step_delay_ms":10)"));
    CHECK_THAT(summary, ContainsSubstring(R"("screenshots":{"keep":3,"batch":8})"));
    CHECK_THAT(summary, ContainsSubstring(R"("thinks":{"keep":5,"batch":8})"));
    CHECK_THAT(summary, ContainsSubstring(R"("parameters":{"type":"object")"));
    CHECK_THAT(summary + result.err, !ContainsSubstring("in-the-query"));
}

TEST_CASE("a model cannot send control characters to the terminal") {
    Stage stage;
    stage.answer("\x1B[2Jgone", "\x1B]0;title");
    stage.answer("\x1B[31mred\xC2\x9B"
                 "0m");
    const auto result = stage.run();
    CHECK(result.status == 0);
    CHECK(result.out == "[31mred0m\n");
    CHECK_THAT(result.err, !ContainsSubstring("\x1B"));
}

TEST_CASE("--json prints the journal as it happens, and nothing else") {
    Stage stage;
    stage.answer("done");
    const auto result = stage.run({"--json", "--quiet"});
    CHECK(result.status == 0);
    CHECK(result.out == test::read_file(stage.run_path() / "events.jsonl"));
    CHECK(result.err.empty());
}

TEST_CASE("flags count more than variables, and run.json tells where a value came from") {
    Stage stage;
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
    "Ctrl+C while the model thinks is exit code 130, closes the socket and leaves a whole run") {
    Stage stage;
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

TEST_CASE("a run says on standard error why it waits, and run.json how the model was asked") {
    Stage stage;
    const std::map<std::string, std::string> soon{{"retry-after-ms", "1"}};
    stage.server.enqueue({.status = 503, .body = R"({"error":"Loading model"})", .headers = soon});
    stage.server.enqueue({.status = 429, .body = R"({"error":"too much"})", .headers = soon});
    stage.answer("done");
    const auto result = agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                                   stage.folder.path().string(), "--no-stream", "--retries", "1"},
                                  {{"EYEHAND_API_KEY", "my-secret"}});
    CHECK(result.status == 0);
    CHECK(result.out == "done\n");
    CHECK_THAT(result.err, ContainsSubstring("the server loads its model; waiting for it\n"));
    CHECK_THAT(result.err, ContainsSubstring("asking again in 0.0 s (attempt 3): "));
    CHECK_THAT(result.err, ContainsSubstring("too much"));
    CHECK_THAT(stage.server.requests().at(0).body, !ContainsSubstring("\"stream\""));
    const std::string summary = test::read_file(stage.run_path() / "run.json");
    CHECK_THAT(summary, ContainsSubstring(R"("retries":{"value":"1","source":"--retries"})"));
    CHECK_THAT(summary, ContainsSubstring(R"("stream":{"value":"false","source":"--no-stream"})"));
    CHECK_THAT(summary,
               ContainsSubstring(R"-("api_key":{"value":"set","source":"EYEHAND_API_KEY"})-"));
}

TEST_CASE("--quiet is quiet about waiting, too") {
    Stage stage;
    stage.server.enqueue({.status = 503, .headers = {{"retry-after-ms", "1"}}});
    stage.answer("done");
    CHECK(stage.run({"--quiet"}).err.empty());
    CHECK_THAT(stage.server.requests().at(0).body, ContainsSubstring(R"("stream":true)"));
}

TEST_CASE("a screenshot is a PNG of the wanted size") {
    Stage stage;
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

TEST_CASE("a screenshot file that cannot be written is exit code 2 and says why") {
    Stage stage;
    const auto result = agent_cli({"screenshot", (stage.folder / "no/such/folder/x.png").string()});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("cannot be written: does its folder exist"));
}

TEST_CASE("a run whose server went away goes on where it was, at another address") {
    Stage stage;
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
    CHECK_THAT(request, ContainsSubstring("data:image/png;base64,")); // from the run's directory
    CHECK_THAT(request, ContainsSubstring("f9"));
    CHECK_THAT(request, ContainsSubstring("\"name\":\"hotkey\""));
    const auto again = agent_cli({"resume", stage.run_path().string()});
    CHECK(again.status == 2);
    CHECK_THAT(again.err, ContainsSubstring("nothing to go on with"));
    CHECK(agent_cli({"resume", (stage.folder / "nowhere").string()}).status == 2);
}
