// agent-cli stop
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/keys.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"

using namespace eyehand;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

struct StopStage {
    test::TempFolder folder;
    ChatServer server;

    /// Runs agent-cli, whose model never answers; calls `act` when it is waiting for the model.
    test::ProcessResult run(const std::function<void()>& act,
                            const std::vector<std::string>& more = {}) {
        server.enqueue({.never = true});
        std::vector<std::string> arguments{
            "run",        "do it",     "--no-probe",          "--endpoint",
            server.url(), "--run-dir", folder.path().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return test::agent_cli(arguments, {}, [&](const std::function<void()>&) {
            REQUIRE(test::eventually([&] { return !server.requests().empty(); }));
            act();
        });
    }
    [[nodiscard]] std::filesystem::path run_path() const { return folder / "run_0001"; }
};

} // namespace

TEST_CASE("stop ends a run whose model does not answer") {
    StopStage stage;
    std::vector<std::string> stop{"stop"};
    SECTION("the run is named") { stop.push_back(stage.run_path().string()); }
    SECTION("the latest run in progress") {
        stop.insert(stop.end(), {"--run-dir", stage.folder.path().string()});
    }
    SECTION("at once") { stop.insert(stop.end(), {stage.run_path().string(), "--now"}); }
    test::ProcessResult stopped;
    std::string last_event;
    const auto result = stage.run([&] {
        stopped = test::agent_cli(stop);
        last_event = test::lines_of(stage.run_path() / "events.jsonl").back();
    });
    INFO(stopped.err);
    CHECK(stopped.status == 0);
    CHECK_THAT(last_event, ContainsSubstring(R"("type":"run_finished")"));
    CHECK(result.status == 130);
    CHECK_THAT(result.err, ContainsSubstring("stopped with agent-cli stop"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path() / "stop_request"));
    CHECK_FALSE(std::filesystem::exists(stage.run_path() / "stop_request.taken"));
}

TEST_CASE("the stop key ends a run whose model does not answer") {
    StopStage stage;
    const auto desktop = winio::open_desktop();
    const auto press = [&](const char* chord) {
        for (const winio::Step& step : winio::gesture::press(*winio::parse_chord(chord)).steps)
            REQUIRE(desktop->send(std::get<winio::Batch>(step.effect)).complete());
    };
    const bool is_another = GENERATE(false, true);
    const char* const chord = is_another ? "ctrl+alt+f9" : "ctrl+alt+pause";
    const auto result =
        stage.run([&] { press(chord); }, is_another ? std::vector<std::string>{"--stop-key", chord}
                                                    : std::vector<std::string>{});
    CHECK(result.status == 130);
    CHECK_THAT(result.err, ContainsSubstring("stopping; press " + std::string(chord)));
}

TEST_CASE("a stop key that is not a chord is a mistake of the caller") {
    const StopStage stage;
    const auto result =
        test::agent_cli({"run", "do it", "--no-probe", "--endpoint", stage.server.url(),
                         "--run-dir", stage.folder.path().string(), "--stop-key", "ctrl+nope"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("stop_key"));
}

TEST_CASE("stop without a run in progress is exit code 2") {
    StopStage stage;
    stage.server.enqueue({.body = completion("done")});
    REQUIRE(test::agent_cli({"run", "do it", "--no-probe", "--endpoint", stage.server.url(),
                             "--run-dir", stage.folder.path().string()})
                .status == 0);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"stop", stage.run_path().string()},
          std::vector<std::string>{"stop", (stage.folder / "nowhere").string()},
          std::vector<std::string>{"stop", "--run-dir", stage.folder.path().string()}}) {
        const auto result = test::agent_cli(arguments);
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring("run in progress"));
    }
    CHECK_FALSE(std::filesystem::exists(stage.run_path() / "stop_request"));
}

TEST_CASE("a request from before a run does not stop it") {
    StopStage stage;
    stage.server.enqueue({.status = 401, .body = R"({"error":{"message":"no key"}})"});
    REQUIRE(test::agent_cli({"run", "do it", "--no-probe", "--endpoint", stage.server.url(),
                             "--run-dir", stage.folder.path().string()})
                .status == 4);
    std::ofstream(stage.run_path() / "stop_request") << "at_once";
    stage.server.enqueue({.body = completion("done")});
    CHECK(test::agent_cli({"resume", stage.run_path().string(), "--no-probe"}).status == 0);
}
