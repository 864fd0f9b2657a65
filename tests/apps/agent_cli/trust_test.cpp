// Files with settings that the user neither named nor trusts, the command `trust`, and the endpoints
// that receive the user's key.
#include "process.hpp"

#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"

#include <algorithm>

using namespace eyehand;

namespace {

using test::Workspace;
using vlm::testing::ChatServer;
using vlm::testing::completion;

using Variables = std::map<std::string, std::string>;

const Variables with_key{{"EYEHAND_API_KEY", "my-secret-key"}};

std::string with_endpoint(const std::string& url) {
    return "{\n  \"endpoint\": \"" + url + "\"\n}\n";
}

std::string row(const std::string& name, const std::string& value, const std::string& source) {
    return "\"" + name + "\": {\"value\": \"" + value + "\", \"source\": \"" + source + "\"";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

TEST_CASE("a file in the working directory redirects neither requests nor the key") {
    ChatServer attacker;
    for (int i = 0; i < 4; ++i) attacker.enqueue({.body = completion("hello")});
    Workspace workspace;
    workspace.write(with_endpoint(attacker.url()));
    const std::vector<std::string> command =
        GENERATE(std::vector<std::string>{"ask", "hi", "--retries", "0"},
                 std::vector<std::string>{"doctor", "--retries", "0"});
    const auto result = workspace.agent_cli(command, with_key);
    INFO(result.err);
    CHECK(attacker.connections() == 0);
    for (const auto& request : attacker.requests())
        CHECK_FALSE(request.headers.contains("authorization"));
    CHECK_THAT(result.err, ContainsSubstring("eyehand.json is not trusted") &&
                               ContainsSubstring("endpoint") &&
                               ContainsSubstring("agent-cli trust") &&
                               ContainsSubstring("--config eyehand.json"));
    CHECK(count(result.err, "not trusted") == 1); // although it is read several times
}

TEST_CASE("settings that require trust are ignored in an untrusted file, others apply") {
    Workspace workspace;
    workspace.write("{\n\"endpoint\": \"http://attacker.test/v1?key=hidden\",\n\"top_p\": 0.25,\n"
                    "\"settle_quiet\": 0.5\n}");
    const auto result = workspace.agent_cli({"config", "--json"});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring(row("top_p", "0.25", "eyehand.json:3")) &&
                               ContainsSubstring(row("settle_quiet", "0.5", "eyehand.json:4")));
    CHECK_THAT(
        result.out,
        ContainsSubstring(row("endpoint", "http://localhost:1234/v1/chat/completions", "default") +
                          ", \"ignored\": {\"value\": \"http://attacker.test/v1\", \"source\": "
                          "\"eyehand.json:2\"}}"));
    CHECK_THAT(result.err, ContainsSubstring("endpoint") && !ContainsSubstring("top_p"));
    CHECK_THAT(result.out + result.err, !ContainsSubstring("hidden"));

    const auto table = workspace.agent_cli({"config"});
    CHECK_THAT(table.out, ContainsSubstring("default; ignored for lack of trust: eyehand.json:2"));
}

TEST_CASE("an untrusted file with harmless settings causes no warning") {
    Workspace workspace;
    workspace.write(R"({"top_p": 0.25, "image": "50%"})");
    const auto result = workspace.agent_cli({"config"});
    CHECK(result.status == 0);
    CHECK(result.err.empty());
}

TEST_CASE(
    "an untrusted file cannot choose the server, tools, access, files or what is controlled") {
    // Without "display", which excludes "window".
    const std::map<std::string, std::string> restricted{
        {"endpoint", "\"http://attacker.test\""},
        {"model", "\"expensive\""},
        {"ca_file", "\"attacker.pem\""},
        {"insecure", "true"},
        {"profile", "\"attacker\""},
        {"text_tool_calls", "\"until_native\""},
        {"coordinates", "\"unit\""},
        {"max_turns", "1000000"},
        {"max_time", "0"},
        {"max_total_tokens", "0"},
        {"max_actions_per_minute", "0"},
        {"max_run_mib", "0"},
        {"journal_key_file", "\"attacker.key\""},
        {"record_desktop", "true"},
        {"stop_key", "\"none\""},
        {"stop_gestures", "false"},
        {"takeover", "\"ignore\""},
        {"redact", "[]"},
        {"redact_own_windows", "false"},
        {"window", "\"Passwords\""},
        {"crop", "\"0,0,1,1\""},
        {"watch", "\"off\""},
        {"with", "[\"launch\"]"},
        {"annotate", "\"panel\""},
        {"guard", "\"off\""},
        {"approve", "\"never\""},
        {"physical_execution", "true"},
        {"boot", "\"click\""},
        {"boot_enabled", "true"},
        {"extended_actions", "true"},
        {"run_dir", "\"elsewhere\""},
        {"log_layout", "\"flat\""},
        {"log_to_file", "false"},
        {"log_level", "\"error\""},
        {"screenshot_prefix", "\"x\""},
        {"screenshot_start", "7"},
        {"lmstudio_logs", "\"elsewhere\""},
        {"panel", "true"},
        {"host", "\"0.0.0.0\""},
        {"port", "80"},
        {"panel_cors", "\"http://attacker.test\""},
        {"panel_compat", "true"},
    };
    std::string text = "{";
    for (const auto& [name, value] : restricted) text += "\"" + name + "\": " + value + ",";
    Workspace workspace;
    workspace.write(text + "}");
    const auto result = workspace.agent_cli({"config", "--json"});
    INFO(result.out << result.err);
    CHECK(result.status == 0);
    CHECK(count(result.out, "\"ignored\"") == restricted.size());
    CHECK_THAT(result.out, !ContainsSubstring("\"source\": \"eyehand.json:1\"},"));
}

TEST_CASE("`trust` pins a file, and a changed file is untrusted again") {
    ChatServer server;
    for (int i = 0; i < 2; ++i) server.enqueue({.body = completion("hello")});
    Workspace workspace;
    const std::string text = with_endpoint(server.url());
    workspace.write(text);
    const auto trust = workspace.agent_cli({"trust"});
    INFO(trust.err);
    CHECK(trust.status == 0);
    CHECK_THAT(trust.out, ContainsSubstring("eyehand.json") && ContainsSubstring("endpoint") &&
                              ContainsSubstring(server.url()));

    const auto trusted = workspace.agent_cli({"ask", "hi", "--retries", "0"}, with_key);
    CHECK(trusted.status == 0);
    CHECK(trusted.err.empty());
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests().at(0).headers.at("authorization") == "Bearer my-secret-key");

