#include "x11/selection_owner.hpp"

#include "eyehand/winio/error.hpp"
#include "posix/blocked_signals.hpp"
#include "x11/properties.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>

namespace eyehand::winio::x11 {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Larger contents are sent in parts, which saves memory in the server and keeps it responsive.
constexpr std::size_t max_at_once = std::size_t{256} << 10U;
constexpr std::uint8_t error_type = 0; // errors arrive as events of this type

// Maximum inactivity of programs that still read a replaced content.
constexpr auto reader_timeout = std::chrono::milliseconds{10s};
constexpr auto final_timeout = 2s; // for all readers, while the desktop is destroyed

void put(xcb_connection_t* connection, xcb_window_t to, xcb_atom_t property, xcb_atom_t type,
         std::string_view bytes) {
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, to, property, type, 8,
                        static_cast<std::uint32_t>(bytes.size()), bytes.data());
}

void put(xcb_connection_t* connection, xcb_window_t to, xcb_atom_t property, xcb_atom_t type,
         const std::vector<std::uint32_t>& values) {
    xcb_change_property(connection, XCB_PROP_MODE_REPLACE, to, property, type, 32,
                        static_cast<std::uint32_t>(values.size()), values.data());
}

} // namespace

SelectionOwner::Atoms::Atoms(Connection& connection)
    : clipboard(connection.atom("CLIPBOARD")), targets(connection.atom("TARGETS")),
      timestamp(connection.atom("TIMESTAMP")), multiple(connection.atom("MULTIPLE")),
      incr(connection.atom("INCR")), atom_pair(connection.atom("ATOM_PAIR")) {}

SelectionOwner::SelectionOwner(const std::string& display, SelectionContents contents,
                               const Announcement& announce)
    : contents_(std::move(contents)), connection_(std::in_place, display),
      window_(connection_->window()), atoms_(*connection_) {
    for (const auto& [target, bytes] : contents_) by_target_[connection_->atom(target)] = &bytes;
    if (announce) announce(window_);
    take_over();
    start_thread();
}

SelectionOwner::~SelectionOwner() {
    stop_.stop();
    wait();
}

void SelectionOwner::wait() {
    if (thread_.joinable()) thread_.join();
}

void SelectionOwner::start_thread() {
    const BlockedSignals none_for_the_thread;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
        throw Error(errc::clipboard_failed,
                    "no thread for the clipboard: " + error.code().message());
    }
}

// ICCCM requires the time of an event, so that the later one of two programs owns the clipboard.
xcb_timestamp_t SelectionOwner::server_time() const {
    xcb_connection_t* const server = connection_->get();
    xcb_change_property(server, XCB_PROP_MODE_APPEND, connection_->window(), XCB_ATOM_WM_NAME,
                        XCB_ATOM_STRING, 8, 0, nullptr);
    connection_->flush();
    while (const auto event = Reply<xcb_generic_event_t>(xcb_wait_for_event(server)))
        if ((event->response_type & event_type_mask) == XCB_PROPERTY_NOTIFY)
            return reinterpret_cast<const xcb_property_notify_event_t*>(event.get())->time;
    throw Error(errc::clipboard_failed, "the connection to the X server is lost");
}

void SelectionOwner::take_over() {
    owner_since_ = server_time();
    xcb_set_selection_owner(connection_->get(), window_, atoms_.clipboard, owner_since_);
    const auto owner =
        connection_->take(xcb_get_selection_owner_reply,
                          xcb_get_selection_owner(connection_->get(), atoms_.clipboard));
    if (!owner || owner->owner != window_)
        throw Error(errc::clipboard_failed, "another program took the clipboard at the same time");
}

void SelectionOwner::run() {
    serve();
    finish();
    connection_.reset(); // unread events would accumulate
    ended_ = true;
}

void SelectionOwner::serve() {
    while (answer_events()) {
        std::array<pollfd, 2> waiting{
            pollfd{xcb_get_file_descriptor(connection_->get()), POLLIN, 0},
            pollfd{stop_.readable_end(), POLLIN, 0}};
        const auto limit = owns_ ? -1ms : reader_timeout;
        const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
        if (ready == 0 || waiting[1].revents != 0) return;
    }
}

// Answers pending requests, and completes running deliveries.
void SelectionOwner::finish() {
    connection_->synchronize();
    const auto deadline = Clock::now() + final_timeout;
    while (answer_events() && !deliveries_.empty()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left <= 0ms) return;
        pollfd readable{xcb_get_file_descriptor(connection_->get()), POLLIN, 0};
        ::poll(&readable, 1, static_cast<int>(left.count()));
    }
}

