// A connection to an X server, with requests that all parts of the back-end use.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <xcb/xcb.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace eyehand::winio::x11 {

/// Of the type of an event; the highest bit marks events that a program sent.
constexpr std::uint8_t event_type_mask = 0x7F;

/// Owns memory that libxcb allocates with malloc: replies, errors, events.
struct FreeReply {
    void operator()(void* reply) const { std::free(reply); }
};
template <typename T>
using Reply = std::unique_ptr<T, FreeReply>;

/// Not thread-safe: each thread needs its own connection.
class Connection {
public:
    /// Connects to the display with this name; if it is empty, to the display that the environment
    /// variable DISPLAY names. Throws Error{no_display} if the connection fails.
    explicit Connection(std::string display = {});
    /// Waits until the server has executed all requests, because it drops unread requests of a
    /// closed connection.
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The name that further connections to the same display need.
    [[nodiscard]] const std::string& display() const { return display_; }
    [[nodiscard]] xcb_connection_t* get() const { return connection_; }
    [[nodiscard]] const xcb_screen_t& screen() const { return *screen_; }
    [[nodiscard]] xcb_window_t root() const { return screen_->root; }
    /// A window of this connection that is never shown. It receives the answers of other programs.
    [[nodiscard]] xcb_window_t window() const { return window_; }
    /// Whether the server has ended or closed this connection; all requests fail then.
    [[nodiscard]] bool lost() const { return xcb_connection_has_error(connection_) != 0; }
    [[nodiscard]] bool has(xcb_extension_t* extension) const;

    /// The atom with this name, requested only once.
    [[nodiscard]] xcb_atom_t atom(const std::string& name);
    [[nodiscard]] std::string atom_name(xcb_atom_t atom);

    /// The reply to a request. Empty if the server replied with an error, which is then in `why`,
    /// or did not reply within `max_round_trip`; then the connection is lost.
    template <typename T, typename Cookie>
    [[nodiscard]] Reply<T> take(T* (*)(xcb_connection_t*, Cookie, xcb_generic_error_t**),
                                Cookie cookie, Reply<xcb_generic_error_t>* why = nullptr) const {
        Reply<xcb_generic_error_t> error;
        Reply<void> answer = reply_to(cookie.sequence, error);
        if (why != nullptr) *why = std::move(error);
        return Reply<T>(static_cast<T*>(answer.release()));
    }
    /// Whether a request that was sent as `..._checked` was executed.
    [[nodiscard]] bool succeeded(xcb_void_cookie_t cookie) const {
        synchronize(); // with its limit; without it, the next call could wait forever
        return !Reply<xcb_generic_error_t>(xcb_request_check(connection_, cookie)) && !lost();
    }
    void flush() const { xcb_flush(connection_); }
    /// Waits until the server has executed all previous requests.
    void synchronize() const;
    /// Discards the events that have arrived, which libxcb would otherwise keep.
    void discard_events() const;

    /// The current extent of the screen, which covers all displays; empty if the connection is
    /// lost.
    [[nodiscard]] Rect root_bounds() const;

    /// The longest wait for a reply. A server that needs longer has stopped: even a busy one replies
    /// within milliseconds.
    static constexpr std::chrono::seconds max_round_trip{10};

private:
    [[nodiscard]] Reply<void> reply_to(unsigned int request,
                                       Reply<xcb_generic_error_t>& error) const;

    std::string display_;
    xcb_connection_t* connection_;
    xcb_screen_t* screen_ = nullptr;
    xcb_window_t window_ = XCB_NONE;
    std::map<std::string, xcb_atom_t> atoms_;
    std::map<xcb_atom_t, std::string> names_;
};

} // namespace eyehand::winio::x11