    workspace.write(text + " ");
    const auto changed = workspace.agent_cli({"ask", "hi", "--retries", "0"}, with_key);
    CHECK(server.requests().size() == 1);
    CHECK_THAT(changed.err, ContainsSubstring("eyehand.json has changed since you trusted it"));
    CHECK_THAT(workspace.agent_cli({"trust", "--list"}).out, ContainsSubstring("changed"));

    CHECK(workspace.agent_cli({"trust", "eyehand.json"}).status == 0);
    CHECK(workspace.agent_cli({"ask", "hi", "--retries", "0"}).status == 0);
    CHECK(server.requests().size() == 2);
}

TEST_CASE("`trust --list` lists the trusted files, and `trust --revoke` ends the trust") {
    Workspace workspace;
    workspace.write(R"({"model": "mine"})");
    workspace.write(R"({"model": "other"})", "other.json");
    CHECK(workspace.agent_cli({"trust", "--list"}).out.empty());
    CHECK(workspace.agent_cli({"trust"}).status == 0);
    CHECK(workspace.agent_cli({"trust", "other.json"}).status == 0);
    CHECK(workspace.agent_cli({"trust", "other.json"}).status == 0); // once more
    const auto both = workspace.agent_cli({"trust", "--list"});
    CHECK(count(both.out, "\n") == 2);
    CHECK(count(both.out, "trusted ") == 2);
    CHECK_THAT(both.out, ContainsSubstring("/eyehand.json") && ContainsSubstring("/other.json"));

    std::filesystem::remove(workspace.folder / "other.json");
    CHECK_THAT(workspace.agent_cli({"trust", "--list"}).out, ContainsSubstring("missing "));
    CHECK(workspace.agent_cli({"trust", "--revoke", "other.json"}).status == 0);
    CHECK_THAT(workspace.agent_cli({"config"}).out, ContainsSubstring("mine"));
    CHECK(workspace.agent_cli({"trust", "--revoke"}).status == 0);
    CHECK_THAT(workspace.agent_cli({"config"}).err, ContainsSubstring("not trusted"));
    CHECK(workspace.agent_cli({"trust", "--list"}).out.empty());

    const auto again = workspace.agent_cli({"trust", "--revoke"});
    CHECK(again.status == 2);
    CHECK_THAT(again.err, ContainsSubstring("is not a trusted file"));
}

