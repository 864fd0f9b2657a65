// Keysyms: the meanings of X11 keys.
#pragma once

#include "eyehand/winio/keys.hpp"

#include <cstdint>
#include <optional>

namespace eyehand::winio::x11 {

using Keysym = std::uint32_t;

// Keysyms (keysymdef.h) that other files use.
inline constexpr Keysym no_keysym = 0;
inline constexpr Keysym keysym_shift = 0xFFE1;     // Shift_L
inline constexpr Keysym keysym_caps_lock = 0xFFE5; // Caps_Lock
inline constexpr Keysym keysym_num_lock = 0xFF7F;  // Num_Lock
inline constexpr Keysym keysym_level3 = 0xFE03;    // ISO_Level3_Shift: AltGr

/// The keysym of a named key.
[[nodiscard]] Keysym keysym_of(NamedKey key);
/// The keysym of this character on any keyboard: Latin-1 characters are their own keysym, all
/// others follow the rule for Unicode. Line feed and carriage return are Enter, a tab is Tab.
[[nodiscard]] Keysym keysym_of(char32_t character);
/// The character that a keysym types, also if the character has several keysyms; empty if it types
/// no character.
[[nodiscard]] std::optional<char32_t> character_of(Keysym keysym);

/// The character of a keysym from before Unicode.
[[nodiscard]] std::optional<char32_t> character_of_legacy(Keysym keysym);

} // namespace eyehand::winio::x11
