#include "x11/selection_reader.hpp"

#include "eyehand/winio/error.hpp"

#include <poll.h>

namespace eyehand::winio::x11 {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto part_timeout = 3s; // for each part of a reply
constexpr std::size_t max_bytes = std::size_t{256} << 20U;

} // namespace

std::optional<std::string> SelectionReader::read(const std::string& target) {
    const xcb_atom_t clipboard = connection_.atom("CLIPBOARD");
    const xcb_atom_t property = connection_.atom("EYEHAND_CLIPBOARD");
    const xcb_atom_t wanted = connection_.atom(target);
    xcb_delete_property(connection_.get(), connection_.window(), property);
    connection_.synchronize();
    connection_.discard_events(); // late replies to an earlier request
    xcb_convert_selection(connection_.get(), connection_.window(), clipboard, wanted, property,
                          XCB_CURRENT_TIME);
    const auto answer = wait_for<xcb_selection_notify_event_t>(
        XCB_SELECTION_NOTIFY, [&](const xcb_selection_notify_event_t& event) {
            return event.selection == clipboard && event.target == wanted;
        });
    if (answer.property == XCB_ATOM_NONE) return std::nullopt;
    xcb_atom_t type = XCB_ATOM_NONE;
    std::string bytes = take_property(type);
    return type == connection_.atom("INCR") ? read_in_parts() : std::move(bytes);
}

xcb_window_t SelectionReader::owner() {
    const auto reply =
        connection_.take(xcb_get_selection_owner_reply,
                         xcb_get_selection_owner(connection_.get(), connection_.atom("CLIPBOARD")));
    return reply ? reply->owner : xcb_window_t{XCB_WINDOW_NONE};
}

void SelectionReader::disown() {
    xcb_set_selection_owner(connection_.get(), XCB_NONE, connection_.atom("CLIPBOARD"),
                            XCB_CURRENT_TIME);
    connection_.synchronize();
}

template <typename Event, typename Fits>
Event SelectionReader::wait_for(std::uint8_t type, Fits fits) {
    connection_.flush();
    const auto deadline = Clock::now() + part_timeout;
    for (;;) {
        while (const auto event =
                   Reply<xcb_generic_event_t>(xcb_poll_for_event(connection_.get()))) {
            if ((event->response_type & event_type_mask) != type) continue;
            const auto& typed = *reinterpret_cast<const Event*>(event.get());
            if (fits(typed)) return typed;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (connection_.lost())
            throw Error(errc::clipboard_failed, "the connection to the X server is lost");
        if (left <= 0ms)
            throw Error(errc::clipboard_failed,
                        "the program that owns the clipboard does not answer");
        pollfd readable{xcb_get_file_descriptor(connection_.get()), POLLIN, 0};
        ::poll(&readable, 1, static_cast<int>(left.count()));
    }
}

// Deleting the property notifies the owner that it was read.
std::string SelectionReader::take_property(xcb_atom_t& type) {
    constexpr std::uint8_t and_delete = 1;
    const auto reply = connection_.take(
        xcb_get_property_reply,
        xcb_get_property(connection_.get(), and_delete, connection_.window(),
                         connection_.atom("EYEHAND_CLIPBOARD"), XCB_GET_PROPERTY_TYPE_ANY, 0,
                         static_cast<std::uint32_t>(max_bytes / 4)));
    if (!reply || reply->bytes_after != 0)
        throw Error(errc::clipboard_failed, "the clipboard's content cannot be read");
    type = reply->type;
    return {static_cast<const char*>(xcb_get_property_value(reply.get())),
            static_cast<std::size_t>(xcb_get_property_value_length(reply.get()))};
}

// ICCCM's INCR: the owner writes the next part whenever the property is deleted; the last part is
// empty.
std::string SelectionReader::read_in_parts() {
    std::string bytes;
    for (;;) {
        (void)wait_for<xcb_property_notify_event_t>(
            XCB_PROPERTY_NOTIFY, [&](const xcb_property_notify_event_t& event) {
                return event.atom == connection_.atom("EYEHAND_CLIPBOARD") &&
                       event.state == XCB_PROPERTY_NEW_VALUE;
            });
        xcb_atom_t type = XCB_ATOM_NONE;
        const std::string part = take_property(type);
        if (part.empty()) return bytes;
        if (part.size() > max_bytes - bytes.size())
            throw Error(errc::clipboard_failed, "the clipboard holds more than 256 MiB");
        bytes += part;
    }
}

} // namespace eyehand::winio::x11
