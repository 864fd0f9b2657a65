// The parts of a chord that a program can wait for.
#pragma once

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/keys.hpp"

#include <set>
#include <string>
#include <variant>

namespace eyehand::winio {

struct HotKeyChord {
    std::set<NamedKey> modifiers{}; ///< of ctrl, alt, shift and windows
    Key key{};
};

/// Throws Error{not_supported} for a chord that is not a single key with any modifiers.
[[nodiscard]] inline HotKeyChord hot_key_chord(const KeyChord& chord) {
    HotKeyChord parts;
    int keys = 0;
    for (const Key& key : chord.keys) {
        const auto* named = std::get_if<NamedKey>(&key);
        if (named != nullptr && (*named == NamedKey::ctrl || *named == NamedKey::alt ||
                                 *named == NamedKey::shift || *named == NamedKey::windows)) {
            parts.modifiers.insert(*named);
        } else {
            parts.key = key;
            ++keys;
        }
    }
    if (keys != 1)
        throw Error(errc::not_supported,
                    "a hot key is one key with any of the modifiers ctrl, alt, shift and windows, "
                    "not \"" +
                        to_string(chord) + "\"");
    return parts;
}

} // namespace eyehand::winio
