// Small keyboards, as an X server reports them.
#pragma once

#include "x11/key_codes.hpp"

namespace x11_keyboards {

using eyehand::winio::x11::KeyboardMap;
using eyehand::winio::x11::Keycode;
using eyehand::winio::x11::Keysym;

// Keycodes of the evdev keyboard.
inline constexpr Keycode left_shift = 50;
inline constexpr Keycode level3 = 92;
inline constexpr Keycode left_ctrl = 37;
inline constexpr Keycode left_alt = 64;
inline constexpr Keycode caps_lock = 66;
inline constexpr Keycode enter = 36;
inline constexpr Keycode key_q = 24;
inline constexpr Keycode key_c = 54;
inline constexpr Keycode key_1 = 10;
inline constexpr Keycode spare_a = 93;
inline constexpr Keycode spare_b = 97;
inline constexpr Keycode spare_c = 103;

inline void set(KeyboardMap& map, Keycode key, std::vector<Keysym> keysyms) {
    for (std::size_t column = 0; column < keysyms.size(); ++column)
        map.keysyms[static_cast<std::size_t>((key - map.first) * map.columns) + column] =
            keysyms[column];
}

/// German, with three spare keys: '@' is AltGr+q, '!' is Shift+1. Every other keycode types "x".
inline KeyboardMap german() {
    KeyboardMap map;
    map.first = 8;
    map.columns = 8;
    constexpr Keysym something_else = 0x1008FF11;
    map.keysyms.assign(std::size_t{8} * 112, something_else);
    set(map, left_shift, {eyehand::winio::x11::keysym_shift, 0, 0, 0, 0, 0, 0, 0});
    set(map, level3, {eyehand::winio::x11::keysym_level3, 0, 0, 0, 0, 0, 0, 0});
    set(map, left_ctrl, {0xFFE3, 0, 0, 0, 0, 0, 0, 0});
    set(map, left_alt, {0xFFE9, 0, 0, 0, 0, 0, 0, 0});
    set(map, caps_lock, {eyehand::winio::x11::keysym_caps_lock, 0, 0, 0, 0, 0, 0, 0});
    set(map, enter, {0xFF0D, 0, 0, 0, 0, 0, 0, 0});
    set(map, key_q, {'q', 'Q', 'q', 'Q', '@', 0x7D9, 0, 0}); // Greek_OMEGA: a legacy keysym
    set(map, key_c, {'c', 'C', 'c', 'C', 0xA2, 0xA9, 0, 0});
    set(map, key_1, {'1', '!', '1', '!', 0xB9, 0xA1, 0, 0});
    for (const Keycode key : {spare_a, spare_b, spare_c}) set(map, key, {0, 0, 0, 0, 0, 0, 0, 0});
    map.modifiers[0] = {left_shift};
    map.modifiers[1] = {caps_lock};
    map.modifiers[2] = {left_ctrl};
    map.modifiers[3] = {left_alt};
    map.modifiers[7] = {level3};
    return map;
}

/// The Russian layout beside the German one.
inline KeyboardMap german_and_russian(int group) {
    KeyboardMap map = german();
    set(map, key_q, {'q', 'Q', 0x6CA, 0x6EA, '@', 0x7D9, 0, 0}); // Cyrillic_shorti
    set(map, key_c, {'c', 'C', 0x6D3, 0x6F3, 0, 0, 0, 0});       // Cyrillic_es
    map.group = group;
    return map;
}

} // namespace x11_keyboards
