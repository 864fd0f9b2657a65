#include "certificates.hpp"
#include "http/host.hpp"
#include "http/proxy.hpp"
#include "temp_folder.hpp"
#include "transport.hpp"

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::http::Connection;
using vlm::http::is_exempt;
using vlm::http::Limits;
using vlm::http::parse_proxy;
using vlm::http::proxy_for;
using vlm::http::Url;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using namespace transport;

namespace {

const Url model_at_home{"http", "models.test", 8000, "/v1/chat/completions", ""};
const Url hosted_model{"https", "api.test", 443, "/v1/chat/completions", ""};

vlm::http::ConnectionOptions through(const ChatServer& proxy, const std::string& user = {}) {
    vlm::http::ConnectionOptions options;
    const std::string setting =
        "http://" + user + (user.empty() ? "" : "@") + "127.0.0.1:" + std::to_string(proxy.port());
    options.proxies = {setting, setting, {}};
    options.resolver = [](const std::string&) -> std::vector<std::string> {
        FAIL("a name was looked up that only the proxy needs to know");
        return {};
    };
    return options;
}

Answer status(int code) {
    Answer answer;
    answer.status = code;
    return answer;
}

} // namespace

TEST_CASE("proxy: all forms of the setting are parsed") {
    const auto full = parse_proxy("http://user:pass@Proxy.Test:3128/");
    CHECK(full.host == "proxy.test");
    CHECK(full.port == 3128);
    CHECK(full.authorization == "Basic dXNlcjpwYXNz");
    CHECK(full.shown() == "proxy.test:3128");
    CHECK(parse_proxy("proxy.test:8080").port == 8080);
    CHECK(parse_proxy(" proxy.test ").port == 80);
    CHECK(parse_proxy("http://[::1]:3128").shown() == "[::1]:3128");
    CHECK(parse_proxy("http://u%40h:p%3Aw@proxy.test").authorization == "Basic dUBoOnA6dw==");
    CHECK(parse_proxy("http://u:p@ss@proxy.test").authorization == "Basic dTpwQHNz");
    CHECK(parse_proxy("http://user@proxy.test").authorization == "Basic dXNlcjo=");
    CHECK(parse_proxy("http://u:100%@proxy.test").authorization == "Basic dToxMDAl");
}

TEST_CASE("proxy: the error for an invalid setting does not contain the password") {
    for (const std::string setting :
         {"http://user:secret@", "http://user:secret@host:port", "http://user:secret@ho st",
          "http://user:secret@host:0", "user:secret@host:1:2"}) {
        const vlm::Error error = error_of([&] { (void)parse_proxy(setting); });
        CHECK(error.code() == errc::bad_url);
        CHECK_FALSE(mentions(error, "secret"));
        CHECK(mentions(error, "proxy"));
    }
    for (const std::string setting : {"socks5://user:secret@host", "https://user:secret@host"}) {
        const vlm::Error error = error_of([&] { (void)parse_proxy(setting); });
        CHECK(error.code() == errc::not_supported);
        CHECK_FALSE(mentions(error, "secret"));
    }
}

TEST_CASE("proxy: exempt hosts are recognized") {
    const Url url{"http", "api.models.test", 8000, "/", ""};
    for (const std::string list : {"*", "models.test", ".models.test", "*.models.test",
                                   "api.models.test", "API.Models.Test:8000", "a,models.test",
                                   "a b models.test", " a , models.test ", "models.test:8000"})
        CHECK(is_exempt(url, list));
    for (const std::string list : {"", ",", ".", "other.test", "odels.test", "models.test:80",
                                   "test.api.models.test", "x*", "[", "[::1]"})
        CHECK_FALSE(is_exempt(url, list));
    CHECK(is_exempt({"http", "fd00::1", 80, "/", ""}, "fd00::1"));
    CHECK(is_exempt({"http", "fd00::1", 80, "/", ""}, "[fd00::1]:80"));
    CHECK_FALSE(is_exempt({"http", "fd00::1", 80, "/", ""}, "[fd00::1]:81"));
    CHECK(is_exempt({"http", "10.0.0.1", 80, "/", ""}, "10.0.0.1"));
    CHECK_FALSE(is_exempt({"http", "10.0.0.1", 80, "/", ""}, "0.0.1"));
}

