// The bytes of a request.
#include "transport.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <stdexcept>
#include <thread>

using namespace eyehand;
using namespace transport;
using boost::asio::ip::tcp;
using vlm::http::Connection;
using vlm::http::ConnectionOptions;

namespace {

/// Answers one request and stores its head.
class Recorder {
public:
    explicit Recorder(std::string answer, std::string request_end = "\r\n\r\n")
        : acceptor_(context_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
          thread_([this, answer = std::move(answer), end = std::move(request_end)] {
              tcp::socket socket = acceptor_.accept();
              std::array<char, 4096> piece{};
              while (!received_.ends_with(end))
                  received_.append(piece.data(), socket.read_some(boost::asio::buffer(piece)));
              boost::asio::write(socket, boost::asio::buffer(answer));
          }) {}

    [[nodiscard]] std::string address() const {
        return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    [[nodiscard]] std::string received() {
        thread_.join();
        return received_;
    }
    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

private:
    boost::asio::io_context context_;
    tcp::acceptor acceptor_;
    std::string received_;
    std::thread thread_;
};

const std::string nothing = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

} // namespace

TEST_CASE("connection: a request with a body has the expected bytes") {
    Recorder server(nothing, "\r\n\r\n{}");
    Connection connection({"http", "127.0.0.1", server.port(), "/v1/chat/completions", "?a=b"});
    connection.request({"POST",
                        "/v1/chat/completions?a=b",
                        {{"Content-Type", "application/json"},
                         {"accept", "text/event-stream"},
                         {"Authorization", "Bearer key"},
                         {"X-Empty", ""}},
                        "{}"},
                       {}, {});
    const std::string expected = "POST /v1/chat/completions?a=b HTTP/1.1\r\n"
                                 "Host: " +
                                 server.address() +
                                 "\r\n"
                                 "Content-Type: application/json\r\n"
                                 "accept: text/event-stream\r\n"
                                 "Authorization: Bearer key\r\n"
                                 "X-Empty: \r\n"
                                 "Accept-Encoding: identity\r\n"
                                 "Content-Length: 2\r\n"
                                 "\r\n"
                                 "{}";
    CHECK(server.received() == expected);
}

TEST_CASE("connection: a request through a proxy has the whole URL and the proxy's credentials") {
    Recorder proxy(nothing);
    ConnectionOptions options;
    options.proxies.http = "http://user:password@" + proxy.address();
    Connection connection({"http", "models.test", 8000, "/v1/models", ""}, options);
    connection.request({"GET", "/v1/models", {{"X-A", "b"}}, {}}, {}, {});
    CHECK(proxy.received() == "GET http://models.test:8000/v1/models HTTP/1.1\r\n"
                              "Host: models.test:8000\r\n"
                              "X-A: b\r\n"
                              "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n"
                              "Accept-Encoding: identity\r\n"
                              "\r\n");
}

TEST_CASE("connection: a CONNECT request has the host's port and the proxy's credentials") {
    Recorder proxy("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    ConnectionOptions options;
    options.proxies.https = "http://user:password@" + proxy.address();
    Connection connection({"https", "api.test", 443, "/v1/models", ""}, options);
    CHECK_THROWS_AS(connection.request({"GET", "/v1/models", {}, {}}, {}, {}), vlm::Error);
    CHECK(proxy.received() == "CONNECT api.test:443 HTTP/1.1\r\n"
                              "Host: api.test:443\r\n"
                              "Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n"
                              "\r\n");
}

TEST_CASE("connection: a header with a line break is rejected") {
    vlm::testing::ChatServer server;
    Connection connection(url_of(server));
    for (const vlm::http::Header& header :
         {vlm::http::Header{"X-A", "b\r\nX-B: c"}, vlm::http::Header{"X-A\n", "b"},
          vlm::http::Header{"X-A", std::string("b\0c", 3)}})
        CHECK_THROWS_AS(connection.request({"GET", "/", {header}, {}}, {}, {}),
                        std::invalid_argument);
    CHECK_THROWS_AS(connection.request({"GET / HTTP/1.1\r\n", "/", {}, {}}, {}, {}),
                    std::invalid_argument);
}
