// Faults of servers and networks below the level of chat completions, on real sockets.
#include "transport.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::http::Connection;
using vlm::http::Response;
using vlm::testing::Answer;
using vlm::testing::byte_by_byte;
using vlm::testing::ChatServer;
using vlm::testing::chunk;
using vlm::testing::chunked_head;
using vlm::testing::Gate;
using vlm::testing::gzipped;
using vlm::testing::Repeated;
using namespace transport;

namespace {

constexpr std::string_view small_answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void ignored(const Response&, std::string_view) {}

Answer encoded(std::string encoding, std::string body) {
    Answer answer = text(std::move(body));
    answer.headers = {{"Content-Encoding", std::move(encoding)}};
    return answer;
}

} // namespace

// --- Limits -------------------------------------------------------------------------------------

TEST_CASE("limits: an answer that does not start causes a timeout for the first byte") {
    ChatServer server;
    server.enqueue(silent());
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection, "{}", {.first_byte = 60ms}); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "did not begin its answer within 60 ms"));
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("limits: the first-byte limit does not apply to an answer that has started") {
    ChatServer server;
    const Gate gate;
    server.enqueue(parts({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", gate}));
    Connection connection(url_of(server));
    const vlm::Error error =
        error_of([&] { post(connection, "{}", {.first_byte = soon, .silence = 70ms}); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "sent nothing for 70 ms"));
}

TEST_CASE("limits: the idle limit also applies to the header") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 200 OK\r\nContent-Le"));
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection, "{}", {.silence = 70ms}); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "sent nothing for "));
}

TEST_CASE("limits: interim answers do not start the idle clock") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 100 Continue\r\n\r\n"));
    Connection connection(url_of(server));
    const vlm::Error error =
        error_of([&] { post(connection, "{}", {.first_byte = 300ms, .silence = 20ms}); });
    CHECK(mentions(error, "did not begin its answer within 300 ms"));
}

TEST_CASE("limits: a slow answer is complete if no pause reaches the idle limit") {
    ChatServer server;
    const Gate gate;
    server.enqueue(parts(byte_by_byte(small_answer, gate)));
    Connection connection(url_of(server));
    std::string body;
    CHECK(interrupted([&] { body = post(connection, "{}", {.silence = soon}).body; },
                      [&] {
                          for (std::size_t i = 1; i < small_answer.size(); ++i) {
                              CHECK(gate.wait_until_reached(i, soon));
                              gate.pass();
                          }
                      }) == std::error_code());
    CHECK(body == "ok");
}

TEST_CASE("limits: a slow answer ends at the total limit") {
    ChatServer server;
    const Gate gate;
    server.enqueue(parts(byte_by_byte(small_answer, gate)));
    gate.pass(10);
    Connection connection(url_of(server));
    const vlm::Error error =
        error_of([&] { post(connection, "{}", {.silence = soon, .total = 80ms}); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "did not complete its answer within 80 ms"));
}

TEST_CASE("limits: an answer that flows without end ends at the total limit") {
    ChatServer server;
    constexpr std::uint64_t forever = std::uint64_t{1} << 50;
    server.enqueue(parts({chunked_head(), Repeated{chunk(std::string(16384, 'x')), forever}}));
    Connection connection(url_of(server));
    const vlm::Error error =
        error_of([&] { post(connection, "{}", {.total = 200ms, .body_bytes = 0}, {}, ignored); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "did not complete its answer within 200 ms"));
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("limits: the total limit also applies to bytes that have already arrived") {
    ChatServer server;
    server.enqueue(text(std::string(600000, 'x'))); // more than one read
    Connection connection(url_of(server));
    constexpr auto total = 300ms;
    const auto end = std::chrono::steady_clock::now() + total;
    const vlm::Error error = error_of([&] {
        post(connection, "{}", {.total = total}, {}, [&](const Response&, std::string_view) {
            // The rest of the answer arrives while the caller is busy.
            while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
        });
    });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "did not complete its answer within 300 ms"));
}

