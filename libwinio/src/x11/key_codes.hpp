// Which keys of the keyboard make a Key.
#pragma once

#include "x11/keysyms.hpp"

#include <array>
#include <vector>

namespace eyehand::winio::x11 {

using Keycode = std::uint8_t;
inline constexpr Keycode no_keycode = 0; // the least a server has is 8

/// What the keys mean at the moment, as the server's core protocol tells it.
struct KeyboardMap {
    Keycode first = 8;
    int columns = 0;             ///< keysyms a keycode
    std::vector<Keysym> keysyms; ///< row by row, one row a keycode
    /// The keycodes of Shift, Lock, Control and Mod1 to Mod5.
    std::array<std::vector<Keycode>, 8> modifiers;
    int group = 0; ///< the layout in use, of up to four

    [[nodiscard]] int rows() const;
    /// no_keysym for a column that the keyboard does not have.
    [[nodiscard]] Keysym at(Keycode key, int column) const;
    [[nodiscard]] bool is_modifier(Keycode key) const;
    /// The first key with this keysym in any column; no_keycode without one.
    [[nodiscard]] Keycode key_of(Keysym keysym) const;
};

/// What a key is pressed for. With Ctrl, Alt or Super held it is a shortcut.
enum class KeyUse { character, shortcut };

/// The keys to hold for `key` in the order of pressing: Shift and AltGr as far as its character
/// needs them in the layout in use, then the key itself. Empty when the keyboard has no key for it.
/// Letters and digits of a shortcut need no modifiers: Ctrl+1 is the key of the 1, also on a French
/// keyboard, where the character needs Shift; and they are looked for in all layouts: Ctrl+C while
/// the Russian one of two is in use.
[[nodiscard]] std::vector<Keycode> codes_of(const Key& key, const KeyboardMap& map,
                                            KeyUse use = KeyUse::character);

} // namespace eyehand::winio::x11
