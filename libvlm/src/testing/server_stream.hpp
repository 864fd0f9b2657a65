// A connection as the scripted server sees it: TCP, or TLS over it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <memory>
#include <utility>

namespace eyehand::vlm::testing {

class ServerStream {
public:
    using Tcp = boost::asio::ip::tcp::socket;
    using error_code = boost::system::error_code;

    /// `tls`: null for plain TCP.
    ServerStream(Tcp socket, boost::asio::ssl::context* tls) : socket_(std::move(socket)) {
        if (tls) tls_ = std::make_unique<Tls>(socket_, *tls);
    }

    /// Performs the TLS handshake, if there is one; then calls `done(error)`.
    template <class Done>
    void async_open(Done done) {
        if (tls_)
            tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(done));
        else
            boost::asio::post(socket_.get_executor(),
                              [done = std::move(done)]() mutable { done(error_code()); });
    }
    /// `done(error, bytes)`
    template <class Done>
    void async_read_some(boost::asio::mutable_buffer into, Done done) {
        if (tls_)
            tls_->async_read_some(into, std::move(done));
        else
            socket_.async_read_some(into, std::move(done));
    }
    /// Writes the whole buffer; then calls `done(error, bytes)`.
    template <class Done>
    void async_write(boost::asio::const_buffer bytes, Done done) {
        if (tls_)
            boost::asio::async_write(*tls_, bytes, std::move(done));
        else
            boost::asio::async_write(socket_, bytes, std::move(done));
    }
    /// Announces the end of the data. `keep` keeps the connection alive during that time.
    template <class Keep>
    void end(Keep keep) {
        if (tls_) return tls_->async_shutdown([this, keep](error_code) { end_tcp(); });
        end_tcp();
    }
    [[nodiscard]] Tcp& tcp() { return socket_; }
    void reset() {
        error_code ignored;
        socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
        socket_.close(ignored);
    }
    void close() {
        error_code ignored;
        socket_.cancel(ignored); // on Wine 8, closing a socket does not end a pending send
        socket_.close(ignored);
    }

private:
    using Tls = boost::asio::ssl::stream<Tcp&>;

    void end_tcp() {
        error_code ignored;
        socket_.shutdown(Tcp::shutdown_send, ignored);
    }

    Tcp socket_;
    std::unique_ptr<Tls> tls_;
};

} // namespace eyehand::vlm::testing
