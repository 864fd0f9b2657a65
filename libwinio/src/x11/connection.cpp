#include "x11/connection.hpp"

#include "eyehand/winio/error.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <xcb/xcbext.h>

#include <cerrno>
#include <utility>

namespace eyehand::winio::x11 {
namespace {

xcb_screen_t* screen_of(xcb_connection_t* connection, int number) {
    auto screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
    for (; number > 0 && screens.rem > 1; --number) xcb_screen_next(&screens);
    return screens.rem > 0 ? screens.data : nullptr;
}

// The display that xcb connects to by default. It comes from an environment variable, which may
// change while a desktop is in use.
std::string default_display() {
    char* host = nullptr;
    int display = 0;
    int screen = 0;
    if (xcb_parse_display(nullptr, &host, &display, &screen) == 0) return {};
    const std::unique_ptr<char, FreeReply> freed(host);
    return std::string(host) + ":" + std::to_string(display) + "." + std::to_string(screen);
}

// `requested` is empty if the environment chose the display.
std::string problem_of(int error, const std::string& requested) {
    const std::string problem = requested.empty()
                                    ? "cannot connect to an X11 display: "
                                    : "cannot connect to the X11 display \"" + requested + "\": ";
    switch (error) {
    case XCB_CONN_CLOSED_PARSE_ERR:
        return problem + (requested.empty()
                              ? "DISPLAY is not set or is not the name of a display"
                              : "this is not the name of a display; use a name such as \":1\"");
    case XCB_CONN_CLOSED_INVALID_SCREEN:
        return problem + "it has no screen with this number";
    default:
        return problem + (requested.empty() ? "check that DISPLAY is correct," : "check") +
               " that the server runs, and that this user may connect (XAUTHORITY)";
    }
}

} // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): once for each desktop
Connection::Connection(std::string display)
    : display_(display.empty() ? default_display() : display) {
    int number = 0;
    connection_ = xcb_connect(display_.c_str(), &number); // never nullptr
    const int error = xcb_connection_has_error(connection_);
    if (error == 0) screen_ = screen_of(connection_, number);
    if (screen_ == nullptr) {
        xcb_disconnect(connection_);
        throw Error(errc::no_display, problem_of(error, display));
    }
    window_ = xcb_generate_id(connection_);
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
    xcb_create_window(connection_, 0, window_, root(), 0, 0, 1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                      XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, &events);
}

Connection::~Connection() {
    if (!lost()) synchronize();
    xcb_disconnect(connection_);
}

bool Connection::has(xcb_extension_t* extension) const {
    const xcb_query_extension_reply_t* data = xcb_get_extension_data(connection_, extension);
    return data != nullptr && data->present != 0;
}

xcb_atom_t Connection::atom(const std::string& name) {
    const auto known = atoms_.find(name);
    if (known != atoms_.end()) return known->second;
    const auto reply =
        take(xcb_intern_atom_reply,
             xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data()));
    if (!reply) return XCB_ATOM_NONE;
    return atoms_[name] = reply->atom;
}

std::string Connection::atom_name(xcb_atom_t atom) {
    const auto known = names_.find(atom);
    if (known != names_.end()) return known->second;
    const auto reply = take(xcb_get_atom_name_reply, xcb_get_atom_name(connection_, atom));
    if (!reply) return {};
    return names_[atom] = {xcb_get_atom_name_name(reply.get()),
                           static_cast<std::size_t>(xcb_get_atom_name_name_length(reply.get()))};
}

// libxcb's functions for replies have no time limit.
Reply<void> Connection::reply_to(unsigned int request, Reply<xcb_generic_error_t>& error) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + max_round_trip;
    xcb_flush(connection_);
    for (;;) {
        void* reply = nullptr;
        xcb_generic_error_t* problem = nullptr;
        const int ended = xcb_poll_for_reply(connection_, request, &reply, &problem);
        Reply<void> owned(reply);
        error.reset(problem);
        if (ended != 0) return owned;
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd input{xcb_get_file_descriptor(connection_), POLLIN, 0};
        if (left > 0 && (poll(&input, 1, static_cast<int>(left)) >= 0 || errno == EINTR)) continue;
        // All further requests fail at once, also those that wait in libxcb.
        shutdown(input.fd, SHUT_RDWR);
        return nullptr;
    }
}

void Connection::synchronize() const {
    (void)take(xcb_get_input_focus_reply, xcb_get_input_focus(connection_));
}

void Connection::discard_events() const {
    while (Reply<xcb_generic_event_t>(xcb_poll_for_event(connection_))) {
    }
}

Rect Connection::root_bounds() const {
    const auto reply = take(xcb_get_geometry_reply, xcb_get_geometry(connection_, root()));
    return reply ? Rect{0, 0, reply->width, reply->height} : Rect{};
}

} // namespace eyehand::winio::x11
