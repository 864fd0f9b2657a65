// Keys by name or character, independent of the keyboard layout.
#pragma once

#include "eyehand/export.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::winio {

/// Keys that have a name instead of a character.
enum class NamedKey {
    enter,
    tab,
    escape,
    windows,
    ctrl,
    alt,
    shift,
    backspace,
    del,
    space,
    home,
    end,
    page_up,
    page_down,
    up,
    down,
    left,
    right,
    insert,
    print_screen,
    pause,
    caps_lock,
    num_lock,
    scroll_lock,
    menu,
    f1,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
    f13,
    f14,
    f15,
    f16,
    f17,
    f18,
    f19,
    f20,
    f21,
    f22,
    f23,
    f24,
};

/// A named key, or the key that produces a character (lower case, without modifiers).
using Key = std::variant<NamedKey, char32_t>;

/// Keys pressed together: pressed in this order, released in the opposite order. Modifiers come
/// first.
struct KeyChord {
    std::vector<Key> keys;
    friend bool operator==(const KeyChord&, const KeyChord&) = default;
};

/// Parses "enter", "ctrl+shift+s", "alt+f4", "ctrl++". Case-insensitive; accepts spaces around
/// names and the usual synonyms (esc, return, win, control, del, pgup, ...). Empty if `text` is not
/// a chord; `problem`, if not null, then receives the reason in words that a model can act on.
[[nodiscard]] EYEHAND_WINIO_API std::optional<KeyChord> parse_chord(std::string_view text,
                                                                    std::string* problem = nullptr);

/// The chord as text, which `parse_chord` reads: "ctrl+shift+s".
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const KeyChord& chord);
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const Key& key);

} // namespace eyehand::winio
