// Tools of servers in a toolbox, and servers in a configuration.
#include "eyehand/agent/error.hpp"
#include "eyehand/mcp/client.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/winio/error.hpp"

#include "catch.hpp"
#include "program.hpp"
#include "tool_bench.hpp"

#include <algorithm>
#include <chrono>

using namespace eyehand;

namespace {

using namespace std::chrono_literals;

mcp::ClientOptions scripted(std::vector<std::string> arguments) {
    mcp::ClientOptions options{.name = "test"};
    options.command = {test::program_file("eyehand-test-mcp-server").string()};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    options.connect_timeout = 60s;
    return options;
}

std::string problem_with(const std::string& text) {
    try {
        (void)mcp::parse_servers(text, "here.json");
        return "none";
    } catch (const mcp::Error& error) {
        CHECK(error.code() == mcp::errc::bad_config);
        return error.what();
    }
}

} // namespace

TEST_CASE("Tools of a server are offered under its name, with their schemas") {
    test::ToolBench bench(scripted({"2026-07-28"}));
    const std::vector<vlm::ToolSpec> specs = bench.tools.specs();
    REQUIRE(specs.size() == 5);
    CHECK(specs[0].name == "test__echo");
    CHECK(specs[0].description == "Does echo.");
    CHECK_THAT(specs[0].parameters_json, ContainsSubstring(R"("type":"object")"));
    mcp::Client again(scripted({"2026-07-28"}));
    try {
        bench.tools.add(again);
        FAIL("the names are taken");
    } catch (const agent::Error& error) {
        CHECK(error.code() == agent::errc::duplicate_tool);
    }
}

TEST_CASE("Tools of a server with similar names are offered under different ones") {
    test::ToolBench bench(scripted({"2026-07-28", "similar"}));
    std::vector<std::string> names;
    for (const vlm::ToolSpec& spec : bench.tools.specs()) names.push_back(spec.name);
    const std::string cut = "test__" + std::string(58, 'x');
    CHECK(std::vector(names.begin() + 5, names.end()) ==
          std::vector<std::string>{"test__read_file", "test__read_file_2", cut,
                                   cut.substr(0, 62) + "_2"});
}

TEST_CASE("A call passes on what the server reports while it runs") {
    test::ToolBench bench(scripted({"2026-07-28"}));
    CHECK(bench.call("test__progress").succeeded());
    // A report that the next one overtakes may be left out.
    REQUIRE_FALSE(bench.progress.empty());
    CHECK(bench.progress.back() == "3 step 3");
}

TEST_CASE("The model sees the images in a result") {
    test::ToolBench bench(scripted({"2026-07-28", "images"}));
    const agent::ToolResult result = bench.call("test__picture");
    CHECK_THAT(result.json(), ContainsSubstring(R"(one pixel\n[image 1]\n[image 2]\n)"
                                                R"([image 3]\n[image 4]\n[an image: image/png, )"));
    REQUIRE(result.images().size() == 4);
    CHECK(result.images()[0].media_type == "image/png");
    CHECK(vlm::media_type_of(*result.images()[3].bytes) == "image/png");
    // Three bytes that are not an image.
    const agent::ToolResult broken = bench.call("test__image");
    CHECK_THAT(broken.json(), ContainsSubstring("[an image: image/png, 3 bytes]"));
    CHECK(broken.images().empty());
}

TEST_CASE("A call asks the guard, and its result is untrusted") {
    test::ToolBench bench(scripted({"2025-11-25"}));
    const agent::ToolResult result = bench.call("test__echo", R"({"text":"a secret"})");
    CHECK(result.succeeded());
    CHECK(result.untrusted() == "mcp");
    CHECK(result.has_acted());
    CHECK_THAT(result.json(), ContainsSubstring(R"({\"text\":\"a ***\"})"));
    REQUIRE(bench.asked.size() == 1);
    CHECK(bench.asked[0].kind == agent::EffectKind::program);
    CHECK_THAT(bench.asked[0].details, ContainsSubstring("\"echo\"") &&
                                           ContainsSubstring("\"test\"") &&
                                           ContainsSubstring("a secret"));
    // The server's claim that a tool only reads does not spare the question.
    CHECK_FALSE(bench.call("test__read").succeeded());
    CHECK(bench.asked.size() == 2);

    bench.permitted = false;
    CHECK(bench.call("test__exit").message() == "The user said no.");
    bench.permitted = true;
    CHECK(bench.call("test__echo").succeeded()); // it was not called: the server still runs
}

