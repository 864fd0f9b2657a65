// The servers of the Model Context Protocol in the settings: config, doctor, and files that the user does not trust.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"

namespace {

using test::Workspace;

std::string server_program() {
    return (test::program_folder() / "eyehand-test-mcp-server").generic_string();
}

/// Notes its starts.
std::string servers_in(const Workspace& workspace, const std::string& member = "mcp_servers") {
    return "{\"" + member + R"(":{"mine":{"command":")" + server_program() +
           R"(","args":["2025-06-18","note",")" + (workspace.folder / "note").generic_string() +
           R"("],"env":{"KEY":"my-secret"}}}})";
}

} // namespace

TEST_CASE("config names the servers, and prints none of their secrets") {
    Workspace workspace;
    workspace.write(servers_in(workspace), "mine.json");
    const auto result = workspace.agent_cli({"config", "--json", "--config", "mine.json"});
    INFO(result.err);
    CHECK_THAT(result.out,
               ContainsSubstring(R"("mcp_servers": {"value": "mine", "source": "mine.json:1")"));
    CHECK_THAT(result.out + result.err, !ContainsSubstring("my-secret"));
}

TEST_CASE("doctor connects to each server, and lists its tools") {
    Workspace workspace;
    workspace.write(servers_in(workspace, "mcpServers"), "mine.json");
    workspace.write(R"({"mcpServers":{"absent":{"command":"eyehand-no-such-program"}}})",
                    "mcp.json");
    const auto result =
        workspace.agent_cli({"doctor", "--retries", "0", "--endpoint", "http://127.0.0.1:1",
                             "--config", "mine.json", "--mcp-config", "mcp.json"});
    CHECK_THAT(result.out, ContainsSubstring("pass  mcp       mine: revision 2025-06-18; tools: "
                                             "echo, exit, hang, progress, read"));
    CHECK_THAT(result.out, ContainsSubstring("FAIL  mcp       the server \"absent\" cannot be "
                                             "started: eyehand-no-such-program"));
}

TEST_CASE("a server on another computer is reached through the proxy of the environment") {
    eyehand::vlm::testing::ChatServer proxy;
    Workspace workspace;
    // Not a loopback address, so proxies apply; the model server has one.
    workspace.write(R"({"mcpServers":{"remote":{"url":"http://0.0.0.0:1/mcp"}}})", "mcp.json");
    const auto result = workspace.agent_cli({"doctor", "--retries", "0", "--endpoint",
                                             "http://127.0.0.1:1", "--mcp-config", "mcp.json"},
                                            {{"http_proxy", proxy.url()}});
    INFO(result.out);
    REQUIRE_FALSE(proxy.requests().empty());
    CHECK(proxy.requests().front().target == "http://0.0.0.0:1/mcp");
}

TEST_CASE("an untrusted file starts no servers") {
    Workspace workspace;
    workspace.write(servers_in(workspace));
    const auto result =
        workspace.agent_cli({"doctor", "--retries", "0", "--endpoint", "http://127.0.0.1:1"});
    CHECK_THAT(result.err, ContainsSubstring("not trusted") && ContainsSubstring("mcp_servers"));
    CHECK_THAT(result.out, !ContainsSubstring("mcp "));
    CHECK_FALSE(std::filesystem::exists(workspace.folder / "note"));
}

TEST_CASE("a mistake in a description of servers is named") {
    Workspace workspace;
    workspace.write(R"({"mcp_servers":["npx"]})", "mine.json");
    const auto list = workspace.agent_cli({"config", "--config", "mine.json"});
    CHECK(list.status == 2);
    CHECK_THAT(list.err, ContainsSubstring("mcp_servers") && ContainsSubstring("JSON object"));
    workspace.write(R"({"mcpServers":{"a":{"comand":"x"}}})", "mcp.json");
    const auto server = workspace.agent_cli({"doctor", "--mcp-config", "mcp.json"});
    CHECK(server.status == 2);
    CHECK_THAT(server.err, ContainsSubstring("mcp.json: the server \"a\": \"comand\" is unknown") &&
                               ContainsSubstring("did you mean \"command\""));
    CHECK(workspace.agent_cli({"doctor", "--mcp-config", "absent.json"}).status == 2);
}
