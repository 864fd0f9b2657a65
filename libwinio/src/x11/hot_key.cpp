#include "x11/hot_key.hpp"

#include "eyehand/winio/error.hpp"
#include "hot_key_chord.hpp"
#include "posix/blocked_signals.hpp"
#include "x11/keyboard_reader.hpp"

#include <poll.h>
#include <xcb/xinput.h>

#include <algorithm>
#include <array>
#include <utility>

namespace eyehand::winio::x11 {
namespace {

/// The keycodes of the modifier: for Alt and Windows, of the one among Mod1 to Mod5 that has the key.
std::vector<Keycode> keycodes_of(NamedKey modifier, const KeyboardMap& map) {
    // The rows are Shift, Lock, Control and Mod1 to Mod5.
    if (modifier == NamedKey::shift) return map.modifiers[0];
    if (modifier == NamedKey::ctrl) return map.modifiers[2];
    const Keycode key = map.key_of(keysym_of(modifier));
    for (std::size_t row = 3; row < map.modifiers.size(); ++row)
        if (std::ranges::find(map.modifiers[row], key) != map.modifiers[row].end())
            return map.modifiers[row];
    return {};
}

} // namespace

RawHotKey::RawHotKey(const std::string& display, const KeyChord& chord,
                     std::function<void()> pressed)
    : connection_(display), pressed_(std::move(pressed)) {
    const HotKeyChord parts = hot_key_chord(chord);
    const auto map = read_keyboard(connection_);
    const auto codes = map ? codes_of(parts.key, *map, KeyUse::shortcut) : std::vector<Keycode>{};
    if (codes.empty())
        throw Error(errc::not_supported,
                    "the keyboard has no key for \"" + to_string(chord) + "\"");
    key_ = codes.back();
    for (const NamedKey modifier :
         {NamedKey::shift, NamedKey::ctrl, NamedKey::alt, NamedKey::windows})
        modifiers_.push_back({keycodes_of(modifier, *map), parts.modifiers.contains(modifier)});
    select_events();
    const BlockedSignals none_for_the_thread;
    thread_ = std::thread([this] { run(); });
}

RawHotKey::~RawHotKey() {
    stop_.stop();
    thread_.join();
}

void RawHotKey::select_events() {
    constexpr std::uint16_t major = 2;
    constexpr std::uint16_t minor =
        1; // in 2.0, a program with a grab is the only one to get events
    const auto version =
        connection_.has(&xcb_input_id)
            ? connection_.take(xcb_input_xi_query_version_reply,
                               xcb_input_xi_query_version(connection_.get(), major, minor))
            : nullptr;
    if (!version ||
        std::pair(version->major_version, version->minor_version) < std::pair(major, minor))
        throw Error(errc::not_supported, "the X server lacks XInput 2.1, which hot keys need");
    extension_ = xcb_get_extension_data(connection_.get(), &xcb_input_id)->major_opcode;
    struct {
        xcb_input_event_mask_t head{.deviceid = XCB_INPUT_DEVICE_ALL_MASTER, .mask_len = 1};
        std::uint32_t mask =
            XCB_INPUT_XI_EVENT_MASK_RAW_KEY_PRESS | XCB_INPUT_XI_EVENT_MASK_RAW_KEY_RELEASE;
    } const events;
    xcb_input_xi_select_events(connection_.get(), connection_.root(), 1, &events.head);
    // Keys that are already down are not pressed again.
    const auto down = connection_.take(xcb_query_keymap_reply, xcb_query_keymap(connection_.get()));
    if (!down) throw Error(errc::no_display, "the connection to the X server is lost");
    for (unsigned key = 0; key < 8 * sizeof down->keys; ++key)
        if (((down->keys[key / 8] >> (key % 8)) & 1U) != 0) down_.insert(static_cast<Keycode>(key));
}

void RawHotKey::run() {
    while (read_events()) {
        std::array<pollfd, 2> waiting{pollfd{xcb_get_file_descriptor(connection_.get()), POLLIN, 0},
                                      pollfd{stop_.readable_end(), POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), -1);
        if (waiting[1].revents != 0) return;
    }
}

bool RawHotKey::read_events() {
    while (const auto event = Reply<xcb_generic_event_t>(xcb_poll_for_event(connection_.get()))) {
        constexpr std::uint8_t event_type_mask = 0x7F;
        if ((event->response_type & event_type_mask) != XCB_GE_GENERIC) continue;
        note(*reinterpret_cast<const xcb_ge_generic_event_t*>(event.get()));
    }
    return !connection_.lost();
}

void RawHotKey::note(const xcb_ge_generic_event_t& event) {
    if (event.extension != extension_) return;
    // Presses and releases have the same layout.
    const auto key = static_cast<Keycode>(
        reinterpret_cast<const xcb_input_raw_key_press_event_t&>(event).detail);
    if (event.event_type == XCB_INPUT_RAW_KEY_RELEASE) {
        down_.erase(key);
    } else if (event.event_type == XCB_INPUT_RAW_KEY_PRESS) {
        const bool is_new = down_.insert(key).second;
        if (is_new && key == key_ && modifiers_match()) pressed_();
    }
}

bool RawHotKey::modifiers_match() const {
    return std::ranges::all_of(modifiers_, [&](const Modifier& modifier) {
        const bool is_down =
            std::ranges::any_of(modifier.keys, [&](Keycode key) { return down_.contains(key); });
        return is_down == modifier.wanted;
    });
}

} // namespace eyehand::winio::x11
