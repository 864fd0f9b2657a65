#include "socket.hpp"

#include "eyehand/base/stoppable_wait.hpp"

#include <utility>

namespace eyehand::vlm::http {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Socket::Socket() : work_(loop_.get_executor()), socket_(loop_), timer_(loop_) {}

Socket::Watch::Watch(Socket& socket, std::stop_token stop) : socket_(socket) {
    socket_.stop_ = std::move(stop);
    socket_.cancelled_ = socket_.stop_.stop_requested();
}

Socket::Watch::~Watch() {
    socket_.stop_ = {};
    socket_.cancelled_ = false;
}

/// Runs the loop until one event or the next check of the stop token.
void Socket::run_some() {
    if (!stop_.stop_possible()) {
        loop_.run_one();
        return;
    }
    loop_.run_one_for(base::stop_poll_interval);
    if (cancelled_ || !stop_.stop_requested()) return;
    cancelled_ = true;
    close();
}

/// Starts one operation, whose handler takes an error_code and a number of bytes, and runs the loop
/// until it has ended. At the deadline or after a stop request, closes the socket, which ends the
/// operation at once. When this returns, no handler refers to its local state.
template <class Start>
Transfer Socket::run(Clock::time_point until, Start start) {
    using End = Transfer::End;
    if (cancelled_) return {End::cancelled};
    // An operation that can complete at once would otherwise precede the timer, so that a peer that
    // sends without a pause could exceed any time limit.
    if (Clock::now() >= until) {
        close();
        return {End::timed_out};
    }
    struct {
        Transfer transfer;
        bool ended = false;
        bool timer_ended = false;
        bool timed_out = false;
    } state;
    if (until == Clock::time_point::max()) {
        state.timer_ended = true;
    } else {
        timer_.expires_at(until);
        timer_.async_wait([this, &state](error_code error) {
            state.timer_ended = true;
            if (error || state.ended) return;
            state.timed_out = true;
            close();
        });
    }
    start([this, &state](error_code error, std::size_t bytes) {
        state.ended = true;
        state.transfer.error = error;
        state.transfer.bytes = bytes;
        timer_.cancel();
    });
    while (!state.ended || !state.timer_ended) run_some();
    if (cancelled_)
        state.transfer.end = End::cancelled;
    else if (state.timed_out)
        state.transfer.end = End::timed_out;
    else if (state.transfer.error)
        state.transfer.end = End::failed;
    return state.transfer;
}

Transfer Socket::connect(const tcp::endpoint& endpoint, Clock::time_point until) {
    close();
    tls_.reset();
    const Transfer transfer = run(until, [&](auto done) {
        socket_.async_connect(endpoint, [done](error_code error) { done(error, 0); });
    });
    error_code ignored;
    if (transfer.end == Transfer::End::done) socket_.set_option(tcp::no_delay(true), ignored);
    return transfer;
}

Transfer Socket::start_tls(TlsContext& context, const std::string& host, Clock::time_point until) {
    tls_ = std::make_unique<TlsStream>(socket_, context, host);
    return run(until, [&](auto done) { tls_->async_handshake(done); });
}

Transfer Socket::write_some(std::string_view bytes, Clock::time_point until) {
    const asio::const_buffer buffer(bytes.data(), bytes.size());
    return run(until, [&](auto done) {
        if (tls_)
            tls_->async_write_some(buffer, done);
        else
            socket_.async_write_some(buffer, done);
    });
}

Transfer Socket::read_some(asio::mutable_buffer into, Clock::time_point until) {
    return run(until, [&](auto done) {
        if (tls_)
            tls_->async_read_some(into, done);
        else
            socket_.async_read_some(into, done);
    });
}

Transfer Socket::wait(const std::function<bool()>& ready, Clock::time_point until) {
    bool timed_out = false;
    bool ended = false;
    timer_.expires_at(until);
    timer_.async_wait([&](error_code error) {
        ended = true;
        timed_out = !error;
    });
    while (!ended && !cancelled_ && !ready()) run_some();
    const bool late = timed_out;
    timer_.cancel();
    while (!ended) run_some();
    if (cancelled_) return {Transfer::End::cancelled};
    return {late ? Transfer::End::timed_out : Transfer::End::done};
}

bool Socket::is_idle() {
    if (!socket_.is_open() || (tls_ && tls_->has_unread())) return false;
    char byte = 0;
    error_code error;
    socket_.non_blocking(true, error);
    if (error) return false;
    socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
    return error == asio::error::would_block;
}

void Socket::close() {
    error_code ignored;
    socket_.cancel(ignored); // on Wine 8, closing a socket does not end a pending send
    socket_.close(ignored);
}

} // namespace eyehand::vlm::http
