#include "transport.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

using namespace eyehand;
using namespace std::chrono_literals;
using vlm::errc;
using vlm::http::Connection;
using vlm::http::Limits;
using vlm::http::Response;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using namespace transport;

TEST_CASE("connection: an answer arrives with status, headers and body") {
    ChatServer server;
    Answer answer = text("hello");
    answer.status = 418;
    answer.headers = {{"X-Extra", "1"}};
    server.enqueue(answer);
    Connection connection(url_of(server));
    const Response response = post(connection);
    CHECK(response.status == 418);
    CHECK(response.body == "hello");
    CHECK(response.header("x-extra") == "1");
    CHECK(response.header("absent").empty());
}

TEST_CASE("connection: the request arrives unchanged") {
    ChatServer server;
    server.enqueue(text("ok"));
    Connection connection(url_of(server));
    connection.request({"POST", "/x?y=1", {{"X-A", "b"}}, "body"}, {}, {});
    const auto request = server.requests().at(0);
    CHECK(request.method == "POST");
    CHECK(request.target == "/x?y=1");
    CHECK(request.body == "body");
    CHECK(request.headers.at("x-a") == "b");
    CHECK(request.headers.at("host") == "127.0.0.1:" + std::to_string(server.port()));
    CHECK(request.headers.at("content-length") == "4");
}

TEST_CASE("connection: two requests use one connection") {
    ChatServer server;
    server.enqueue(text("1"));
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 1);
}

TEST_CASE("connection: a megabyte is sent and received") {
    ChatServer server;
    const std::string large(std::size_t{3} << 20, 'x');
    server.enqueue(text(large));
    Connection connection(url_of(server));
    CHECK(post(connection, large).body == large);
    CHECK(server.requests().at(0).body == large);
}

TEST_CASE("connection: the server can announce that it closes the connection") {
    ChatServer server;
    Answer last = text("1");
    last.headers = {{"Connection", "close"}};
    server.enqueue(last);
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(server.wait_until_disconnected(soon));
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 2);
}

TEST_CASE("connection: an idle connection that the server closed is replaced") {
    ChatServer server;
    Answer last = text("1");
    last.close = true; // without announcing it
    server.enqueue(last);
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 2);
}

TEST_CASE("connection: a kept connection that breaks during the next request is replaced") {
    ChatServer server;
    server.enqueue(text("1"));
    server.enqueue(reset());
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 2);
    CHECK(server.requests().size() == 3);
}

TEST_CASE("connection: a kept connection is replaced only once") {
    ChatServer server;
    server.enqueue(text("1"));
    server.enqueue(reset());
    server.enqueue(reset());
    server.enqueue(text("never asked for"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "1");
    CHECK(error_of([&] { post(connection); }).code() == errc::connection_lost);
    CHECK(server.requests().size() == 3);
}

TEST_CASE("connection: a new connection that breaks before the answer is an error") {
    ChatServer server;
    server.enqueue(reset());
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::connection_lost);
    CHECK(mentions(error, "without an answer"));
    CHECK(server.requests().size() == 1);
}

TEST_CASE("connection: an incomplete answer is an error, and the request is not repeated") {
    for (const std::size_t bytes : {1U, 20U, 60U, 200U}) {
        CAPTURE(bytes);
        ChatServer server;
        Answer cut = text(std::string(1000, 'x'));
        cut.cut_after = bytes;
        server.enqueue(text("1"));
        server.enqueue(cut);
        Connection connection(url_of(server));
        post(connection);
        CHECK(error_of([&] { post(connection); }).code() == errc::connection_lost);
        CHECK(server.requests().size() == 2);
    }
}

TEST_CASE("connection: after an error the next request succeeds") {
    ChatServer server;
    server.enqueue(reset());
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK_THROWS_AS(post(connection), vlm::Error);
    CHECK(post(connection).body == "2");
}

TEST_CASE("connection: a refused connection is an error") {
    const RefusingPort refusing;
    Connection connection(refusing.url());
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::unreachable);
    CHECK(mentions(error, "LM Studio"));
    CHECK(mentions(error, "127.0.0.1:"));
}

TEST_CASE("connection: an unknown host name is an error") {
    // RFC 6761 reserves .invalid for names that do not exist.
    Connection connection({"http", "name.invalid", 80, "/", ""});
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::unreachable);
    CHECK(mentions(error, "name.invalid"));
}

