#include "win32/key_codes.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace eyehand::winio::win32 {
namespace {

struct NamedCode {
    NamedKey key;
    std::uint16_t virtual_key;
    bool extended;
};

// Virtual keys are from winuser.h. Keys that an enhanced keyboard has in addition to the numeric
// pad are extended: without the flag they would be the keys of the pad. Modifiers are the left
// ones.
constexpr std::array named_codes{
    NamedCode{NamedKey::enter, 0x0D, false},
    NamedCode{NamedKey::tab, 0x09, false},
    NamedCode{NamedKey::escape, 0x1B, false},
    NamedCode{NamedKey::windows, vk_left_windows, true},
    NamedCode{NamedKey::ctrl, vk_left_ctrl, false},
    NamedCode{NamedKey::alt, vk_left_alt, false},
    NamedCode{NamedKey::shift, vk_left_shift, false},
    NamedCode{NamedKey::backspace, 0x08, false},
    NamedCode{NamedKey::del, 0x2E, true},
    NamedCode{NamedKey::space, 0x20, false},
    NamedCode{NamedKey::home, 0x24, true},
    NamedCode{NamedKey::end, 0x23, true},
    NamedCode{NamedKey::page_up, 0x21, true},
    NamedCode{NamedKey::page_down, 0x22, true},
    NamedCode{NamedKey::up, 0x26, true},
    NamedCode{NamedKey::down, 0x28, true},
    NamedCode{NamedKey::left, 0x25, true},
    NamedCode{NamedKey::right, 0x27, true},
    NamedCode{NamedKey::insert, 0x2D, true},
    NamedCode{NamedKey::print_screen, 0x2C, true},
    NamedCode{NamedKey::pause, 0x13, false},
    NamedCode{NamedKey::caps_lock, 0x14, false},
    NamedCode{NamedKey::num_lock, 0x90, true},
    NamedCode{NamedKey::scroll_lock, 0x91, false},
    NamedCode{NamedKey::menu, 0x5D, true},
};
constexpr std::uint16_t vk_f1 = 0x70; // f1 to f24 are consecutive

KeyCode code(std::uint16_t virtual_key, bool extended, const KeyLayout& layout) {
    return {virtual_key, layout.scan_code(virtual_key), extended};
}

std::vector<KeyCode> codes_of_named(NamedKey key, const KeyLayout& layout) {
    if (key >= NamedKey::f1 && key <= NamedKey::f24) {
        const int number = static_cast<int>(key) - static_cast<int>(NamedKey::f1);
        return {code(static_cast<std::uint16_t>(vk_f1 + number), false, layout)};
    }
    const auto found = std::ranges::find(named_codes, key, &NamedCode::key);
    if (found == named_codes.end()) return {};
    return {code(found->virtual_key, found->extended, layout)};
}

// Shortcuts use Latin letters and digits even if the layout types others: Ctrl+C on a Russian
// keyboard. The virtual key is then the ASCII code of the capital letter or the digit.
std::optional<std::uint16_t> shortcut_key(char32_t character) {
    if (character >= U'a' && character <= U'z')
        return static_cast<std::uint16_t>(character - U'a' + U'A');
    if (character >= U'0' && character <= U'9') return static_cast<std::uint16_t>(character);
    return std::nullopt;
}

std::vector<KeyCode> codes_of_character(char32_t character, const KeyLayout& layout) {
    constexpr int no_key = -1;
    const int found =
        character <= 0xFFFF ? layout.key_of_character(static_cast<char16_t>(character)) : no_key;
    if (found == no_key || (found & 0xFFFF) == 0xFFFF) {
        if (const auto key = shortcut_key(character)) return {code(*key, false, layout)};
        return {};
    }
    // VkKeyScanEx's high byte: 1 Shift, 2 Ctrl, 4 Alt; the other bits are for keyboard drivers.
    const int modifiers = found >> 8;
    const bool shift = (modifiers & 1) != 0;
    const bool ctrl = (modifiers & 2) != 0;
    const bool alt = (modifiers & 4) != 0;
    std::vector<KeyCode> codes;
    if (shift) codes.push_back(code(vk_left_shift, false, layout));
    // Ctrl and Alt together are AltGr, which is the extended right Alt alone: layouts with AltGr
    // add the Ctrl themselves.
    if (ctrl && alt) {
        codes.push_back(code(vk_right_alt, true, layout));
    } else if (ctrl) {
        codes.push_back(code(vk_left_ctrl, false, layout));
    } else if (alt) {
        codes.push_back(code(vk_left_alt, false, layout));
    }
    codes.push_back(code(static_cast<std::uint16_t>(found & 0xFF), false, layout));
    return codes;
}

} // namespace

std::vector<KeyCode> codes_of(const Key& key, const KeyLayout& layout, KeyUse use) {
    if (const auto* named = std::get_if<NamedKey>(&key)) return codes_of_named(*named, layout);
    const char32_t character = std::get<char32_t>(key);
    if (use == KeyUse::shortcut) {
        if (const auto virtual_key = shortcut_key(character))
            return {code(*virtual_key, false, layout)};
    }
    return codes_of_character(character, layout);
}

} // namespace eyehand::winio::win32
