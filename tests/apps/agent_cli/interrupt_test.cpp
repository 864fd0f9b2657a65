// Signals to a run whose X server has stopped, and signals that are not meant for it.
#include "process.hpp"

#include "client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"

#include <signal.h>

#include <cstdlib>
#include <thread>

using namespace eyehand;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

/// The server of tests/x11/run; it continues at the end of the test.
class StoppedServer {
public:
    StoppedServer() {
        const char* id = std::getenv("EYEHAND_TEST_X_SERVER");
        REQUIRE(id != nullptr);
        process_ = static_cast<pid_t>(std::strtol(id, nullptr, 10));
    }
    ~StoppedServer() { kill(process_, SIGCONT); }
    StoppedServer(const StoppedServer&) = delete;
    StoppedServer& operator=(const StoppedServer&) = delete;
    void stop() const { kill(process_, SIGSTOP); }

private:
    pid_t process_ = 0;
};

bool contains(const std::filesystem::path& file, const std::string& text) {
    return test::read_file(file).find(text) != std::string::npos;
}

} // namespace

TEST_CASE("the third Ctrl+C ends a run whose X server has stopped") {
    const test::TempFolder folder;
    const StoppedServer x_server;
    ChatServer server;
    for (int i = 0; i < 1000; ++i) server.enqueue({.body = completion("", "observe_screen")});
    const auto err = folder / "err";
    const auto result = test::run_program(
        test::program_folder() / "agent-cli",
        {"run", "do it", "--no-probe", "--endpoint", server.url(), "--run-dir",
         folder.path().string()},
        {.err = err, .while_running = [&](const std::function<void()>& interrupt) {
             REQUIRE(test::eventually([&] { return !server.requests().empty(); }));
             x_server.stop();
             interrupt();
             REQUIRE(test::eventually(
                 [&] { return contains(err, "press Ctrl+C again to stop at once"); }));
             interrupt();
             REQUIRE(test::eventually(
                 [&] { return contains(err, "press Ctrl+C again to end the program"); }));
             interrupt();
         }});
    CHECK(result.status == 130);
}

TEST_CASE("agent-cli stop ends a run whose X server has stopped") {
    const test::TempFolder folder;
    const StoppedServer x_server;
    ChatServer server;
    for (int i = 0; i < 1000; ++i) server.enqueue({.body = completion("", "observe_screen")});
    test::ProcessResult stopped;
    const auto result =
        test::agent_cli({"run", "do it", "--no-probe", "--endpoint", server.url(), "--run-dir",
                         folder.path().string()},
                        {}, [&](const std::function<void()>&) {
                            REQUIRE(test::eventually([&] { return !server.requests().empty(); }));
                            x_server.stop();
                            stopped = test::agent_cli({"stop", (folder / "run_0001").string()});
                        });
    CHECK(stopped.status == 0);
    CHECK(result.status == 130);
}

TEST_CASE("the panel ends a run whose X server has stopped") {
    const test::TempFolder folder;
    const StoppedServer x_server;
    ChatServer server;
    for (int i = 0; i < 1000; ++i) server.enqueue({.body = completion("", "observe_screen")});
    const auto err = folder / "err";
    const auto result = test::run_program(
        test::program_folder() / "agent-cli",
        {"run", "do it", "--no-probe", "--panel", "--endpoint", server.url(), "--run-dir",
         folder.path().string()},
        {.err = err, .while_running = [&](const std::function<void()>&) {
             const test::Client client(test::address_in(err, "panel: "));
             REQUIRE(test::eventually([&] { return !server.requests().empty(); }));
             x_server.stop();
             CHECK(client.post("/stop").status == 200);
         }});
    CHECK(result.status == 130);
}

TEST_CASE("Ctrl+C ends a run that has received a signal of another process") {
    const test::TempFolder folder;
    std::ofstream(folder / "poke.json")
        << R"({"name": "poke", "description": "Sends a signal.", "effect": "reads",
               "command": ["sh", "-c", "kill -USR1 $PPID; echo sent"]})";
    ChatServer server;
    server.enqueue({.body = completion("", "poke")});
    for (int i = 0; i < 1000; ++i) server.enqueue({.body = completion("", "observe_screen")});
    const auto result = test::run_program(
        test::program_folder() / "agent-cli",
        {"run", "do it", "--no-probe", "--endpoint", server.url(), "--run-dir",
         folder.path().string(), "--tool", (folder / "poke.json").string(), "--allow-tool", "poke"},
        {.while_running = [&](const std::function<void()>& interrupt) {
            REQUIRE(test::eventually([&] { return server.requests().size() > 1; }));
            interrupt();
        }});
    INFO(result.err);
    CHECK(result.status == 130);
    CHECK_THAT(server.requests().at(1).body, ContainsSubstring("sent"));
}
