#include "x11/key_codes.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace eyehand::winio::x11 {
namespace {

struct Level {
    int column;
    bool shift;
    bool level3;
};

// XKB's layout of groups of four levels in the columns of the core protocol: two groups of two
// levels, then the other two levels of both. The third and fourth groups are not included.
constexpr std::array first_group{Level{0, false, false}, Level{1, true, false},
                                 Level{4, false, true}, Level{5, true, true}};
constexpr std::array second_group{Level{2, false, false}, Level{3, true, false},
                                  Level{6, false, true}, Level{7, true, true}};

std::span<const Level> levels_of(int group) {
    if (group == 0) return first_group;
    if (group == 1) return second_group;
    return {};
}

bool is_shortcut_key(char32_t character) {
    return (character >= U'a' && character <= U'z') || (character >= U'0' && character <= U'9');
}

// The modifiers that a level needs; empty if the keyboard lacks them.
std::optional<std::vector<Keycode>> modifiers_of(const Level& level, const KeyboardMap& map) {
    std::vector<Keycode> keys;
    for (const auto& [needed, keysym] :
         {std::pair{level.shift, keysym_shift}, std::pair{level.level3, keysym_level3}}) {
        if (!needed) continue;
        const Keycode key = map.key_of(keysym);
        if (key == no_keycode || !map.is_modifier(key)) return std::nullopt;
        keys.push_back(key);
    }
    return keys;
}

bool writes(Keysym keysym, char32_t character) {
    return keysym == keysym_of(character) || character_of(keysym) == character;
}

std::vector<Keycode> codes_of_character(char32_t character, const KeyboardMap& map) {
    for (const Level& level : levels_of(map.group)) {
        auto codes = modifiers_of(level, map);
        if (!codes) continue;
        for (int row = 0; row < map.rows(); ++row) {
            const auto key = static_cast<Keycode>(map.first + row);
            Keysym keysym = map.at(key, level.column);
            // A key that only the first group defines has the same meaning in the others.
            if (keysym == no_keysym && map.group == 1 && map.at(key, 2) == no_keysym)
                keysym = map.at(key, level.column - 2);
            if (!writes(keysym, character)) continue;
            codes->push_back(key);
            return *codes;
        }
    }
    return {};
}

// The key with this letter or digit in any layout and at any level.
std::vector<Keycode> codes_of_shortcut(char32_t character, const KeyboardMap& map) {
    if (auto codes = codes_of_character(character, map); !codes.empty()) return {codes.back()};
    const Keycode key = map.key_of(keysym_of(character));
    return key == no_keycode ? std::vector<Keycode>{} : std::vector{key};
}

} // namespace

int KeyboardMap::rows() const {
    return columns == 0 ? 0 : static_cast<int>(keysyms.size()) / columns;
}

Keysym KeyboardMap::at(Keycode key, int column) const {
    const int row = key - first;
    if (row < 0 || row >= rows() || column < 0 || column >= columns) return no_keysym;
    return keysyms[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                   static_cast<std::size_t>(column)];
}

bool KeyboardMap::is_modifier(Keycode key) const {
    return std::ranges::any_of(modifiers, [&](const std::vector<Keycode>& keys) {
        return std::ranges::find(keys, key) != keys.end();
    });
}

Keycode KeyboardMap::key_of(Keysym keysym) const {
    const auto found = std::ranges::find(keysyms, keysym);
    if (found == keysyms.end()) return no_keycode;
    return static_cast<Keycode>(first + (found - keysyms.begin()) / columns);
}

std::vector<Keycode> codes_of(const Key& key, const KeyboardMap& map, KeyUse use) {
    if (const auto* named = std::get_if<NamedKey>(&key)) {
        const Keycode code = map.key_of(keysym_of(*named));
        return code == no_keycode ? std::vector<Keycode>{} : std::vector{code};
    }
    const char32_t character = std::get<char32_t>(key);
    return use == KeyUse::shortcut && is_shortcut_key(character)
               ? codes_of_shortcut(character, map)
               : codes_of_character(character, map);
}

} // namespace eyehand::winio::x11