TEST_CASE("proxy: each scheme has its own proxy, and this computer has none") {
    const vlm::Proxies settings{"http://plain:1", "http://secure:2", "direct.test"};
    CHECK(proxy_for(model_at_home, settings)->host == "plain");
    CHECK(proxy_for(hosted_model, settings)->host == "secure");
    CHECK_FALSE(proxy_for({"http", "direct.test", 80, "/", ""}, settings));
    for (const std::string host :
         {"localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
        CHECK_FALSE(proxy_for({"http", host, 80, "/", ""}, settings));
    CHECK(proxy_for({"http", "128.0.0.1", 80, "/", ""}, settings));
    CHECK_FALSE(proxy_for(model_at_home, {}));
}

TEST_CASE("proxy: an invalid setting is an error of the constructor") {
    vlm::http::ConnectionOptions options;
    options.proxies.http = "http://";
    CHECK(error_of([&] { Connection(model_at_home, options); }).code() == errc::bad_url);
}

TEST_CASE("proxy: an http request is sent with the whole URL") {
    ChatServer proxy;
    proxy.enqueue(text("1"));
    proxy.enqueue(text("2"));
    Connection connection(model_at_home, through(proxy, "user:pass"));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(proxy.connections() == 1);
    const auto request = proxy.requests().at(1);
    CHECK(request.target == "http://models.test:8000/v1/chat/completions");
    CHECK(request.headers.at("host") == "models.test:8000");
    CHECK(request.headers.at("proxy-authorization") == "Basic dXNlcjpwYXNz");
}

TEST_CASE("proxy: an https request uses a tunnel and verifies the server's certificate") {
    const certificates::Authority authority;
    const test::TempFile file(authority.pem());
    ChatServer server({.tls = authority.issue({.names = {"DNS:api.test"}})});
    server.enqueue(text("1"));
    server.enqueue(text("2"));
    ChatServer proxy({.connect_to = server.port()});
    auto options = through(proxy, "user:pass");
    options.ca_file = file.name();
    Connection connection(hosted_model, options);
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    REQUIRE(proxy.requests().size() == 1);
    CHECK(proxy.requests().at(0).method == "CONNECT");
    CHECK(proxy.requests().at(0).target == "api.test:443");
    CHECK(proxy.requests().at(0).headers.at("proxy-authorization") == "Basic dXNlcjpwYXNz");
    CHECK(server.requests().at(0).target == "/v1/chat/completions");
    CHECK(server.requests().at(0).headers.count("proxy-authorization") == 0);
    CHECK(server.connections() == 1);

    Connection stranger({"https", "other.test", 443, "/", ""}, options);
    const vlm::Error error = error_of([&] { post(stranger); });
    CHECK(error.code() == errc::untrusted);
    CHECK(mentions(error, "for another host (api.test)"));
}

TEST_CASE("proxy: an idle tunnel that the server closed is replaced") {
    const auto identity = certificates::self_signed({.names = {"DNS:api.test"}});
    const test::TempFile file(identity.certificate_pem);
    ChatServer server({.tls = identity});
    Answer last = text("1");
    last.close = true;
    server.enqueue(last);
    server.enqueue(text("2"));
    ChatServer proxy({.connect_to = server.port()});
    auto options = through(proxy);
    options.ca_file = file.name();
    Connection connection(hosted_model, options);
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(proxy.connections() == 2);
}

TEST_CASE("proxy: the error for a missing proxy names it") {
    const RefusingPort refusing;
    vlm::http::ConnectionOptions options;
    options.proxies.http = "http://user:secret@127.0.0.1:" + std::to_string(refusing.url().port);
    Connection connection(model_at_home, options);
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::unreachable);
    CHECK(mentions(error, "the proxy 127.0.0.1:"));
    CHECK(mentions(error, "models.test:8000"));
    CHECK_FALSE(mentions(error, "secret"));
}

TEST_CASE("proxy: a required password is an error with a remedy, for http and for a tunnel") {
    for (const Url& url : {model_at_home, hosted_model}) {
        for (const std::string user : {"", "user:secret"}) {
            ChatServer proxy;
            proxy.enqueue(status(407));
            Connection connection(url, through(proxy, user));
            const vlm::Error error = error_of([&] { post(connection); });
            CHECK(error.code() == errc::unauthorized);
            CHECK(error.status() == 407);
            CHECK(mentions(error, "the proxy 127.0.0.1:"));
            CHECK(mentions(error, user.empty() ? "requires a user name" : "does not accept"));
            CHECK_FALSE(mentions(error, "secret"));
        }
    }
}

TEST_CASE("proxy: the error for a refused tunnel names the proxy and its status") {
    ChatServer proxy;
    proxy.enqueue(status(403));
    Connection connection(hosted_model, through(proxy));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::unreachable);
    CHECK(mentions(error, "does not connect to api.test:443"));
    CHECK(mentions(error, "403"));
}

TEST_CASE("proxy: a proxy that disconnects, or is not HTTP, is an error") {
    for (const Answer& answer : {reset(), raw("rubbish\r\n\r\n")}) {
        ChatServer proxy;
        proxy.enqueue(answer);
        Connection connection(hosted_model, through(proxy));
        const vlm::Error error = error_of([&] { post(connection); });
        CHECK((error.code() == errc::unreachable || error.code() == errc::bad_response));
    }
}

TEST_CASE("proxy: a tunnel that is never opened ends at the connect timeout") {
    ChatServer proxy;
    proxy.enqueue(silent());
    Connection connection(hosted_model, through(proxy));
    Limits limits;
    limits.connect = 50ms;
    const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "did not connect to api.test within 50 ms"));
    CHECK(proxy.wait_until_disconnected(soon));
}

TEST_CASE("proxy: a stop request ends the wait for a tunnel") {
    ChatServer proxy;
    proxy.enqueue(silent());
    Connection connection(hosted_model, through(proxy));
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] {
                          CHECK(proxy.wait_for_requests(1, soon));
                          stop.request_stop();
                      }) == errc::cancelled);
    CHECK(proxy.wait_until_disconnected(soon));
}

TEST_CASE("host: loopback names and addresses are recognized") {
    using namespace vlm::http;
    CHECK(is_localhost("localhost"));
    CHECK(is_localhost("a.localhost"));
    CHECK_FALSE(is_localhost("notlocalhost"));
    CHECK(is_address("::1"));
    CHECK(is_address("10.0.0.1"));
    CHECK_FALSE(is_address("models.test"));
    CHECK(is_loopback("127.1.2.3"));
    CHECK_FALSE(is_loopback("10.0.0.1"));
}