TEST_CASE("connection: a resolver without results, or with malformed ones, is an error") {
    for (const std::vector<std::string>& found :
         {std::vector<std::string>{}, std::vector<std::string>{"rubbish"}}) {
        Connection connection({"http", "name.test", 80, "/", ""},
                              found_by([found](const std::string&) { return found; }));
        CHECK(error_of([&] { post(connection); }).code() == errc::unreachable);
    }
}

TEST_CASE("connection: every address of a name is tried") {
    ChatServer server;
    server.enqueue(text("found"));
    // The server listens on 127.0.0.1 only.
    Connection connection(url_of(server, "name.test"), found_by([](const std::string& host) {
                              CHECK(host == "name.test");
                              return std::vector<std::string>{"127.0.0.2", "::1", "127.0.0.1"};
                          }));
    CHECK(post(connection).body == "found");
}

TEST_CASE("connection: the address that worked last is tried first") {
    ChatServer server;
    Answer last = text("1");
    last.close = true;
    server.enqueue(last);
    server.enqueue(text("2"));
    Connection connection(url_of(server, "name.test"), found_by([](const std::string&) {
                              return std::vector<std::string>{"127.0.0.3", "127.0.0.1"};
                          }));
    CHECK(post(connection).body == "1");
    const DeafListener deaf("127.0.0.3", static_cast<std::uint16_t>(server.port()));
    Limits limits;
    limits.total = soon; // reached only if the address that does not answer is used
    CHECK(post(connection, "{}", limits).body == "2");
}

TEST_CASE("connection: localhost is the loopback addresses, without a lookup") {
    ChatServer server;
    server.enqueue(text("found"));
    Connection connection(url_of(server, "localhost"), found_by([](const std::string&) {
                              FAIL("localhost was looked up");
                              return std::vector<std::string>{};
                          }));
    CHECK(post(connection).body == "found");
    CHECK(server.requests().at(0).headers.at("host") ==
          "localhost:" + std::to_string(server.port()));
}

TEST_CASE("connection: a server without an answer causes a timeout that closes the socket") {
    ChatServer server;
    server.enqueue(silent());
    Connection connection(url_of(server));
    Limits limits;
    limits.total = 50ms;
    const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "50 ms"));
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("connection: an answer that stops in the middle causes a timeout") {
    for (const std::string half : {"HTTP/1.1 200 OK\r\nContent-Le",
                                   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"}) {
        ChatServer server;
        server.enqueue(raw(half));
        Connection connection(url_of(server));
        Limits limits;
        limits.total = 100ms;
        CHECK(error_of([&] { post(connection, "{}", limits); }).code() == errc::timeout);
        CHECK(server.wait_until_disconnected(soon));
    }
}

TEST_CASE("connection: a limit of 0 means no limit") {
    ChatServer server;
    server.enqueue(text("ok"));
    Connection connection(url_of(server));
    CHECK(post(connection, "{}", {.connect = 0ms, .total = -1ms}).body == "ok");
    server.enqueue(text("ok"));
    const auto longest = std::chrono::milliseconds::max();
    CHECK(post(connection, "{}", {.connect = longest, .total = longest}).body == "ok");
}

TEST_CASE("connection: a hanging name lookup causes a timeout") {
    std::promise<void> release;
    std::shared_future<void> released = release.get_future().share();
    Connection connection({"http", "name.test", 80, "/", ""},
                          found_by([released](const std::string&) {
                              released.wait();
                              return std::vector<std::string>{"127.0.0.1"};
                          }));
    Limits limits;
    limits.connect = 20ms;
    const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "name.test"));
    release.set_value();
}

TEST_CASE("connection: a stop request ends a hanging name lookup") {
    std::promise<void> release;
    std::promise<void> asked;
    std::stop_source stop;
    {
        Connection connection(
            {"http", "name.test", 80, "/", ""},
            found_by([released = release.get_future().share(), &asked](const std::string&) {
                asked.set_value();
                released.wait();
                return std::vector<std::string>{"127.0.0.1"};
            }));
        CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                          [&] {
                              asked.get_future().wait();
                              stop.request_stop();
                          }) == errc::cancelled);
    } // destroys the connection before the lookup ends
    release.set_value();
}

TEST_CASE("connection: a stop request before the start sends nothing") {
    ChatServer server;
    Connection connection(url_of(server));
    std::stop_source stop;
    stop.request_stop();
    CHECK(error_of([&] { post(connection, "{}", {}, stop.get_token()); }).code() ==
          errc::cancelled);
    CHECK(server.connections() == 0);
}