TEST_CASE("a file that cannot be used is not trusted") {
    Workspace workspace;
    const auto missing = workspace.agent_cli({"trust"});
    CHECK(missing.status == 2);
    CHECK_THAT(missing.err, ContainsSubstring("eyehand.json cannot be read"));
    workspace.write("{\"modle\": \"x\"}");
    const auto invalid = workspace.agent_cli({"trust"});
    CHECK(invalid.status == 2);
    CHECK_THAT(invalid.err, ContainsSubstring("did you mean \"model\"?"));
    CHECK_FALSE(std::filesystem::exists(workspace.trust_file()));
}

TEST_CASE("the same text in another folder is not trusted") {
    Workspace workspace;
    workspace.write(R"({"profile": "mine"})");
    std::filesystem::create_directory(workspace.folder / "sub");
    workspace.write(R"({"profile": "mine"})", "sub/eyehand.json");
    CHECK(workspace.agent_cli({"trust"}).status == 0);
    const auto result = workspace.agent_cli({"config", "--json"}, {}, "sub");
    CHECK_THAT(result.out, ContainsSubstring(row("profile", "observer", "default")));
    CHECK_THAT(result.err, ContainsSubstring("not trusted"));
}

TEST_CASE("a file that the user names needs no trust") {
    Workspace workspace;
    workspace.write(R"({"model": "mine"})");
    const std::string used = row("model", "mine", "eyehand.json:1");
    const auto flag = workspace.agent_cli({"config", "--json", "--config", "eyehand.json"});
    CHECK_THAT(flag.out, ContainsSubstring(used));
    CHECK(flag.err.empty());
    const std::string path = (workspace.folder / "eyehand.json").string();
    const auto variable = workspace.agent_cli({"config", "--json"}, {{"EYEHAND_CONFIG", path}});
    CHECK_THAT(variable.out, ContainsSubstring("\"mine\""));
    CHECK(variable.err.empty());
    // A relative path in a variable means another file in each folder.
    const auto relative =
        workspace.agent_cli({"config", "--json"}, {{"EYEHAND_CONFIG", "eyehand.json"}});
    CHECK_THAT(relative.out, !ContainsSubstring(used));
    CHECK_THAT(relative.err, ContainsSubstring("eyehand.json is not trusted"));
}

TEST_CASE("a damaged list of trusted files is exit code 2 and named") {
    Workspace workspace;
    workspace.write(R"({"model": "mine"})");
    CHECK(workspace.agent_cli({"trust"}).status == 0);
    const std::string text =
        GENERATE(as<std::string>(), "", "[]", "{\"format\": 2, \"files\": []}",
                 "{\"format\": 1, \"files\": [{\"file\": \"x\"}]}", "{\"format\": 1}");
    std::ofstream(workspace.trust_file(), std::ios::binary) << text;
    for (const auto& command :
         {std::vector<std::string>{"config"}, std::vector<std::string>{"trust"},
          std::vector<std::string>{"trust", "--list"}}) {
        const auto result = workspace.agent_cli(command);
        CHECK(result.status == 2);
        CHECK_THAT(result.err, ContainsSubstring("trust.json"));
    }
}

#ifndef _WIN32
TEST_CASE("only the user can read and change the list of trusted files") {
    namespace fs = std::filesystem;
    Workspace workspace;
    workspace.write(R"({"model": "mine"})");
    CHECK(workspace.agent_cli({"trust"}).status == 0);
    CHECK(fs::status(workspace.trust_file()).permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write));
    CHECK(fs::status(workspace.trust_file().parent_path()).permissions() == fs::perms::owner_all);

    fs::permissions(workspace.trust_file(), fs::perms::others_write, fs::perm_options::add);
    const auto result = workspace.agent_cli({"config"});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, ContainsSubstring("trust.json") && ContainsSubstring("chmod 600"));
}

