// The parts of a chord that a user can press to stop a program.
#pragma once

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/keys.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <variant>

namespace eyehand::winio {

inline constexpr std::array chord_modifiers{NamedKey::shift, NamedKey::ctrl, NamedKey::alt,
                                            NamedKey::windows};

struct ChordParts {
    std::set<NamedKey> modifiers{}; ///< of `chord_modifiers`
    Key key{};
};

/// Throws Error{not_supported} for a chord that is not a single key with any modifiers.
[[nodiscard]] inline ChordParts chord_parts(const KeyChord& chord) {
    ChordParts parts;
    int keys = 0;
    for (const Key& key : chord.keys) {
        const auto* named = std::get_if<NamedKey>(&key);
        if (named != nullptr &&
            std::ranges::find(chord_modifiers, *named) != chord_modifiers.end()) {
            parts.modifiers.insert(*named);
        } else {
            parts.key = key;
            ++keys;
        }
    }
    if (keys != 1)
        throw Error(errc::not_supported,
                    "a stop key is one key with any of the modifiers ctrl, alt, shift and windows, "
                    "not \"" +
                        to_string(chord) + "\"");
    return parts;
}

} // namespace eyehand::winio
