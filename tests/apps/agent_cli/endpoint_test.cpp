// The flags and variables of all commands that ask a model: retries, authorities, proxies, keys.
// The tests use `ask`, which shares the code with the other commands.
#include "process.hpp"

#include "certificates.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

using namespace eyehand;

namespace {

using test::agent_cli;
using vlm::testing::ChatServer;
using vlm::testing::completion;

using Variables = std::map<std::string, std::string>;

// Not a loopback address, so proxies apply; without a proxy, it leads to this computer.
constexpr const char* unused_address = "http://0.0.0.0:1/v1";

test::ProcessResult ask(const std::string& endpoint, const Variables& variables = {},
                        std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"ask", "hi", "--retries", "0", "--endpoint", endpoint};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return agent_cli(arguments, variables);
}

/// Whether a request to another host reaches the proxy.
bool is_used(const std::string& variable, Variables more = {}) {
    ChatServer proxy;
    proxy.enqueue({.body = completion("through the proxy")});
    more[variable] = proxy.url();
    const auto result = ask(unused_address, more);
    INFO(result.err);
    CHECK(result.status == (proxy.requests().empty() ? 4 : 0));
    return !proxy.requests().empty();
}

/// A proxy that connects OpenAI's host name to a local server.
struct FakeOpenAi {
    test::TempFolder folder;
    certificates::Authority authority;
    ChatServer server{{.tls = authority.issue({.names = {"DNS:api.openai.com"}})}};
    ChatServer proxy{{.connect_to = server.port()}};
    std::string ca_file = (folder / "ca.pem").string();

    FakeOpenAi() { std::ofstream(folder / "ca.pem", std::ios::binary) << authority.pem(); }
    [[nodiscard]] std::string authorization() const {
        const auto headers = server.requests().at(0).headers;
        return headers.contains("authorization") ? headers.at("authorization") : "";
    }
};

} // namespace

TEST_CASE("the flag --retries limits the retries of a request") {
    ChatServer server;
    for (int i = 0; i < 6; ++i)
        server.enqueue({.status = 500, .headers = {{"retry-after-ms", "1"}}});
    CHECK(agent_cli({"ask", "hi", "--endpoint", server.url()}).status == 4);
    CHECK(server.requests().size() == 3);
    CHECK(agent_cli({"ask", "hi", "--retries", "0", "--endpoint", server.url()}).status == 4);
    CHECK(server.requests().size() == 4);
}

TEST_CASE("the proxy for http comes from its variable and is not used for loopback addresses") {
    CHECK(is_used("http_proxy"));
    CHECK_FALSE(is_used("http_proxy", {{"no_proxy", "0.0.0.0"}}));
    CHECK_FALSE(is_used("https_proxy"));
    ChatServer server;
    server.enqueue({.body = completion("hello")});
    CHECK(ask(server.url(), {{"http_proxy", "http://127.0.0.1:1"}}).status == 0);
}

TEST_CASE("the variable of the proxy may be in upper case, except in a CGI program") {
    CHECK(is_used("HTTP_PROXY"));
    CHECK_FALSE(is_used("HTTP_PROXY", {{"NO_PROXY", "*"}}));
    CHECK_FALSE(is_used("HTTP_PROXY", {{"REQUEST_METHOD", "GET"}}));
#ifdef _WIN32
    CHECK_FALSE(is_used("http_proxy", {{"REQUEST_METHOD", "GET"}})); // the same variable on Windows
#else
    CHECK(is_used("http_proxy", {{"REQUEST_METHOD", "GET"}}));
    CHECK(is_used("http_proxy", {{"HTTP_PROXY", "http://127.0.0.1:1"}}));
    CHECK(is_used("HTTP_PROXY", {{"http_proxy", ""}}));
#endif
}

