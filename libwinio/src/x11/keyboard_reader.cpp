#include "x11/keyboard_reader.hpp"

namespace eyehand::winio::x11 {

KeyboardMap keyboard_of(const xcb_get_keyboard_mapping_reply_t& keys,
                        const xcb_get_modifier_mapping_reply_t& modifiers, Keycode first,
                        std::uint16_t state) {
    KeyboardMap map;
    map.first = first;
    map.columns = keys.keysyms_per_keycode;
    const auto* keysym = xcb_get_keyboard_mapping_keysyms(&keys);
    map.keysyms.assign(keysym, keysym + xcb_get_keyboard_mapping_keysyms_length(&keys));
    const auto* keycode = xcb_get_modifier_mapping_keycodes(&modifiers);
    for (std::vector<Keycode>& row : map.modifiers)
        for (int i = 0; i < modifiers.keycodes_per_modifier; ++i, ++keycode)
            if (*keycode != no_keycode) row.push_back(*keycode);
    map.group = (state >> 13U) & 3U; // XKB's group bits in the core protocol's state
    return map;
}

std::optional<KeyboardMap> read_keyboard(const Connection& connection) {
    xcb_connection_t* const server = connection.get();
    const xcb_setup_t& setup = *xcb_get_setup(server);
    const auto keys =
        connection.take(xcb_get_keyboard_mapping_reply,
                        xcb_get_keyboard_mapping(
                            server, setup.min_keycode,
                            static_cast<std::uint8_t>(setup.max_keycode - setup.min_keycode + 1)));
    const auto modifiers =
        connection.take(xcb_get_modifier_mapping_reply, xcb_get_modifier_mapping(server));
    const auto pointer =
        connection.take(xcb_query_pointer_reply, xcb_query_pointer(server, connection.root()));
    if (!keys || !modifiers || !pointer) return std::nullopt;
    return keyboard_of(*keys, *modifiers, setup.min_keycode, pointer->mask);
}

} // namespace eyehand::winio::x11
