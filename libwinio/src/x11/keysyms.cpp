#include "x11/keysyms.hpp"

#include <algorithm>
#include <array>

namespace eyehand::winio::x11 {
namespace {

struct NamedKeysym {
    NamedKey key;
    Keysym keysym;
};

// keysymdef.h; modifiers are the left ones.
constexpr std::array named_keysyms{
    NamedKeysym{NamedKey::enter, 0xFF0D},        // Return
    NamedKeysym{NamedKey::tab, 0xFF09},          // Tab
    NamedKeysym{NamedKey::escape, 0xFF1B},       // Escape
    NamedKeysym{NamedKey::windows, 0xFFEB},      // Super_L
    NamedKeysym{NamedKey::ctrl, 0xFFE3},         // Control_L
    NamedKeysym{NamedKey::alt, 0xFFE9},          // Alt_L
    NamedKeysym{NamedKey::shift, keysym_shift},  //
    NamedKeysym{NamedKey::backspace, 0xFF08},    // BackSpace
    NamedKeysym{NamedKey::del, 0xFFFF},          // Delete
    NamedKeysym{NamedKey::space, 0x0020},        // space
    NamedKeysym{NamedKey::home, 0xFF50},         // Home
    NamedKeysym{NamedKey::end, 0xFF57},          // End
    NamedKeysym{NamedKey::page_up, 0xFF55},      // Prior
    NamedKeysym{NamedKey::page_down, 0xFF56},    // Next
    NamedKeysym{NamedKey::up, 0xFF52},           // Up
    NamedKeysym{NamedKey::down, 0xFF54},         // Down
    NamedKeysym{NamedKey::left, 0xFF51},         // Left
    NamedKeysym{NamedKey::right, 0xFF53},        // Right
    NamedKeysym{NamedKey::insert, 0xFF63},       // Insert
    NamedKeysym{NamedKey::print_screen, 0xFF61}, // Print
    NamedKeysym{NamedKey::pause, 0xFF13},        // Pause
    NamedKeysym{NamedKey::caps_lock, keysym_caps_lock},
    NamedKeysym{NamedKey::num_lock, keysym_num_lock},
    NamedKeysym{NamedKey::scroll_lock, 0xFF14}, // Scroll_Lock
    NamedKeysym{NamedKey::menu, 0xFF67},        // Menu
};
constexpr Keysym keysym_f1 = 0xFFBE; // F1 to F24 are consecutive
constexpr Keysym unicode_rule = 0x01000000;

constexpr bool is_latin1(char32_t character) {
    return (character >= 0x20 && character <= 0x7E) || (character >= 0xA0 && character <= 0xFF);
}

} // namespace

Keysym keysym_of(NamedKey key) {
    if (key >= NamedKey::f1 && key <= NamedKey::f24)
        return keysym_f1 + static_cast<Keysym>(key) - static_cast<Keysym>(NamedKey::f1);
    const auto found = std::ranges::find(named_keysyms, key, &NamedKeysym::key);
    return found == named_keysyms.end() ? no_keysym : found->keysym;
}

Keysym keysym_of(char32_t character) {
    if (character == U'\n' || character == U'\r') return keysym_of(NamedKey::enter);
    if (character == U'\t') return keysym_of(NamedKey::tab);
    return is_latin1(character) ? Keysym{character} : unicode_rule + character;
}

std::optional<char32_t> character_of(Keysym keysym) {
    if (is_latin1(keysym)) return char32_t{keysym};
    if (keysym >= unicode_rule + 0x100 && keysym <= unicode_rule + 0x10FFFF)
        return char32_t{keysym - unicode_rule};
    return character_of_legacy(keysym);
}

} // namespace eyehand::winio::x11