TEST_CASE(
    "an invalid proxy is exit code 2, and the message names the variable but not the password") {
    const auto socks = ask(unused_address, {{"http_proxy", "socks5://user:secret@host:1"}});
    CHECK(socks.status == 2);
    CHECK_THAT(socks.err,
               ContainsSubstring("http_proxy: the proxy setting names a kind of proxy "));
    CHECK_THAT(socks.err, !ContainsSubstring("secret"));
    const auto bad = ask("https://model.test", {{"https_proxy", "http://user:secret@ho st"}});
    CHECK(bad.status == 2);
    CHECK_THAT(bad.err, ContainsSubstring("https_proxy: the proxy setting has no valid host"));
    CHECK_THAT(bad.err, !ContainsSubstring("secret"));
}

TEST_CASE("the flag --ca-file and its variable add a trusted authority") {
    const certificates::Authority authority;
    const test::TempFolder folder;
    std::ofstream(folder / "ca.pem", std::ios::binary) << authority.pem();
    const std::string file = (folder / "ca.pem").string();
    ChatServer server({.tls = authority.issue()});
    for (int i = 0; i < 3; ++i) server.enqueue({.body = completion("hello")});

    const auto stranger = ask(server.url());
    CHECK(stranger.status == 4);
    CHECK_THAT(stranger.err, ContainsSubstring("authority that this computer does not trust"));
    CHECK(ask(server.url(), {}, {"--ca-file", file}).status == 0);
    CHECK(ask(server.url(), {{"EYEHAND_CA_FILE", file}}).status == 0);
    // The flag overrides the variable.
    CHECK(ask(server.url(), {{"EYEHAND_CA_FILE", "missing.pem"}}, {"--ca-file", file}).status == 0);
}

TEST_CASE("an unusable CA file is exit code 2 and named") {
    const test::TempFolder folder;
    const std::string missing = (folder / "missing.pem").string();
    const auto flag = ask("http://127.0.0.1:1", {}, {"--ca-file", missing});
    CHECK(flag.status == 2);
    CHECK_THAT(flag.err, ContainsSubstring("--ca-file is \"" + missing + "\", which cannot be"));
    const auto variable = ask("http://127.0.0.1:1", {{"EYEHAND_CA_FILE", missing}});
    CHECK(variable.status == 2);
    CHECK_THAT(variable.err, ContainsSubstring("EYEHAND_CA_FILE is"));
    CHECK(ask("http://127.0.0.1:1", {}, {"--ca-file", ""}).status == 2);

    std::ofstream(folder / "text.pem") << "no certificate";
    const auto text = ask("https://127.0.0.1:1", {}, {"--ca-file", (folder / "text.pem").string()});
    CHECK(text.status == 2);
    CHECK_THAT(text.err, ContainsSubstring("--ca-file: the file "));
    CHECK_THAT(text.err, ContainsSubstring("contains no certificate"));
}

TEST_CASE("OpenAI's key is sent to OpenAI only") {
    const std::string key = "sk-0123456789";
    FakeOpenAi openai;
    openai.server.enqueue({.body = completion("hello")});
    const auto result = ask("https://API.openai.com/v1", {{"https_proxy", openai.proxy.url()},
                                                          {"EYEHAND_CA_FILE", openai.ca_file},
                                                          {"OPENAI_API_KEY", key}});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(openai.authorization() == "Bearer " + key);

    ChatServer other;
    other.enqueue({.body = completion("hello")});
    CHECK(ask(other.url() + "/https://api.openai.com/", {{"OPENAI_API_KEY", key}}).status == 0);
    CHECK_FALSE(other.requests().at(0).headers.contains("authorization"));
}

TEST_CASE("EYEHAND_API_KEY overrides OPENAI_API_KEY") {
    FakeOpenAi openai;
    openai.server.enqueue({.body = completion("hello")});
    const auto result = ask("https://api.openai.com/v1", {{"https_proxy", openai.proxy.url()},
                                                          {"EYEHAND_CA_FILE", openai.ca_file},
                                                          {"EYEHAND_API_KEY", "mine-0123456789"},
                                                          {"OPENAI_API_KEY", "sk-0123456789"}});
    INFO(result.err);
    CHECK(result.status == 0);
    CHECK(openai.authorization() == "Bearer mine-0123456789");
}