TEST_CASE("Tools of a server run only in a run with a guard") {
    test::ToolBench bench(scripted({"2025-11-25"}));
    agent::ToolContext outside{bench.desktop, winio::WorkArea(winio::Rect{0, 0, 100, 100}), {}, {}};
    CHECK(bench.tools.call({"id", "test__echo", "{}", {}}, outside).error_type() == "denied");
}

TEST_CASE("Failures of a server are results, except for an interruption") {
    test::ToolBench bench(scripted({"2025-11-25"}));
    CHECK(bench.call("test__exit").error_type() == "connection_lost");
    CHECK(bench.call("test__echo").succeeded());
    CHECK(bench.call("test__read").error_type() == "remote_error"); // it has vanished meanwhile
    bench.now.request_stop();
    CHECK_THROWS_AS(bench.call("test__hang"), winio::Error);
    bench.safe.request_stop();
    CHECK(bench.call("test__echo").error_type() == "not_begun");
}

TEST_CASE("Servers are read from the form that is common among clients") {
    const auto servers = mcp::parse_servers(R"({"mcpServers":{
        "files": {"type":"stdio","command":"npx","args":["-y","server",""],"env":{"A":"b"},"cwd":"work"},
        "web": {"type":"http","url":"https://example.org/mcp","headers":{"Authorization":"Bearer x"},
                "allowedTools":["search"],"timeout":2.5},
        "off": {"command":"x","disabled":true}}})",
                                            "here.json");
    REQUIRE(servers.size() == 2);
    const auto& files = servers[0].name == "files" ? servers[0] : servers[1];
    const auto& web = servers[0].name == "files" ? servers[1] : servers[0];
    CHECK(files.command == std::vector<std::string>{"npx", "-y", "server", ""});
    CHECK(files.environment.at("A") == "b");
    CHECK(files.folder == "work");
    CHECK(web.url == "https://example.org/mcp");
    CHECK(web.headers.at("Authorization") == "Bearer x");
    CHECK(web.allowed_tools == std::vector<std::string>{"search"});
    CHECK(web.call_timeout == 2500ms);
    CHECK(mcp::parse_servers(R"({"a":{"command":"x"}})", "here.json").size() == 1);
    CHECK(mcp::parse_servers("{}", "here.json").empty());
}

TEST_CASE("A mistake in the description of a server is named") {
    CHECK_THAT(problem_with("{"), ContainsSubstring("here.json is not JSON"));
    CHECK_THAT(problem_with("[]"), ContainsSubstring("must contain an object"));
    CHECK_THAT(problem_with(R"({"a":1})"), ContainsSubstring("\"a\" must be an object"));
    CHECK_THAT(problem_with(R"({"a":{}})"), ContainsSubstring("\"command\" or \"url\""));
    CHECK_THAT(problem_with(R"({"a":{"command":"x","url":"http://h"}})"),
               ContainsSubstring("\"command\" or \"url\""));
    CHECK_THAT(problem_with(R"({"a":{"command":"x","arg":[]}})"),
               ContainsSubstring("did you mean \"args\""));
    CHECK_THAT(problem_with(R"({"a":{"command":"x","args":"y"}})"),
               ContainsSubstring("\"args\" must be an array"));
    CHECK_THAT(problem_with(R"({"a":{"command":"x","env":{"A":1}}})"),
               ContainsSubstring("\"env\" must contain only strings"));
    CHECK_THAT(problem_with(R"({"a":{"command":"x","timeout":0}})"),
               ContainsSubstring("\"timeout\" must be from"));
    CHECK_THAT(problem_with(R"({"a b":{"command":"x"}})"), ContainsSubstring("name of a server"));
    CHECK_THAT(problem_with(R"({"a":{"type":"sse","url":"http://h"}})"),
               ContainsSubstring("Streamable HTTP"));
}
