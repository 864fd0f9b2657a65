// Bytes to and from a server, with time limits and cancellation: TCP, and TLS over it.
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

/// How one operation ended. After anything but success the socket is closed, except that a refused
/// or broken operation (`error`) leaves closing to the caller.
struct Transfer {
    enum class End { done, failed, timed_out, cancelled };
    End end = End::done;
    boost::system::error_code error{}; ///< of `failed`
    std::size_t bytes = 0;
};

/// Every operation is asynchronous, with a timer beside it, and the calling thread runs the loop:
/// Asio's synchronous calls know neither time limits nor cancellation. Not thread-safe; a stop
/// request may come from any thread.
class Socket {
public:
    Socket();

    /// As long as this lives, a request to stop ends whatever waits and closes the socket.
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
    /// The handshake, on a connected socket. What follows is encrypted.
    [[nodiscard]] Transfer start_tls(TlsContext& context, const std::string& host,
                                     Clock::time_point until);
    /// At least one byte of it.
    [[nodiscard]] Transfer write_some(std::string_view bytes, Clock::time_point until);
    /// At least one byte; the end of the stream is the error `boost::asio::error::eof`.
    [[nodiscard]] Transfer read_some(boost::asio::mutable_buffer into, Clock::time_point until);
    /// Until `ready()`, which is asked again after each event of `loop()`.
    [[nodiscard]] Transfer wait(const std::function<bool()>& ready, Clock::time_point until);

    /// Connected, with nothing to read: the end of the stream, an error and unasked-for bytes all
    /// mean that an idle connection is not ours to use any more.
    [[nodiscard]] bool is_idle();
    [[nodiscard]] bool is_cancelled() const { return cancelled_; }
    /// The TLS stream, where there is one.
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
