// What the keys of an X11 keyboard mean: keysyms.
#pragma once

#include "eyehand/winio/keys.hpp"

#include <cstdint>
#include <optional>

namespace eyehand::winio::x11 {

using Keysym = std::uint32_t;

// Those that other files need to know (keysymdef.h).
inline constexpr Keysym no_keysym = 0;
inline constexpr Keysym keysym_shift = 0xFFE1;     // Shift_L
inline constexpr Keysym keysym_caps_lock = 0xFFE5; // Caps_Lock
inline constexpr Keysym keysym_num_lock = 0xFF7F;  // Num_Lock
inline constexpr Keysym keysym_level3 = 0xFE03;    // ISO_Level3_Shift: AltGr

/// The keysym of a key that has a name.
[[nodiscard]] Keysym keysym_of(NamedKey key);
/// The keysym that means this character on any keyboard: Latin-1 is itself, all else is Unicode by
/// rule. Line feed and carriage return are Enter, a tab is Tab.
[[nodiscard]] Keysym keysym_of(char32_t character);
/// The character that a keysym writes, whichever of its keysyms it is; nothing for keys that write
/// none.
[[nodiscard]] std::optional<char32_t> character_of(Keysym keysym);

/// The character of a keysym older than Unicode.
[[nodiscard]] std::optional<char32_t> character_of_legacy(Keysym keysym);

} // namespace eyehand::winio::x11
