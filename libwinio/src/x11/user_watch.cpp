#include "x11/user_watch.hpp"

#include "eyehand/winio/error.hpp"
#include "posix/blocked_signals.hpp"
#include "user/chord_parts.hpp"
#include "x11/displays.hpp"
#include "x11/key_codes.hpp"
#include "x11/keyboard_reader.hpp"

#include <poll.h>
#include <xcb/xinput.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eyehand::winio::x11 {
namespace {

/// The keycodes of the modifier: for Alt and Windows, of the one among Mod1 to Mod5 that has the key.
std::vector<std::uint32_t> codes_of_modifier(NamedKey modifier, const KeyboardMap& map) {
    const auto widened = [](const auto& codes) {
        return std::vector<std::uint32_t>(codes.begin(), codes.end());
    };
    // The rows are Shift, Lock, Control and Mod1 to Mod5.
    if (modifier == NamedKey::shift) return widened(map.modifiers[0]);
    if (modifier == NamedKey::ctrl) return widened(map.modifiers[2]);
    const Keycode key = map.key_of(keysym_of(modifier));
    for (std::size_t row = 3; row < map.modifiers.size(); ++row)
        if (std::ranges::find(map.modifiers[row], key) != map.modifiers[row].end())
            return widened(map.modifiers[row]);
    return {};
}

SignalKeys signal_keys(const Connection& connection, const UserWatchOptions& options) {
    SignalKeys keys;
    const auto parts =
        options.stop_key ? std::optional(chord_parts(*options.stop_key)) : std::nullopt;
    const auto map = read_keyboard(connection);
    if (!map) throw Error(errc::not_supported, "the keyboard cannot be read");
    if (const auto codes = codes_of(NamedKey::escape, *map, KeyUse::shortcut); !codes.empty())
        keys.escape.push_back(codes.back());
    if (!parts) return keys;
    const auto codes = codes_of(parts->key, *map, KeyUse::shortcut);
    if (codes.size() != 1)
        throw Error(errc::not_supported,
                    "the keyboard has no single key for \"" + to_string(*options.stop_key) + "\"");
    keys.stop.push_back(codes.back());
    for (const NamedKey modifier : chord_modifiers)
        keys.modifiers.push_back(
            {codes_of_modifier(modifier, *map), parts->modifiers.contains(modifier)});
    return keys;
}

const xcb_ge_generic_event_t* generic_event(const xcb_generic_event_t& event) {
    return (event.response_type & event_type_mask) == XCB_GE_GENERIC
               ? reinterpret_cast<const xcb_ge_generic_event_t*>(&event)
               : nullptr;
}

} // namespace

RawInputWatch::RawInputWatch(const std::string& display, const UserWatchOptions& options,
                             std::function<void(UserSignal)> call)
    : connection_(display),
      detector_(
          signal_keys(connection_, options), [this] { return bounds_of_displays(); }, Echoes::no),
      call_(std::move(call)) {
    select_events();
    const BlockedSignals none_for_the_thread;
    thread_ = std::thread([this] { run(); });
}

RawInputWatch::~RawInputWatch() {
    ends_ = true;
    stop_.stop();
    thread_.join();
}

void RawInputWatch::select_events() {
    constexpr std::uint16_t major = 2;
    // In 2.0, a program with a grab is the only one to get events.
    constexpr std::uint16_t minor = 1;
    const auto version =
        connection_.has(&xcb_input_id)
            ? connection_.take(xcb_input_xi_query_version_reply,
                               xcb_input_xi_query_version(connection_.get(), major, minor))
            : nullptr;
    if (!version ||
        std::pair(version->major_version, version->minor_version) < std::pair(major, minor))
        throw Error(errc::not_supported,
                    "the X server lacks XInput 2.1, with which the user's input is watched");
    extension_ = xcb_get_extension_data(connection_.get(), &xcb_input_id)->major_opcode;
    struct Events {
        xcb_input_event_mask_t head;
        std::uint32_t mask;
    };
    const Events input{
        {.deviceid = XCB_INPUT_DEVICE_ALL_MASTER, .mask_len = 1},
        XCB_INPUT_XI_EVENT_MASK_RAW_KEY_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_KEY_RELEASE |
            XCB_INPUT_XI_EVENT_MASK_RAW_BUTTON_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_MOTION};
    xcb_input_xi_select_events(connection_.get(), connection_.root(), 1, &input.head);
    const Events devices{{.deviceid = XCB_INPUT_DEVICE_ALL, .mask_len = 1},
                         XCB_INPUT_XI_EVENT_MASK_HIERARCHY};
    xcb_input_xi_select_events(connection_.get(), connection_.root(), 1, &devices.head);
    const auto down = connection_.take(xcb_query_keymap_reply, xcb_query_keymap(connection_.get()));
    if (!down) throw Error(errc::no_display, "the connection to the X server is lost");
    for (unsigned key = 0; key < 8 * sizeof down->keys; ++key)
        if (((down->keys[key / 8] >> (key % 8)) & 1U) != 0) detector_.is_down(key);
    if (const auto place = pointer()) detector_.is_at(*place);
}