TEST_CASE("limits: pauses that are shorter than the idle limit do not extend the total limit") {
    ChatServer server;
    const Gate gate;
    std::vector<vlm::testing::Part> drops{chunked_head()};
    for (int i = 0; i < 100000; ++i) {
        drops.emplace_back(gate);
        drops.emplace_back(chunk(": ping\n"));
    }
    server.enqueue(parts(std::move(drops)));
    Connection connection(url_of(server));
    std::atomic<bool> over = false;
    CHECK(interrupted(
              [&] {
                  try {
                      post(connection, "{}", {.silence = soon, .total = 200ms}, {}, ignored);
                  } catch (...) {
                      over = true;
                      throw;
                  }
              },
              [&] {
                  for (std::size_t i = 1; !over && i < 100000; ++i) {
                      if (gate.wait_until_reached(i, 10ms)) gate.pass();
                  }
              }) == errc::timeout);
}

TEST_CASE("limits: the body of an error answer is cut, and the status still decides") {
    ChatServer server;
    constexpr std::uint64_t forever = std::uint64_t{1} << 50;
    server.enqueue(parts({"HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n",
                          Repeated{chunk(std::string(16384, 'x')), forever}}));
    server.enqueue(text("next"));
    Connection connection(url_of(server));
    const Response response = post(connection, "{}", {.total = soon});
    CHECK(response.status == 503);
    CHECK(response.body.size() == std::size_t{1} << 20);
    CHECK(server.wait_until_disconnected(soon));
    CHECK(post(connection).body == "next");
}

TEST_CASE("limits: the idle limit applies to a server that does not read the request") {
    DeafListener listener;
    Connection connection(listener.url());
    const std::string large(std::size_t{64} << 20, 'x'); // more than sockets buffer
    const vlm::Error error = error_of([&] { post(connection, large, {.silence = 100ms}); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "stopped reading the request for 100 ms"));
}

TEST_CASE("limits: a header above the limit is rejected") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') + "\r\n\r\n"));
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection, "{}", {.header_bytes = 1000}); });
    CHECK(error.code() == errc::bad_response);
    CHECK(mentions(error, "more than the allowed 1000 bytes"));
}

TEST_CASE("limits: without limits, header and body may be long") {
    ChatServer server;
    Answer answer = text(std::string(std::size_t{2} << 20, 'x'));
    answer.headers = {{"X", std::string(200000, 'x')}};
    server.enqueue(answer);
    Connection connection(url_of(server));
    CHECK(post(connection, "{}", {.header_bytes = 0, .body_bytes = 0}).body.size() == std::size_t{2}
                                                                                          << 20);
}

TEST_CASE("limits: an endless chunk line is rejected") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), "5;x=" + std::string(std::size_t{1} << 20, 'x')}));
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection); }).code() == errc::bad_response);
}

// --- Bodies -------------------------------------------------------------------------------------

TEST_CASE("faults: a body of 1 GB with a Content-Length is rejected at once") {
    ChatServer server;
    const std::string block(std::size_t{1} << 20, 'x');
    server.enqueue(
        parts({"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", Repeated{block, 1024}}));
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::response_too_large);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("faults: a body of 1 GB without a Content-Length is rejected at the limit") {
    ChatServer server;
    server.enqueue(
        parts({chunked_head(), Repeated{chunk(std::string(std::size_t{1} << 20, 'x')), 1024}}));
    Connection connection(url_of(server));
    std::size_t taken = 0;
    const vlm::Error error = error_of([&] {
        post(connection, "{}", {.body_bytes = std::size_t{64} << 20}, {},
             [&](const Response&, std::string_view bytes) { taken += bytes.size(); });
    });
    CHECK(error.code() == errc::response_too_large);
    CHECK(taken <= std::size_t{64} << 20);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("faults: a body of 1 GB within the limit is passed on without being stored") {
    ChatServer server;
    server.enqueue(parts({"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n",
                          Repeated{std::string(std::size_t{1} << 20, 'x'), 1024}}));
    Connection connection(url_of(server));
    std::size_t taken = 0;
    std::size_t largest = 0;
    const Response response = post(connection, "{}", {.body_bytes = 0}, {},
                                   [&](const Response& head, std::string_view bytes) {
                                       CHECK(head.body.empty());
                                       taken += bytes.size();
                                       largest = std::max(largest, bytes.size());
                                   });
    CHECK(taken == std::size_t{1} << 30);
    CHECK(largest <= std::size_t{1} << 20);
    CHECK(response.body.empty());
}

TEST_CASE("faults: the surplus of a body longer than its Content-Length does not affect the next "
          "answer") {
    ChatServer server;
    Answer answer = text("ok, and more");
    answer.headers = {{"Content-Length", "2"}};
    server.enqueue(answer);
    server.enqueue(text("right"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "ok");
    CHECK(post(connection).body == "right");
}

TEST_CASE("faults: a body shorter than its Content-Length, on a kept connection, is an error") {
    ChatServer server;
    Answer answer = text("short");
    answer.headers = {{"Content-Length", "100"}};
    server.enqueue(answer);
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection, "{}", {.silence = 50ms}); }).code() == errc::timeout);
}

