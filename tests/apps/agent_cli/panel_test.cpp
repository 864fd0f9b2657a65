// The panel of agent-cli, from the view of an HTTP client.
#include "process.hpp"

#include "client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;

namespace {

namespace json = boost::json;
using test::Client;
using test::Follower;
using test::ProcessResult;
using vlm::testing::ChatServer;
using vlm::testing::completion;

struct PanelStage {
    test::TempFolder folder;
    ChatServer server;

    /// Runs agent-cli; meanwhile calls `act` with the address of its page and a function that
    /// interrupts it.
    template <class Act>
    ProcessResult run(std::vector<std::string> arguments, Act act) {
        const std::filesystem::path err = folder / "told";
        const std::filesystem::path out = folder / "printed";
        const bool shows = arguments.front() == "panel";
        return test::run_program(test::program_folder() / "agent-cli", arguments,
                                 {.variables = {{"EYEHAND_PROBE", "0"}},
                                  .out = out,
                                  .err = err,
                                  .while_running = [&](const std::function<void()>& interrupt) {
                                      act(shows ? test::address_in(out, "http")
                                                : test::address_in(err, "panel: "),
                                          interrupt);
                                  }});
    }
    [[nodiscard]] std::vector<std::string> run_arguments() const {
        return {"run",
                "do it",
                "--panel",
                "--endpoint",
                server.url(),
                "--run-dir",
                folder.path().string()};
    }
};

std::size_t questions(const json::object& state) { return state.at("questions").as_array().size(); }

} // namespace

TEST_CASE("a client with the address of the panel approves an action and receives the outcome") {
    PanelStage stage;
    stage.server.enqueue(
        {.body = completion("", "click_element", R"({"label":"OK","box":[500,500]})")});
    stage.server.enqueue({.body = completion("done")});
    auto arguments = stage.run_arguments();
    arguments.insert(arguments.end(), {"--approve", "always"});
    const auto result = stage.run(arguments, [](const std::string& address, const auto&) {
        const Client client(address);
        CHECK(client.get("/state", {{"Authorization", ""}}).status == 403);
        Follower page(client);
        const json::object state =
            page.until([](const json::object& now) { return questions(now) == 1; });
        CHECK(state.at("task").as_string() == "do it");
        const json::value& id = state.at("questions").at(0).at("id");
        CHECK(client.post("/decide", {{"id", id}, {"granted", true}}).status == 200);
        const json::object& last = page.until_phase("finished");
        CHECK(last.at("outcome").at("outcome").as_string() == "completed");
    });
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(result.out == "done\n");
    CHECK_THAT(stage.server.requests().back().body, ContainsSubstring(R"(\"ok\":true)"));
}

TEST_CASE("the panel stops a run") {
    PanelStage stage;
    stage.server.enqueue(
        {.body = completion("", "click_element", R"({"label":"OK","box":[500,500]})")});
    auto arguments = stage.run_arguments();
    arguments.insert(arguments.end(), {"--approve", "always"});
    const auto result = stage.run(arguments, [](const std::string& address, const auto&) {
        const Client client(address);
        Follower page(client);
        page.until([](const json::object& now) { return questions(now) == 1; });
        CHECK(client.post("/stop").status == 200);
    });
    CHECK(result.status == 130);
    CHECK_THAT(result.err, ContainsSubstring("stopped in the panel"));
}

TEST_CASE("the panel command shows a finished run until Ctrl+C, by default the latest one") {
    PanelStage stage;
    stage.server.enqueue({.body = completion("done")});
    REQUIRE(test::agent_cli({"run", "the first", "--endpoint", stage.server.url(), "--run-dir",
                             stage.folder.path().string()})
                .status == 0);
    stage.server.enqueue({.body = completion("done")});
    REQUIRE(test::agent_cli({"run", "the second", "--endpoint", stage.server.url(), "--run-dir",
                             stage.folder.path().string()})
                .status == 0);
    std::vector<std::string> arguments{"panel"};
    std::string expected;
    SECTION("the latest one") {
        arguments.insert(arguments.end(), {"--run-dir", stage.folder.path().string()});
        expected = "the second";
    }
    SECTION("one that is named") {
        arguments.push_back((stage.folder / "run_0001").string());
        expected = "the first";
    }
    const auto result = stage.run(
        arguments, [&](const std::string& address, const std::function<void()>& interrupt) {
            const Client client(address);
            const json::object state = client.state();
            CHECK(state.at("task").as_string() == expected);
            CHECK(state.at("phase").as_string() == "finished");
            CHECK_FALSE(state.at("live").as_bool());
            CHECK(client.post("/pause").status == 409);
            interrupt();
        });
    CHECK(result.status == 0);
}

TEST_CASE("the panel command refuses a folder without a run") {
    const test::TempFolder folder;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"panel", "--run-dir", folder.path().string()},
          std::vector<std::string>{"panel", folder.path().string()}}) {
        const auto result = test::agent_cli(arguments);
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring("run"));
    }
}

TEST_CASE("resume --panel shows the run") {
    PanelStage stage;
    stage.server.enqueue({.status = 401, .body = R"({"error":{"message":"no key"}})"});
    REQUIRE(test::agent_cli({"run", "do it", "--endpoint", stage.server.url(), "--run-dir",
                             stage.folder.path().string()})
                .status == 4);
    stage.server.enqueue(
        {.body = completion("", "click_element", R"({"label":"OK","box":[500,500]})")});
    stage.server.enqueue({.body = completion("done")});
    const auto result = stage.run(
        {"resume", (stage.folder / "run_0001").string(), "--panel", "--approve", "always"},
        [](const std::string& address, const auto&) {
            const Client client(address);
            Follower page(client);
            const json::object state =
                page.until([](const json::object& now) { return questions(now) == 1; });
            const json::value& id = state.at("questions").at(0).at("id");
            CHECK(client.post("/decide", {{"id", id}, {"granted", false}}).status == 200);
        });
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(stage.server.requests().back().body, ContainsSubstring("denied"));
}
