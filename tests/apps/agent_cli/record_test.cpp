// A run that agent-cli records on a real desktop, and its replay.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"

using namespace eyehand;
using test::agent_cli;
using vlm::testing::ChatServer;
using vlm::testing::completion;

TEST_CASE("a run recorded on a real desktop replays identically") {
    const test::TempFolder folder;
    ChatServer server;
    server.enqueue({.body = completion("", "scroll_at_position", R"({"box":[500,500]})")});
    server.enqueue({.body = completion("", "click_element", R"({"label":"it","box":[500,500]})")});
    server.enqueue({.body = completion("", "press_key", R"({"key":"escape"})")});
    server.enqueue({.body = completion("", "observe_screen", "{}")});
    server.enqueue({.body = completion("Done.")});
    const auto run = agent_cli({"run", "look", "--no-probe", "--endpoint", server.url(),
                                "--record-desktop", "--run-dir", folder.path().string()});
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto replay = agent_cli({"replay", (folder / "run_0001").string()}, {{"DISPLAY", ""}});
    INFO(replay.out << replay.err);
    CHECK(replay.status == 0);
    CHECK_THAT(replay.out,
               Catch::Matchers::StartsWith("identical: ") && !ContainsSubstring("not compared"));
    const auto verify = agent_cli({"verify", (folder / "run_0001").string()});
    INFO(verify.out);
    CHECK(verify.status == 0);
}