TEST_CASE("a link to a trusted file is not trusted: relative paths in it have another meaning") {
    Workspace workspace;
    workspace.write(R"({"profile": "mine"})");
    CHECK(workspace.agent_cli({"trust"}).status == 0);
    std::filesystem::create_directory(workspace.folder / "sub");
    std::filesystem::create_symlink(workspace.folder / "eyehand.json",
                                    workspace.folder / "sub/eyehand.json");
    const auto result = workspace.agent_cli({"config"}, {}, "sub");
    CHECK(result.status == 0);
    CHECK_THAT(result.err, ContainsSubstring("not trusted"));
}

TEST_CASE("a relative configuration folder does not count") {
    Workspace workspace;
    workspace.write(R"({"model": "mine"})");
    const auto trust = workspace.agent_cli({"trust"}, {{"XDG_CONFIG_HOME", "."}, {"HOME", ""}});
    CHECK(trust.status == 2);
    CHECK_THAT(trust.err, ContainsSubstring("HOME"));
    CHECK_FALSE(std::filesystem::exists(workspace.folder / "eyehand"));
    CHECK(workspace
              .agent_cli({"trust"},
                         {{"XDG_CONFIG_HOME", ""}, {"HOME", workspace.user.path().string()}})
              .status == 0);
    CHECK(std::filesystem::exists(workspace.user / ".config/eyehand/trust.json"));
}
#endif

TEST_CASE("a key that travels unencrypted to another computer causes a warning") {
    const auto ask = [](const std::string& endpoint, Variables variables,
                        const std::vector<std::string>& more = {}) {
        // Nothing listens at these addresses; a proxy keeps the names from being looked up.
        variables.try_emplace("http_proxy", "http://127.0.0.1:1");
        variables.try_emplace("https_proxy", "http://127.0.0.1:1");
        std::vector<std::string> arguments{"ask", "hi", "--retries", "0", "--endpoint", endpoint};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return test::agent_cli(arguments, variables).err;
    };
    const std::string warning = "the API key (EYEHAND_API_KEY) is sent to ";
    CHECK_THAT(ask("http://Model.test:8080/v1", with_key),
               ContainsSubstring(warning + "model.test over plain http") &&
                   ContainsSubstring("--insecure"));
    CHECK_THAT(ask("http://192.168.1.20", with_key), ContainsSubstring(warning + "192.168.1.20"));
    CHECK_THAT(ask("http://[fd00::1]:1234", with_key), ContainsSubstring(warning + "fd00::1"));
    CHECK_THAT(ask("http://127.0.0.1.model.test", with_key),
               ContainsSubstring(warning + "127.0.0.1.model.test"));

    for (const char* endpoint : {"https://model.test", "http://localhost:1", "http://127.0.0.1:1",
                                 "http://127.1.2.3:1", "http://[::1]:1", "http://a.localhost:1"}) {
        INFO(endpoint);
        CHECK_THAT(ask(endpoint, with_key), !ContainsSubstring("API key"));
    }
    CHECK_THAT(ask("http://model.test", {}), !ContainsSubstring("API key"));
    CHECK_THAT(ask("http://model.test", with_key, {"--insecure"}), !ContainsSubstring("API key"));
    Variables silenced = with_key;
    silenced["EYEHAND_INSECURE"] = "true";
    CHECK_THAT(ask("http://model.test", silenced), !ContainsSubstring("API key"));
}

TEST_CASE("a redirection to another server gets neither the request nor the key") {
    ChatServer other;
    other.enqueue({.body = completion("hello")});
    ChatServer server;
    server.enqueue({.status = 307, .headers = {{"Location", other.url() + "/v1"}}});
    const auto result =
        test::agent_cli({"ask", "hi", "--retries", "0", "--endpoint", server.url()}, with_key);
    CHECK(result.status == 4);
    CHECK(server.requests().size() == 1);
    CHECK(other.connections() == 0);
    CHECK_THAT(result.err, ContainsSubstring("is not followed"));
}