TEST_CASE("connection: a stop request while waiting for the answer closes the socket") {
    ChatServer server;
    server.enqueue(silent());
    Connection connection(url_of(server));
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] {
                          CHECK(server.wait_for_requests(1, soon));
                          stop.request_stop();
                      }) == errc::cancelled);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("connection: a stop request in the middle of the answer ends it") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"));
    Connection connection(url_of(server));
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] {
                          CHECK(server.wait_for_requests(1, soon));
                          stop.request_stop();
                      }) == errc::cancelled);
    CHECK(server.wait_until_disconnected(soon));
}

TEST_CASE("connection: a stop request ends a request that the server does not read") {
    DeafListener listener;
    Connection connection(listener.url());
    const std::string large(std::size_t{64} << 20, 'x'); // more than sockets buffer
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, large, {}, stop.get_token()); },
                      [&] { stop.request_stop(); }) == errc::cancelled);
}

TEST_CASE("connection: a request that the server does not read causes a timeout") {
    DeafListener listener;
    Connection connection(listener.url());
    const std::string large(std::size_t{64} << 20, 'x');
    Limits limits;
    limits.total = 100ms;
    CHECK(error_of([&] { post(connection, large, limits); }).code() == errc::timeout);
}

TEST_CASE("connection: after a cancelled request the next one succeeds") {
    ChatServer server;
    server.enqueue(silent());
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] {
                          CHECK(server.wait_for_requests(1, soon));
                          stop.request_stop();
                      }) == errc::cancelled);
    CHECK(post(connection).body == "2");
}

TEST_CASE("connection: a stop request after the answer changes nothing") {
    ChatServer server;
    server.enqueue(text("1"));
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    std::stop_source stop;
    CHECK(post(connection, "{}", {}, stop.get_token()).body == "1");
    stop.request_stop();
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 1);
}

TEST_CASE("connection: a stop request at any time leads to an answer or to a cancellation") {
    using Clock = std::chrono::steady_clock;
    ChatServer server;
    const Answer answer = text(std::string(100000, 'x'));
    // The times are fractions of the duration of a whole exchange. Do not count yields instead: on
    // a busy computer, each yield lasts as long as the other programs run.
    const auto begin = Clock::now();
    server.enqueue(answer);
    Connection first(url_of(server));
    post(first);
    const Clock::duration exchange = std::min<Clock::duration>(Clock::now() - begin, 20ms);
    Connection connection(url_of(server));
    constexpr int rounds = 50;
    for (int round = 0; round < rounds; ++round) {
        server.enqueue(answer);
        std::stop_source stop;
        const std::error_code code =
            interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                        [&, moment = Clock::now() + exchange * round / rounds] {
                            while (Clock::now() < moment) {
                            }
                            stop.request_stop();
                        });
        CHECK((!code || code == errc::cancelled));
    }
}

#ifndef _WIN32
// If the backlog is full, Windows refuses a connection; Linux drops it, and connecting hangs.
namespace {

using boost::asio::ip::tcp;

/// A port where every further attempt to connect hangs.
class FullListener {
public:
    explicit FullListener(const char* address = "127.0.0.1", std::uint16_t port = 0)
        : acceptor_(context_) {
        acceptor_.open(tcp::v4());
        acceptor_.bind({boost::asio::ip::make_address(address), port});
        acceptor_.listen(0);
        // Linux queues one connection more than the backlog. The loop does not run: the attempts
        // are only started.
        for (int i = 0; i < 4; ++i) {
            fillers_.push_back(std::make_unique<tcp::socket>(context_));
            fillers_.back()->async_connect(acceptor_.local_endpoint(),
                                           [](boost::system::error_code) {});
        }
    }
    [[nodiscard]] vlm::http::Url url() const {
        return {"http", "127.0.0.1", acceptor_.local_endpoint().port(), "/", ""};
    }

private:
    boost::asio::io_context context_;
    tcp::acceptor acceptor_;
    std::vector<std::unique_ptr<tcp::socket>> fillers_;
};

} // namespace

TEST_CASE("connection: connecting has its own time limit") {
    FullListener listener;
    Connection connection(listener.url());
    Limits limits;
    limits.connect = 50ms;
    const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
    CHECK(error.code() == errc::timeout);
    CHECK(mentions(error, "no connection to 127.0.0.1:"));
    CHECK(mentions(error, "50 ms"));
}