void RawInputWatch::run() {
    while (read_events()) {
        int timeout = -1;
        if (const auto next = detector_.next())
            timeout = static_cast<int>(std::max<std::chrono::milliseconds::rep>(
                std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()).count(), 0));
        std::array<pollfd, 2> waiting{pollfd{xcb_get_file_descriptor(connection_.get()), POLLIN, 0},
                                      pollfd{stop_.readable_end(), POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), timeout);
        if (waiting[1].revents != 0) return;
        report(detector_.due(Clock::now()));
    }
    if (!ends_) call_(UserSignal::watch_ended);
}

bool RawInputWatch::read_events() {
    while (true) {
        const auto event = next_event();
        if (!event) {
            if (!motion_) break;
            note_pointer(); // more events may arrive with the reply
            continue;
        }
        if (const auto* generic = generic_event(*event)) note(*generic);
    }
    return !connection_.lost();
}

Reply<xcb_generic_event_t> RawInputWatch::next_event() {
    if (read_.empty()) return Reply<xcb_generic_event_t>(xcb_poll_for_event(connection_.get()));
    auto event = std::move(read_.front());
    read_.pop_front();
    return event;
}

void RawInputWatch::note(const xcb_ge_generic_event_t& event) {
    if (event.extension != extension_) return;
    if (event.event_type == XCB_INPUT_HIERARCHY) {
        xtest_.clear();
        return;
    }
    // All raw events have the same layout.
    const auto& raw = reinterpret_cast<const xcb_input_raw_key_press_event_t&>(event);
    using Kind = ReportedInput::Kind;
    ReportedInput input{.by_user = !is_xtest(raw.sourceid), .code = raw.detail};
    if (connection_.lost()) return; // the device may not be known
    switch (event.event_type) {
    case XCB_INPUT_RAW_KEY_PRESS:
        input.kind = Kind::key_down;
        break;
    case XCB_INPUT_RAW_KEY_RELEASE:
        input.kind = Kind::key_up;
        break;
    case XCB_INPUT_RAW_BUTTON_PRESS:
        input.kind = Kind::button_down; // a wheel is buttons, too
        break;
    case XCB_INPUT_RAW_MOTION:
        // Only the latest place is asked for, because each one costs a round trip. After a move of a
        // program, the place before it is no longer known.
        if (motion_ && !motion_->by_user && input.by_user) note_pointer();
        motion_ = input;
        return;
    default:
        return;
    }
    report(detector_.note(input, Clock::now()));
}

void RawInputWatch::note_pointer() {
    ReportedInput input = *std::exchange(motion_, std::nullopt);
    const auto place = pointer();
    if (!place) return;
    // Then the place is not where the user has moved the pointer.
    if (input.by_user && program_has_moved()) return;
    input.pointer = *place;
    report(detector_.note(input, Clock::now()));
}

bool RawInputWatch::program_has_moved() {
    while (auto event = Reply<xcb_generic_event_t>(xcb_poll_for_queued_event(connection_.get())))
        read_.push_back(std::move(event));
    return std::ranges::any_of(read_, [&](const auto& event) {
        const auto* generic = generic_event(*event);
        return generic != nullptr && generic->extension == extension_ &&
               generic->event_type == XCB_INPUT_RAW_MOTION &&
               is_xtest(reinterpret_cast<const xcb_input_raw_motion_event_t*>(generic)->sourceid);
    });
}

std::optional<Point> RawInputWatch::pointer() const {
    const auto place = connection_.take(xcb_query_pointer_reply,
                                        xcb_query_pointer(connection_.get(), connection_.root()));
    if (!place || place->same_screen == 0) return std::nullopt;
    return Point{place->root_x, place->root_y};
}

/// The server marks the devices of XTEST with this property.
bool RawInputWatch::is_xtest(std::uint16_t device) {
    if (const auto known = xtest_.find(device); known != xtest_.end()) return known->second;
    const auto property = connection_.take(
        xcb_input_xi_get_property_reply,
        xcb_input_xi_get_property(connection_.get(), device, 0, connection_.atom("XTEST Device"),
                                  XCB_ATOM_ANY, 0, 1));
    const bool is =
        property && property->num_items > 0 &&
        *static_cast<const std::uint8_t*>(xcb_input_xi_get_property_items(property.get())) != 0;
    return xtest_[device] = is;
}

std::vector<Rect> RawInputWatch::bounds_of_displays() {
    std::vector<Rect> bounds;
    try {
        for (const Display& display : displays(connection_)) bounds.push_back(display.bounds);
    } catch (const Error&) { // NOLINT(bugprone-empty-catch): the loop ends without a connection
    }
    return bounds;
}

void RawInputWatch::report(const std::vector<UserSignal>& signals) const {
    for (const UserSignal signal : signals) call_(signal);
}

} // namespace eyehand::winio::x11