bool SelectionOwner::answer_events() {
    while (const auto event = Reply<xcb_generic_event_t>(xcb_poll_for_event(connection_->get()))) {
        switch (event->response_type & event_type_mask) {
        case XCB_SELECTION_REQUEST:
            answer(*reinterpret_cast<const xcb_selection_request_event_t*>(event.get()));
            break;
        case XCB_SELECTION_CLEAR:
            owns_ = false;
            break;
        case XCB_PROPERTY_NOTIFY:
            send_next_part(*reinterpret_cast<const xcb_property_notify_event_t*>(event.get()));
            break;
        case XCB_DESTROY_NOTIFY:
            forget(reinterpret_cast<const xcb_destroy_notify_event_t*>(event.get())->window);
            break;
        case error_type: {
            // The requestor's window was destroyed before it was watched.
            const auto& error = *reinterpret_cast<const xcb_generic_error_t*>(event.get());
            if (error.error_code == XCB_WINDOW) forget(error.resource_id);
            break;
        }
        default:
            break;
        }
        connection_->flush(); // before the next poll, because flushing may read events
    }
    return !connection_->lost() && (owns_ || !deliveries_.empty());
}

void SelectionOwner::answer(const xcb_selection_request_event_t& request) {
    // Programs from before ICCCM set no property: the target is then the property.
    const xcb_atom_t property = request.property != 0 ? request.property : request.target;
    const bool converted = request.target == atoms_.multiple
                               ? convert_several(request.requestor, property)
                               : convert(request.requestor, request.target, property);
    xcb_selection_notify_event_t answer{};
    answer.response_type = XCB_SELECTION_NOTIFY;
    answer.time = request.time;
    answer.requestor = request.requestor;
    answer.selection = request.selection;
    answer.target = request.target;
    if (converted) answer.property = property; // no property means that the conversion failed
    xcb_send_event(connection_->get(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT,
                   reinterpret_cast<const char*>(&answer));
}

bool SelectionOwner::convert(xcb_window_t to, xcb_atom_t target, xcb_atom_t property) {
    if (target == atoms_.targets) {
        std::vector<std::uint32_t> targets{atoms_.targets, atoms_.timestamp, atoms_.multiple};
        for (const auto& [atom, bytes] : by_target_) targets.push_back(atom);
        put(connection_->get(), to, property, XCB_ATOM_ATOM, targets);
        return true;
    }
    if (target == atoms_.timestamp) {
        put(connection_->get(), to, property, XCB_ATOM_INTEGER,
            std::vector<std::uint32_t>{owner_since_});
        return true;
    }
    const auto found = by_target_.find(target);
    if (found == by_target_.end()) return false;
    send_contents(to, target, property, *found->second);
    return true;
}

// The property contains pairs of a target and a property for it; a failed conversion sets the
// latter to none.
bool SelectionOwner::convert_several(xcb_window_t to, xcb_atom_t property) {
    auto pairs = PropertyRequest(*connection_, to, property, atoms_.atom_pair).values();
    if (pairs.empty() || pairs.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < pairs.size(); i += 2)
        if (pairs[i] == atoms_.multiple || !convert(to, pairs[i], pairs[i + 1]))
            pairs[i + 1] = XCB_ATOM_NONE;
    put(connection_->get(), to, property, atoms_.atom_pair, pairs);
    return true;
}

void SelectionOwner::send_contents(xcb_window_t to, xcb_atom_t target, xcb_atom_t property,
                                   const std::string& contents) {
    if (contents.size() <= max_at_once)
        return put(connection_->get(), to, property, target, contents);
    std::erase_if(deliveries_, [&](const Delivery& delivery) { // requested again
        return delivery.to == to && delivery.property == property;
    });
    deliveries_.push_back({to, property, target, &contents, 0});
    watch(to);
    put(connection_->get(), to, property, atoms_.incr,
        std::vector<std::uint32_t>{static_cast<std::uint32_t>(contents.size())});
}

// The program deletes the property after it has read it. The last part is empty.
void SelectionOwner::send_next_part(const xcb_property_notify_event_t& taken) {
    if (taken.state != XCB_PROPERTY_DELETE) return;
    const auto delivery = std::ranges::find_if(deliveries_, [&](const Delivery& one) {
        return one.to == taken.window && one.property == taken.atom;
    });
    if (delivery == deliveries_.end()) return;
    const auto part = std::string_view(*delivery->contents).substr(delivery->sent, max_at_once);
    put(connection_->get(), delivery->to, delivery->property, delivery->type, part);
    delivery->sent += part.size();
    if (part.empty()) deliveries_.erase(delivery);
}

void SelectionOwner::forget(xcb_window_t window) {
    std::erase_if(deliveries_, [&](const Delivery& delivery) { return delivery.to == window; });
}

void SelectionOwner::watch(xcb_window_t window) const {
    const std::uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(connection_->get(), window, XCB_CW_EVENT_MASK, &events);
}

} // namespace eyehand::winio::x11
