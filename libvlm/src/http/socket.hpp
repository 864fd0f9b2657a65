// A socket with time limits and cancellation, for TCP and TLS.
#pragma once

#include "tls.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace eyehand::vlm::http {

using Clock = std::chrono::steady_clock;

/// The result of one operation. The socket is closed after a timeout or cancellation; after a
/// failure, the caller closes it.
struct Transfer {
    enum class End { done, failed, timed_out, cancelled };
    End end = End::done;
    boost::system::error_code error{}; ///< of `failed`
    std::size_t bytes = 0;
};

/// Each operation is asynchronous and has a timer, and the calling thread runs the loop, because
/// Asio's synchronous calls support neither time limits nor cancellation. Not thread-safe; a stop
/// request may come from any thread.
class Socket {
public:
    Socket();

    /// During its lifetime, a stop request ends the current operation and closes the socket.
    class Watch {
    public:
        Watch(Socket& socket, std::stop_token stop);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

    private:
        Socket& socket_;
    };

    [[nodiscard]] Transfer connect(const boost::asio::ip::tcp::endpoint& endpoint,
                                   Clock::time_point until);
    /// Performs the handshake on a connected socket. Later operations are encrypted.
    [[nodiscard]] Transfer start_tls(TlsContext& context, const std::string& host,
                                     Clock::time_point until);
    /// Writes at least one byte.
    [[nodiscard]] Transfer write_some(std::string_view bytes, Clock::time_point until);
    /// Reads at least one byte; the end of the stream is the error `boost::asio::error::eof`.
    [[nodiscard]] Transfer read_some(boost::asio::mutable_buffer into, Clock::time_point until);
    /// Waits until `ready()` returns true; calls it after each event of `loop()`.
    [[nodiscard]] Transfer wait(const std::function<bool()>& ready, Clock::time_point until);

    /// Whether the socket is connected and has nothing to read. The end of the stream, an error or
    /// unexpected bytes mean that an idle connection cannot be used again.
    [[nodiscard]] bool is_idle();
    [[nodiscard]] bool is_cancelled() const { return cancelled_; }
    /// Null if the connection does not use TLS.
    [[nodiscard]] const TlsStream* tls() const { return tls_.get(); }
    [[nodiscard]] boost::asio::io_context& loop() { return loop_; }
    void close();

private:
    void run_some();
    template <class Start>
    Transfer run(Clock::time_point until, Start start);

    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<TlsStream> tls_;
    boost::asio::steady_timer timer_;
    std::stop_token stop_; // of the watch
    bool cancelled_ = false;
};

} // namespace eyehand::vlm::http
