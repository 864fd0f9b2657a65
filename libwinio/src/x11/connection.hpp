// A connection to an X server, and what every part of the back-end asks of it.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <xcb/xcb.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace eyehand::winio::x11 {

/// What libxcb allocates with malloc: replies, errors, events.
struct FreeReply {
    void operator()(void* reply) const { std::free(reply); }
};
template <typename T>
using Reply = std::unique_ptr<T, FreeReply>;

/// Not thread-safe, except that each thread may have one of its own.
class Connection {
public:
    /// Connects to the display of that name; to the one that the environment variable DISPLAY names
    /// if it is empty. Throws Error{no_display} if the connection fails.
    explicit Connection(std::string display = {});
    /// Has the server carry out everything sent before, because it drops what it has not read from
    /// a connection that is gone.
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The name that further connections to the same display need.
    [[nodiscard]] const std::string& display() const { return display_; }
    [[nodiscard]] xcb_connection_t* get() const { return connection_; }
    [[nodiscard]] const xcb_screen_t& screen() const { return *screen_; }
    [[nodiscard]] xcb_window_t root() const { return screen_->root; }
    /// A window of this connection that is never shown: where other programs' answers arrive.
    [[nodiscard]] xcb_window_t window() const { return window_; }
    /// The server ended, or ended this connection: nothing works any more.
    [[nodiscard]] bool lost() const { return xcb_connection_has_error(connection_) != 0; }
    [[nodiscard]] bool has(xcb_extension_t* extension) const;

    /// The atom of that name, asked for once.
    [[nodiscard]] xcb_atom_t atom(const std::string& name);
    [[nodiscard]] std::string atom_name(xcb_atom_t atom) const;

    /// The answer to a request; nothing when the server answered with an error, which is then in
    /// `why`, or not at all.
    template <typename T, typename Cookie>
    [[nodiscard]] Reply<T> take(T* (*reply)(xcb_connection_t*, Cookie, xcb_generic_error_t**),
                                Cookie cookie, Reply<xcb_generic_error_t>* why = nullptr) const {
        xcb_generic_error_t* error = nullptr;
        Reply<T> answer(reply(connection_, cookie, &error));
        Reply<xcb_generic_error_t> owned(error);
        if (why != nullptr) *why = std::move(owned);
        return answer;
    }
    /// Whether a request sent as `..._checked` was carried out.
    [[nodiscard]] bool succeeded(xcb_void_cookie_t cookie) const {
        return !Reply<xcb_generic_error_t>(xcb_request_check(connection_, cookie)) && !lost();
    }
    void flush() const { xcb_flush(connection_); }
    /// Waits until the server has carried out everything sent before.
    void synchronise() const;
    /// Forgets the events that have arrived: libxcb keeps them until somebody takes them.
    void discard_events() const;

    /// The extent of the screen, which covers all displays, at the moment; empty when the
    /// connection is lost.
    [[nodiscard]] Rect root_bounds() const;

private:
    std::string display_;
    xcb_connection_t* connection_;
    xcb_screen_t* screen_ = nullptr;
    xcb_window_t window_ = XCB_NONE;
    std::map<std::string, xcb_atom_t> atoms_;
};

} // namespace eyehand::winio::x11