TEST_CASE("faults: a reset in the middle of the body is an error") {
    ChatServer server;
    Answer answer = parts({"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"});
    answer.reset = true;
    server.enqueue(answer);
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection); }).code() == errc::connection_lost);
}

TEST_CASE("faults: malformed or incomplete chunks are errors") {
    for (const std::string rest :
         {"xyz\r\n", "5\r\nhelloXX5\r\nworld\r\n", "FFFFFFFFFFFFFFFFF\r\n", "-1\r\n"}) {
        CAPTURE(rest);
        ChatServer server;
        server.enqueue(parts({chunked_head(), rest}));
        Connection connection(url_of(server));
        CHECK(error_of([&] { post(connection, "{}", {.total = soon}); }).code() ==
              errc::bad_response);
    }
    for (const std::string rest : {"", "5\r\nhel", "5\r\nhello\r\n", "5\r\nhello\r\n0\r\n"}) {
        CAPTURE(rest);
        ChatServer server;
        Answer answer = parts({chunked_head(), rest});
        answer.close = true;
        server.enqueue(answer);
        Connection connection(url_of(server));
        CHECK(error_of([&] { post(connection, "{}", {.total = soon}); }).code() ==
              errc::connection_lost);
    }
}

TEST_CASE("faults: an HTTP/1.0 answer is read, and its connection is not reused") {
    ChatServer server;
    Answer old = raw("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold");
    server.enqueue(old);
    server.enqueue(text("new"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "old");
    CHECK(post(connection).body == "new");
    CHECK(server.connections() == 2);
}

TEST_CASE("faults: a server that stops listening keeps its open connection") {
    ChatServer server;
    server.enqueue(text("1"));
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    server.stop_listening();
    CHECK(post(connection).body == "2");
    Connection another(url_of(server));
    CHECK(error_of([&] { post(another); }).code() == errc::unreachable);
}

TEST_CASE("faults: no other program gets the port of a server that stopped listening") {
    ChatServer server;
    server.stop_listening();
    using boost::asio::ip::tcp;
    boost::asio::io_context context;
    tcp::acceptor other(context, tcp::v4());
    boost::system::error_code error;
    other.bind(
        {boost::asio::ip::make_address("127.0.0.1"), static_cast<std::uint16_t>(server.port())},
        error);
    CHECK(error == boost::asio::error::address_in_use);
}

TEST_CASE("faults: an IPv6 address has brackets in the Host header") {
    const auto listen = []() -> std::unique_ptr<ChatServer> {
        try {
            return std::make_unique<ChatServer>(vlm::testing::ServerOptions{.address = "::1"});
        } catch (const std::exception&) { // a computer without IPv6
            return nullptr;
        }
    };
    const auto server = listen();
    if (!server) return;
    server->enqueue(text("six"));
    Connection connection(url_of(*server, "::1"));
    CHECK(post(connection).body == "six");
    CHECK(server->requests().at(0).headers.at("host") == "[::1]:" + std::to_string(server->port()));
}

// --- Compression --------------------------------------------------------------------------------

TEST_CASE("compression: the client does not request it") {
    ChatServer server;
    server.enqueue(text("ok"));
    Connection connection(url_of(server));
    post(connection);
    CHECK(server.requests().at(0).headers.at("accept-encoding") == "identity");
}

TEST_CASE("compression: a gzip body is decoded anyway") {
    const std::string long_body(300000, 'x');
    for (const std::string encoding : {"gzip", "x-gzip", "GZIP"}) {
        ChatServer server;
        server.enqueue(encoded(encoding, gzipped(long_body)));
        Connection connection(url_of(server));
        CHECK(post(connection).body == long_body);
    }
    ChatServer server;
    server.enqueue(encoded("gzip", gzipped("one, ") + gzipped("two")));
    server.enqueue(encoded("identity", "as it is"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "one, two");
    CHECK(post(connection).body == "as it is");
}

TEST_CASE("compression: the body limit applies to the decoded size") {
    ChatServer server;
    const std::string bomb = gzipped(std::string(std::size_t{8} << 20, '\0'));
    REQUIRE(bomb.size() < 100000);
    server.enqueue(encoded("gzip", bomb));
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection, "{}", {.body_bytes = std::size_t{1} << 20}); }).code() ==
          errc::response_too_large);
}