TEST_CASE("connection: a stop request ends connecting") {
    FullListener listener;
    Connection connection(listener.url());
    std::stop_source stop;
    CHECK(interrupted([&] { post(connection, "{}", {}, stop.get_token()); },
                      [&] { stop.request_stop(); }) == errc::cancelled);
}

TEST_CASE("connection: an address that does not answer leaves time for the next one") {
    ChatServer server;
    server.enqueue(text("found"));
    const FullListener deaf("127.0.0.3", static_cast<std::uint16_t>(server.port()));
    Connection connection(url_of(server, "name.test"), found_by([](const std::string&) {
                              return std::vector<std::string>{"127.0.0.3", "127.0.0.1"};
                          }));
    Limits limits;
    limits.connect = 2s; // half of it for each address, enough for a busy computer
    CHECK(post(connection, "{}", limits).body == "found");
}
#endif

TEST_CASE("connection: a chunked body is joined") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: 1\r\n\r\n"));
    server.enqueue(text("2"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "hello world");
    CHECK(post(connection).body == "2");
    CHECK(server.connections() == 1);
}

TEST_CASE("connection: interim answers are skipped") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
    Connection connection(url_of(server));
    const Response response = post(connection);
    CHECK(response.status == 200);
    CHECK(response.body == "ok");
}

TEST_CASE("connection: too many interim answers are rejected") {
    ChatServer server;
    std::string endless;
    for (int i = 0; i < 100; ++i) endless += "HTTP/1.1 100 Continue\r\n\r\n";
    server.enqueue(raw(endless));
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection); }).code() == errc::bad_response);
}

TEST_CASE("connection: a body without a length ends with the connection") {
    ChatServer server;
    Answer answer = raw("HTTP/1.1 200 OK\r\n\r\nall of it");
    answer.close = true;
    server.enqueue(answer);
    Connection connection(url_of(server));
    CHECK(post(connection).body == "all of it");
}

TEST_CASE("connection: an answer that is not HTTP is rejected") {
    for (const std::string bytes :
         {"rubbish\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n",
          "HTTP/9.9 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
        CAPTURE(bytes);
        ChatServer server;
        server.enqueue(raw(bytes));
        Connection connection(url_of(server));
        const vlm::Error error = error_of([&] { post(connection); });
        CHECK(error.code() == errc::bad_response);
        CHECK(mentions(error, "is the port right"));
    }
}

TEST_CASE("connection: an endless header is rejected") {
    ChatServer server;
    std::string endless = "HTTP/1.1 200 OK\r\nX: ";
    endless.append(200000, 'x');
    server.enqueue(raw(endless));
    Connection connection(url_of(server));
    CHECK(error_of([&] { post(connection); }).code() == errc::bad_response);
}

TEST_CASE("connection: a body shorter than its Content-Length is an error") {
    ChatServer server;
    Answer answer = raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    answer.close = true;
    server.enqueue(answer);
    Connection connection(url_of(server));
    const vlm::Error error = error_of([&] { post(connection); });
    CHECK(error.code() == errc::connection_lost);
    CHECK(mentions(error, "middle of its answer"));
}

TEST_CASE("connection: bytes after an answer are not read as the next answer") {
    ChatServer server;
    server.enqueue(raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"
                       "Content-Length: 5\r\n\r\nwrong"));
    server.enqueue(text("right"));
    Connection connection(url_of(server));
    CHECK(post(connection).body == "ok");
    CHECK(post(connection).body == "right");
    CHECK(server.connections() == 2);
}

TEST_CASE("connection: a body above the limit is rejected, with or without a Content-Length") {
    std::string chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n";
    chunks.append(64, 'x').append("\r\n0\r\n\r\n");
    const Answer chunked = raw(chunks);
    for (const Answer& answer : {text(std::string(64, 'x')), chunked}) {
        ChatServer server;
        server.enqueue(answer);
        server.enqueue(answer);
        Connection connection(url_of(server));
        Limits limits;
        limits.body_bytes = 63;
        const vlm::Error error = error_of([&] { post(connection, "{}", limits); });
        CHECK(error.code() == errc::response_too_large);
        CHECK(mentions(error, "63 bytes"));
        limits.body_bytes = 64;
        CHECK(post(connection, "{}", limits).body.size() == 64);
    }
}

TEST_CASE("connection: an early error answer to a long request is read") {
    ChatServer server;
    Answer answer = text("too large");
    answer.status = 413;
    server.enqueue(answer);
    Connection connection(url_of(server));
    CHECK(post(connection, std::string(std::size_t{8} << 20, 'x')).status == 413);
}
