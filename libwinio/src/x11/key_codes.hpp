// Determines the physical keys for a Key.
#pragma once

#include "x11/keysyms.hpp"

#include <array>
#include <vector>

namespace eyehand::winio::x11 {

using Keycode = std::uint8_t;
inline constexpr Keycode no_keycode = 0; // servers use 8 and higher

/// The current meaning of the keys, from the server's core protocol.
struct KeyboardMap {
    Keycode first = 8;
    int columns = 0;             ///< keysyms per keycode
    std::vector<Keysym> keysyms; ///< row by row, one row per keycode
    /// The keycodes of Shift, Lock, Control and Mod1 to Mod5.
    std::array<std::vector<Keycode>, 8> modifiers;
    int group = 0; ///< the current layout, of up to four

    [[nodiscard]] int rows() const;
    /// no_keysym if the keyboard does not have this column.
    [[nodiscard]] Keysym at(Keycode key, int column) const;
    [[nodiscard]] bool is_modifier(Keycode key) const;
    /// The first key with this keysym in any column; no_keycode without one.
    [[nodiscard]] Keycode key_of(Keysym keysym) const;
};

/// The purpose of a key press. With Ctrl, Alt or Super held, it is a shortcut.
enum class KeyUse { character, shortcut };

/// The physical keys for `key` in the order of pressing: Shift and AltGr if its character needs
/// them in the current layout, then the key itself. Empty if the keyboard has no key for it.
/// Letters and digits of a shortcut need no modifiers: Ctrl+1 is the key of the 1, even on a French
/// keyboard, where the character needs Shift. They are searched in all layouts, so that Ctrl+C
/// works while a Russian layout is in use.
[[nodiscard]] std::vector<Keycode> codes_of(const Key& key, const KeyboardMap& map,
                                            KeyUse use = KeyUse::character);

} // namespace eyehand::winio::x11