TEST_CASE("compression: damaged, incomplete and unsupported encodings are rejected") {
    const std::string good = gzipped("hello, hello, hello, hello");
    std::string damaged = good;
    damaged[good.size() / 2] = static_cast<char>(~damaged[good.size() / 2]);
    for (const Answer& answer : {encoded("gzip", "plain"), encoded("gzip", damaged),
                                 encoded("gzip", good.substr(0, good.size() - 4)),
                                 encoded("br", "x"), encoded("zstd", "x")}) {
        ChatServer server;
        server.enqueue(answer);
        Connection connection(url_of(server));
        CHECK(error_of([&] { post(connection); }).code() == errc::bad_response);
    }
}

// --- Redirections -------------------------------------------------------------------------------

TEST_CASE("redirections: on the same server they are followed with the body") {
    for (const int status : {307, 308}) {
        ChatServer server;
        server.enqueue(redirect(status, "/other?x=1"));
        server.enqueue(text("there"));
        Connection connection(url_of(server));
        CHECK(connection.request({"POST", "/v1", {{"Authorization", "Bearer k"}}, "body"}, {}, {})
                  .body == "there");
        const auto request = server.requests().at(1);
        CHECK(request.method == "POST");
        CHECK(request.target == "/other?x=1");
        CHECK(request.body == "body");
        CHECK(server.connections() == 1);
    }
}

TEST_CASE("redirections: the next request uses the original URL") {
    ChatServer server;
    server.enqueue(redirect(308, server.url() + "/other#fragment"));
    server.enqueue(text("1"));
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(server.requests().at(1).target == "/other");
    CHECK(post(connection).body == "2");
    CHECK(server.requests().at(2).target == "/v1/chat/completions");
}

TEST_CASE("redirections: one that would turn a POST into a GET is returned as the answer") {
    for (const int status : {301, 302, 303}) {
        ChatServer server;
        server.enqueue(redirect(status, "/other"));
        Connection connection(url_of(server));
        CHECK(post(connection).status == status);
        server.enqueue(redirect(status, "/other"));
        server.enqueue(text("there"));
        CHECK(connection.request({"GET", "/v1", {}, {}}, {}, {}).body == "there");
    }
}

TEST_CASE("redirections: to another server they are not followed") {
    ChatServer other;
    for (const std::string& where :
         {other.url() + "/v1?key=secret", std::string("//elsewhere.test/"),
          std::string("http://localhost/")}) {
        ChatServer server;
        server.enqueue(redirect(307, where));
        Connection connection(url_of(server));
        const vlm::Error error = error_of([&] { post(connection); });
        CHECK(error.code() == errc::http_status);
        CHECK(error.status() == 307);
        CHECK(mentions(error, "redirects to http://"));
        CHECK_FALSE(mentions(error, "secret"));
    }
    CHECK(other.connections() == 0);
}

TEST_CASE("redirections: too many are an error") {
    ChatServer server;
    for (int i = 0; i < 10; ++i) server.enqueue(redirect(307, "/again"));
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::bad_response);
    CHECK(mentions(error, "too many times"));
    CHECK(server.requests().size() == 6);
}

