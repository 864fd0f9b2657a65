#include "server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <csignal>
#include <optional>
#include <system_error>
#include <utility>

namespace stand_in {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::uint64_t body_limit_bytes = std::uint64_t{64} << 20U;
// Beast reads at most the capacity of its buffer at a time; the default of 1 KB makes a screenshot
// slow.
constexpr std::size_t read_buffer_bytes = std::size_t{256} << 10U;

http::response<http::string_body> to_response(HttpReply reply, unsigned version, bool keep_alive) {
    http::response<http::string_body> response{static_cast<http::status>(reply.status), version};
    response.set(http::field::server, model_id);
    response.set(http::field::content_type, reply.content_type);
    response.keep_alive(keep_alive);
    response.body() = std::move(reply.body);
    response.prepare_payload();
    return response;
}

/// One connection; lives as long as an operation on it is pending.
class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(tcp::socket socket, const Server::Handler& handler)
        : stream_(std::move(socket)), handler_(handler) {
        buffer_.reserve(read_buffer_bytes);
    }

    void read() {
        parser_.emplace();
        parser_->body_limit(body_limit_bytes);
        http::async_read(stream_, buffer_, *parser_,
                         [self = shared_from_this()](beast::error_code error, std::size_t) {
                             self->on_read(error);
                         });
    }

private:
    void on_read(beast::error_code error) {
        if (error == http::error::body_limit)
            return write(
                {.status = 413,
                 .body = error_body("the body is longer than 64 MB", "invalid_request_error")},
                11, false);
        if (error) return close();
        const auto& request = parser_->get();
        const auto method = request.method_string();
        const auto target = request.target();
        write(handler_({method.data(), method.size()}, {target.data(), target.size()},
                       request.body()),
              request.version(), request.keep_alive());
    }

    void write(HttpReply reply, unsigned version, bool keep_alive) {
        response_ = to_response(std::move(reply), version, keep_alive);
        http::async_write(stream_, response_,
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (error || !self->response_.keep_alive()) return self->close();
                              self->read();
                          });
    }

    void close() {
        beast::error_code ignored;
        stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }

    beast::tcp_stream stream_;
    const Server::Handler& handler_;
    beast::flat_buffer buffer_;
    std::optional<http::request_parser<http::string_body>> parser_;
    http::response<http::string_body> response_;
};

} // namespace

class Server::Impl {
public:
    Impl(const std::string& host, std::uint16_t port, Handler handler)
        : handler_(std::move(handler)),
          acceptor_(context_, tcp::endpoint(asio::ip::make_address(host), port)),
          signals_(context_) {
        accept();
    }

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    void run() { context_.run(); }
    void stop() { context_.stop(); }

    void stop_on_signals() {
        signals_.add(SIGINT);
        signals_.add(SIGTERM);
        signals_.async_wait([this](beast::error_code error, int) {
            if (!error) stop();
        });
    }

private:
    void accept() {
        acceptor_.async_accept([this](beast::error_code error, tcp::socket socket) {
            if (error == asio::error::operation_aborted) return;
            // For example, no file handles are left: an immediate retry would only keep the
            // processor busy.
            if (error && error != asio::error::connection_aborted) throw beast::system_error(error);
            if (!error) std::make_shared<Connection>(std::move(socket), handler_)->read();
            accept();
        });
    }

    // Connections refer to the handler and end with the context, so the context is destroyed first.
    Handler handler_;
    asio::io_context context_{1};
    tcp::acceptor acceptor_;
    asio::signal_set signals_;
};

Server::Server(const std::string& host, std::uint16_t port, Handler handler) {
    try {
        impl_ = std::make_unique<Impl>(host, port, std::move(handler));
    } catch (const boost::system::system_error& error) {
        throw std::system_error(error.code(),
                                "cannot listen on " + host + " port " + std::to_string(port));
    }
}
Server::~Server() = default;
std::uint16_t Server::port() const noexcept { return impl_->port(); }
void Server::run() { impl_->run(); }
void Server::stop() { impl_->stop(); }
void Server::stop_on_signals() { impl_->stop_on_signals(); }

} // namespace stand_in
