// The user's mouse and keyboard stop and pause runs.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "hand.hpp"
#include "temp_folder.hpp"
#ifndef _WIN32
#include "terminal.hpp"

#include <future>
#endif

using namespace eyehand;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

#ifdef _WIN32
using win32_tests::Hand;
#else
using x11_tests::Hand;

/// The bytes of an answer, which follow a gate.
std::string whole_answer(const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}
#endif

struct TakeoverStage {
    test::TempFolder folder;
    ChatServer server;
    Hand hand;

    /// Runs agent-cli, whose model moves the pointer once and then never answers; calls `act` while
    /// it waits for the model.
    test::ProcessResult run(const std::function<void()>& act,
                            const std::vector<std::string>& more = {}) {
        server.enqueue({.body = completion("", "move", R"({"x":300,"y":300})")});
        server.enqueue({.never = true});
        std::vector<std::string> arguments{"run",        "do it",     "--no-probe",
                                           "--with",     "move",      "--endpoint",
                                           server.url(), "--run-dir", folder.path().string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return test::agent_cli(arguments, {}, [&](const std::function<void()>&) {
            REQUIRE(test::eventually([&] { return server.requests().size() >= 2; }));
            act();
        });
    }
};

} // namespace

TEST_CASE("Escape that the user holds stops a run") {
    TakeoverStage stage;
    using winio::NamedKey;
    using winio::Press;
    const auto result =
        stage.run([&] { stage.hand.key(NamedKey::escape, Press::down); }, {"--takeover", "ignore"});
    stage.hand.key(NamedKey::escape, Press::up);
    CHECK(result.status == 130);
    CHECK_THAT(result.err, ContainsSubstring("stopping; hold Escape again"));
}

TEST_CASE("a run that nothing can continue ends when the user uses the mouse, and is resumed") {
    TakeoverStage stage;
    const auto result = stage.run([&] { stage.hand.click(); });
    CHECK(result.status == 130);
    CHECK_THAT(result.err, ContainsSubstring("the user used the mouse or the keyboard"));
    stage.server.enqueue({.body = completion("done")});
    const auto resumed =
        test::agent_cli({"resume", (stage.folder / "run_0001").string(), "--no-probe"});
    INFO(resumed.err);
    CHECK(resumed.status == 0);
}

TEST_CASE("the user's input during a drag breaks it off, and the button is released") {
    test::TempFolder folder;
    ChatServer server;
    Hand hand;
    // Would take a quarter of an hour.
    server.enqueue(
        {.body = completion("", "drag", R"({"label":"A","start":[300,300],"end":[700,700]})")});
    bool is_down = true;
    const auto result =
        test::agent_cli({"run", "do it", "--with", "drag", "--endpoint", server.url(), "--run-dir",
                         folder.path().string()},
                        {{"EYEHAND_DRAG_STEPS", "1000"}, {"EYEHAND_DRAG_STEP_DELAY", "1"}},
                        [&](const std::function<void()>& interrupt) {
                            CHECK(test::eventually([&] { return hand.left_is_down(); }));
                            bool there = false;
                            const auto use = [&] {
#ifdef _WIN32
                                // Under Wine, motion during a drag cannot be told from the program's.
                                hand.key(winio::NamedKey::shift, winio::Press::down);
                                hand.key(winio::NamedKey::shift, winio::Press::up);
#else
                hand.move(there ? winio::Point{100, 100} : winio::Point{300, 100});
#endif
                                there = !there;
                            };
                            const bool released = test::eventually([&] {
                                use();
                                return !(is_down = hand.left_is_down());
                            });
                            for (int i = 0; !released && i < 3; ++i) interrupt();
                        });
    INFO(result.err);
    CHECK(result.status == 130);
    CHECK_FALSE(is_down);
    CHECK_THAT(result.err, ContainsSubstring("the user used the mouse or the keyboard"));
    CHECK(server.requests().size() == 1);
}

#ifndef _WIN32
TEST_CASE("a run on a terminal that the user takes over continues after Enter, and looks first") {
    TakeoverStage stage;
    const std::string move = completion("", "move", R"({"x":700,"y":700})");
    const vlm::testing::Gate gate;
    stage.server.enqueue({.body = completion("", "move", R"({"x":300,"y":300})")});
    stage.server.enqueue({.close = true, .parts = {gate, whole_answer(move)}});
    stage.server.enqueue({.body = completion("done")});
    const auto user = std::async(std::launch::async, [&] {
        const bool asks = gate.wait_until_reached(1, test::patience);
        if (asks) stage.hand.click();
        return asks;
    });
    const auto run =
        test::on_terminal({"run", "do it", "--no-probe", "--with", "move", "--endpoint",
                           stage.server.url(), "--run-dir", stage.folder.path().string()},
                          {"\n"}, "press Enter to continue ", [&] { gate.open(); });
    INFO(run.shown);
    CHECK(run.status == 0);
    CHECK_THAT(run.shown, ContainsSubstring("paused: the mouse or the keyboard was used"));
    const auto requests = stage.server.requests();
    REQUIRE(requests.size() == 3);
    CHECK_THAT(requests.back().body, ContainsSubstring("the user has used the mouse"));
}
#endif