TEST_CASE("redirections: an invalid target is an error, a missing one makes a normal answer") {
    ChatServer server;
    server.enqueue(redirect(307, "http://"));
    Answer nowhere;
    nowhere.status = 307;
    server.enqueue(nowhere);
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection); }).code() == errc::bad_response);
    CHECK(post(connection).status == 307);
}

// --- Streaming ----------------------------------------------------------------------------------

TEST_CASE("streaming: the body arrives while the server is still sending") {
    ChatServer server;
    const Gate gate;
    server.enqueue(
        parts({chunked_head(), chunk("data: 1\n\n"), gate, chunk("data: 2\n\n"), gate, chunk("")}));
    server.enqueue(text("next"));
    Connection connection(url_of(server));
    std::vector<std::string> pieces;
    const Response response =
        post(connection, "{}", {}, {}, [&](const Response& head, std::string_view bytes) {
            CHECK(head.status == 200);
            CHECK(head.header("content-type") == "text/event-stream");
            pieces.emplace_back(bytes);
            gate.pass(); // the server continues only after this piece has arrived
        });
    CHECK(pieces == std::vector<std::string>{"data: 1\n\n", "data: 2\n\n"});
    CHECK(response.status == 200);
    CHECK(response.body.empty());
    CHECK(post(connection).body == "next");
    CHECK(server.connections() == 1);
}

TEST_CASE("streaming: a compressed body arrives decoded") {
    ChatServer server;
    server.enqueue(encoded("gzip", gzipped("decoded")));
    Connection connection(url_of(server));
    std::string body;
    post(connection, "{}", {}, {},
         [&](const Response&, std::string_view bytes) { body.append(bytes); });
    CHECK(body == "decoded");
}

TEST_CASE("streaming: the body of an error answer is collected") {
    ChatServer server;
    Answer failure = text("why");
    failure.status = 400;
    server.enqueue(failure);
    Connection connection(url_of(server));
    const Response response = post(connection, "{}", {}, {}, [](const Response&, std::string_view) {
        FAIL("a failure was streamed");
    });
    CHECK(response.body == "why");
}

TEST_CASE("streaming: an exception from the callback closes the connection") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), chunk("1"), Gate()}));
    server.enqueue(text("next"));
    Connection connection(url_of(server));
    CHECK_THROWS_AS(post(connection, "{}", {}, {},
                         [](const Response&, std::string_view) { throw std::domain_error("x"); }),
                    std::domain_error);
    CHECK(server.wait_until_disconnected(soon));
    CHECK(post(connection).body == "next");
}

TEST_CASE("streaming: a stop request from within the callback ends the request") {
    ChatServer server;
    server.enqueue(parts({chunked_head(), chunk("1"), Gate()}));
    Connection connection(url_of(server));
    std::stop_source stop;
    const vlm::Error error = error_of([&] {
        post(connection, "{}", {}, stop.get_token(),
             [&](const Response&, std::string_view) { stop.request_stop(); });
    });
    CHECK(error.code() == errc::cancelled);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("streaming: a truncated stream is an error after the received pieces") {
    ChatServer server;
    Answer answer = parts({chunked_head(), chunk("1")});
    answer.close = true;
    server.enqueue(answer);
    Connection connection(url_of(server));
    std::string body;
    CHECK(error_of([&] {
              post(connection, "{}", {}, {},
                   [&](const Response&, std::string_view bytes) { body.append(bytes); });
          }).code() == errc::connection_lost);
    CHECK(body == "1");
}

TEST_CASE("faults: a request with a line break in a header is rejected and not sent") {
    ChatServer server;
    Connection connection(url_of(server));
    CHECK_THROWS_AS(connection.request({"GET", "/", {{"X", "a\r\nY: b"}}, {}}, {}, {}),
                    std::invalid_argument);
    CHECK_THROWS_AS(connection.request({"GET", "/ HTTP/1.1\r\nX: y", {}, {}}, {}, {}),
                    std::invalid_argument);
    CHECK(server.requests().empty());
}
