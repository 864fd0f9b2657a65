// The client and a server that is a program: revisions, calls, and everything that a server can do wrong.
#include "eyehand/mcp/client.hpp"

#include "catch.hpp"
#include "client_stage.hpp"
#include "eventually.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

using namespace eyehand;

namespace {

using namespace std::chrono_literals;

mcp::ClientOptions options_of(std::vector<std::string> arguments) {
    mcp::ClientOptions options{.name = "test"};
    options.command = {test::program_file("eyehand-test-mcp-server").string()};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.connect_timeout = 60s; // only to catch hangs
    options.call_timeout = 60s;
    return options;
}

std::string call(mcp::Client& client, const std::string& tool,
                 const std::string& arguments = "{}") {
    return test::text_in(client.call(tool, arguments));
}

mcp::errc code_of_call(mcp::Client& client, const std::string& tool,
                       const std::string& arguments = "{}") {
    try {
        (void)client.call(tool, arguments);
    } catch (const mcp::Error& error) {
        UNSCOPED_INFO(error.what());
        return static_cast<mcp::errc>(error.code().value());
    }
    return {};
}

std::string content_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return std::move(text).str();
}

} // namespace

TEST_CASE("The client uses the newest revision that the program speaks") {
    for (const std::string revision :
         {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
        CAPTURE(revision);
        mcp::Client client(options_of({revision}));
        CHECK(client.revision().empty());
        CHECK(call(client, "echo", R"({"a":1})") == R"({"a":1})");
        CHECK(client.revision() == revision);
    }
}

TEST_CASE("A program that ignores unknown requests before initialize is an older server") {
    const test::TempFolder folder;
    mcp::Client client(options_of({"2025-11-25", "mute", "note", (folder / "note").string()}));
    CHECK(test::names_of(client).size() == 5);
    CHECK(content_of(folder / "note") ==
          "start\nserver/discover\ninitialize\nnotifications/initialized\n");
}

TEST_CASE("A program that speaks only unknown revisions is refused") {
    mcp::Client newer(options_of({"2027-01-01"}));
    CHECK(code_of_call(newer, "echo") == mcp::errc::not_supported);
    mcp::Client older(options_of({"2023-01-01"}));
    CHECK(code_of_call(older, "echo") == mcp::errc::not_supported);
}

TEST_CASE("A program that does not exist is unreachable, and the message names it") {
    mcp::Client client({.name = "files", .command = {"eyehand-no-such-program"}});
    CHECK_THROWS_WITH(client.tools(), ContainsSubstring("eyehand-no-such-program") &&
                                          ContainsSubstring("\"files\""));
    CHECK(code_of_call(client, "echo") == mcp::errc::unreachable);
}

TEST_CASE("A list of tools may have pages, but not endless ones") {
    mcp::Client client(options_of({"2025-11-25", "pages"}));
    CHECK(test::names_of(client) == std::vector<std::string>{"tool1", "tool2", "tool3"});
    mcp::Client endless(options_of({"2026-07-28", "loop"}));
    CHECK_THROWS_WITH(endless.tools(), ContainsSubstring("again and again"));
}

TEST_CASE("Only allowed tools are listed and called") {
    mcp::ClientOptions options = options_of({"2026-07-28"});
    options.allowed_tools = {"echo", "absent"};
    mcp::Client client(std::move(options));
    CHECK(test::names_of(client) == std::vector<std::string>{"echo"});
    CHECK(code_of_call(client, "fail") == mcp::errc::invalid_params);
}

TEST_CASE("A tool that requires tasks is left out") {
    test::Lines lines;
    mcp::ClientOptions options = options_of({"2025-11-25", "tasks"});
    options.on_log = lines.writer();
    mcp::Client client(std::move(options));
    CHECK(test::names_of(client).size() == 5);
    CHECK_THAT(lines.text(), ContainsSubstring("\"research\" is left out"));
}

TEST_CASE("A failed tool is a result, and an unknown tool an error") {
    mcp::Client client(options_of({"2026-07-28"}));
    const mcp::CallResult failed = client.call("fail", "{}");
    CHECK(failed.is_error);
    CHECK(test::text_in(failed) == "It does not work.");
    CHECK(code_of_call(client, "absent") == mcp::errc::remote_error);
    CHECK(code_of_call(client, "echo", "[1]") == mcp::errc::invalid_params);
    const mcp::CallResult image = client.call("image", "{}");
    REQUIRE(image.content.size() == 1);
    CHECK(std::get<mcp::Image>(image.content[0]) == mcp::Image{{0, 1, 2}, "image/png"});
}

TEST_CASE("The program receives a minimal environment and the variables of the options") {
#ifdef _WIN32
    _putenv_s("EYEHAND_TEST_KEY", "secret");
#else
    setenv("EYEHAND_TEST_KEY", "secret", 1);
#endif
    mcp::ClientOptions options = options_of({"2026-07-28"});
    options.environment = {{"EYEHAND_TEST_GIVEN", "given"}};
    mcp::Client client(std::move(options));
    CHECK(call(client, "variable", R"({"name":"EYEHAND_TEST_KEY"})") == "not set");
    CHECK(call(client, "variable", R"({"name":"EYEHAND_TEST_GIVEN"})") == "given");
    CHECK(call(client, "variable", R"({"name":"PATH"})") != "not set");
}

TEST_CASE("Text that is not a message, and lines of standard error, are logged") {
    test::Lines lines;
    mcp::ClientOptions options = options_of({"2025-11-25", "banner"});
    options.on_log = lines.writer();
    mcp::Client client(std::move(options));
    CHECK(call(client, "complain") == "done");
    CHECK(test::eventually([&] { return lines.contain("second line"); }));
    CHECK_THAT(lines.text(), ContainsSubstring("Server running on stdio\n") &&
                                 ContainsSubstring("first line\nsecond line\n"));
}

TEST_CASE("Progress arrives on the thread of the call") {
    mcp::Client client(options_of({"2026-07-28"}));
    std::vector<mcp::Progress> all;
    const auto thread = std::this_thread::get_id();
    const mcp::CallResult result =
        client.call("progress", "{}", {}, [&](const mcp::Progress& progress) {
            CHECK(std::this_thread::get_id() == thread);
            all.push_back(progress);
        });
    CHECK(test::text_in(result) == "done");
    REQUIRE_FALSE(all.empty()); // only the latest one counts if several arrive at once
    CHECK(all.back().done == 3);
    CHECK(all.back().total == 3);
    CHECK(all.back().message == "step 3");
}

TEST_CASE("The server's own requests are answered") {
    mcp::Client client(options_of({"2025-11-25"}));
    const std::string answers = call(client, "requests");
    CHECK_THAT(answers, ContainsSubstring(R"("id":"ping","result":{})"));
    CHECK_THAT(answers, ContainsSubstring(R"("id":"roots/list","error":{"code":-32601)"));
    CHECK_THAT(answers,
               ContainsSubstring(R"("id":"sampling/createMessage","error":{"code":-32601)"));
}

TEST_CASE("A question to the user is declined without a handler, and answered with one") {
    for (const std::string revision : {"2026-07-28", "2025-11-25"}) {
        CAPTURE(revision);
        mcp::Client silent(options_of({revision}));
        CHECK_THAT(call(silent, "ask"), ContainsSubstring(R"({"action":"decline"})"));

        mcp::ClientOptions options = options_of({revision});
        options.on_elicit = [](const std::string& message, const std::string& schema) {
            CHECK(message == "Which color?");
            CHECK_THAT(schema, ContainsSubstring("shade"));
            return mcp::ElicitResult{mcp::ElicitResult::Action::accept, R"({"color":"red"})"};
        };
        mcp::Client client(std::move(options));
        // With the default of the schema for what the answer leaves out.
        CHECK_THAT(
            call(client, "ask"),
            ContainsSubstring(R"({"action":"accept","content":{"color":"red","shade":"dark"}})"));
    }
    mcp::Client client(options_of({"2026-07-28"}));
    CHECK_THAT(call(client, "ask"), ContainsSubstring("\"opaque\""));
    CHECK(code_of_call(client, "ask_forever") == mcp::errc::bad_message);
}

TEST_CASE("A stopped call ends at once, and the server is told") {
    const test::TempFolder folder;
    const auto file = folder / "note";
    for (const std::string revision : {"2026-07-28", "2025-11-25"}) {
        CAPTURE(revision);
        std::ofstream(file).close();
        mcp::Client client(options_of({revision, "note", file.string()}));
        std::stop_source stop;
        std::jthread stopper([&] {
            (void)test::eventually(
                [&] { return content_of(file).find("hang") != std::string::npos; });
            stop.request_stop();
        });
        try {
            (void)client.call("hang", "{}", stop.get_token());
            FAIL("it returned");
        } catch (const mcp::Error& error) {
            CHECK(error.code() == mcp::errc::cancelled);
        }
        CHECK(test::eventually(
            [&] { return content_of(file).find("cancelled ") != std::string::npos; }));
        CHECK(call(client, "echo") == "{}"); // the same connection
        CHECK(content_of(file).find("start") == content_of(file).rfind("start"));
    }
}

TEST_CASE("A call that takes too long ends, also if the server keeps sending") {
    for (const std::string tool : {"hang", "flood"}) {
        CAPTURE(tool);
        mcp::ClientOptions options = options_of({"2025-11-25"});
        options.call_timeout = 300ms;
        mcp::Client client(std::move(options));
        CHECK(code_of_call(client, tool) == mcp::errc::timeout);
    }
    // Progress extends the time, but not forever.
    mcp::ClientOptions options = options_of({"2025-11-25"});
    options.call_timeout = 50ms;
    mcp::Client client(std::move(options));
    CHECK(code_of_call(client, "progress_forever") == mcp::errc::timeout);
}

TEST_CASE("What a server does wrong is an error with a category") {
    mcp::ClientOptions options = options_of({"2025-11-25"});
    options.call_timeout = 10min; // the server needs its time for 100 MB
    options.max_message_bytes = 1 << 20;
    options.max_restarts = 100;
    mcp::Client client(std::move(options));
    CHECK(code_of_call(client, "exit") == mcp::errc::connection_lost);
    CHECK(code_of_call(client, "bad_utf8") == mcp::errc::bad_message);
    CHECK(code_of_call(client, "bad_json") == mcp::errc::bad_message);
    CHECK(code_of_call(client, "endless_banner") == mcp::errc::bad_message);
    CHECK(code_of_call(client, "endless_line") == mcp::errc::message_too_large);
    CHECK(code_of_call(client, "big", R"({"bytes":100000000})") == mcp::errc::message_too_large);
    CHECK(code_of_call(client, "ping_forever") == mcp::errc::connection_lost);
    CHECK(call(client, "big", R"({"bytes":1000000})").size() == 1000000);
}

TEST_CASE("A server that has ended is started again, but not endlessly") {
    const test::TempFolder folder;
    test::Lines lines;
    mcp::ClientOptions options = options_of({"2025-11-25", "note", (folder / "note").string()});
    options.on_log = lines.writer();
    options.max_restarts = 2;
    mcp::Client client(std::move(options));
    CHECK(code_of_call(client, "exit") == mcp::errc::connection_lost);
    CHECK(call(client, "echo") == "{}");
    CHECK_THAT(lines.text(), ContainsSubstring("started again"));
    for (int i = 0; i < 3; ++i) CHECK(code_of_call(client, "exit") == mcp::errc::connection_lost);
    CHECK(code_of_call(client, "exit") == mcp::errc::unreachable);
    const std::string note = content_of(folder / "note");
    CHECK(std::count(note.begin(), note.end(), '\n') > 4);
}

TEST_CASE("The end of the client ends the server, also one that stays") {
    const test::TempFolder folder;
    const auto file = folder / "note";
    {
        mcp::Client client(options_of({"2026-07-28", "stay", "note", file.string()}));
        CHECK(call(client, "echo") == "{}");
    }
    CHECK_THAT(content_of(file), ContainsSubstring("end of input"));
}

TEST_CASE("A change of the tools is reported") {
    for (const std::string revision : {"2026-07-28", "2025-11-25"}) {
        CAPTURE(revision);
        mcp::Client client(options_of({revision}));
        std::atomic<int> changes{0};
        client.on_tools_changed([&] { ++changes; });
        const std::size_t before = test::names_of(client).size();
        CHECK(call(client, "grow") == "done");
        CHECK(test::eventually([&] { return changes > 0; }));
        CHECK(test::names_of(client).size() == before + 1);
    }
}

TEST_CASE("Several threads use a client at the same time") {
    mcp::Client client(options_of({"2026-07-28"}));
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&client, &right, i] {
                for (int j = 0; j < 20; ++j) {
                    const std::string arguments = "{\"i\":" + std::to_string(i * 100 + j) + "}";
                    if (call(client, "echo", arguments) == arguments) ++right;
                }
            });
    }
    CHECK(right == 160);
}

TEST_CASE("Options that contradict each other are refused") {
    using mcp::Client;
    CHECK_THROWS_AS(Client({.name = "a b", .command = {"x"}}), std::invalid_argument);
    CHECK_THROWS_AS(Client({.name = "a"}), std::invalid_argument);
    CHECK_THROWS_AS(Client({.name = "a", .command = {"x"}, .url = "http://localhost"}),
                    std::invalid_argument);
    CHECK_THROWS_AS(Client({.name = "a", .url = "http://localhost", .headers = {{"A", "b\nc"}}}),
                    std::invalid_argument);
}
