// Determines the physical keys for a Key.
#pragma once

#include "eyehand/winio/keys.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace eyehand::winio::win32 {

/// One physical key, as SendInput identifies it.
struct KeyCode {
    std::uint16_t virtual_key = 0;
    std::uint16_t scan = 0;
    bool extended = false;
    friend bool operator==(const KeyCode&, const KeyCode&) = default;
};

/// Queries of a keyboard layout.
struct KeyLayout {
    /// VkKeyScanExW: the virtual key in the low byte, the modifiers in the high byte; -1 if the
    /// layout has no key.
    std::function<int(char16_t)> key_of_character;
    /// MapVirtualKeyExW(MAPVK_VK_TO_VSC).
    std::function<std::uint16_t(std::uint16_t virtual_key)> scan_code;
};

// Virtual keys (winuser.h) that other files use.
inline constexpr std::uint16_t vk_left_shift = 0xA0;
inline constexpr std::uint16_t vk_left_ctrl = 0xA2;
inline constexpr std::uint16_t vk_left_alt = 0xA4;
inline constexpr std::uint16_t vk_right_alt = 0xA5;
inline constexpr std::uint16_t vk_left_windows = 0x5B;

/// The purpose of a key press. With Ctrl, Alt or Windows held, it is a shortcut.
enum class KeyUse { character, shortcut };

/// The physical keys for `key` in the order of pressing: the modifiers that its character needs on
/// this layout, then the key itself. Empty if the layout has no key for the character. Letters and
/// digits of a shortcut need no modifiers: Ctrl+1 is the key of the 1, even on a French keyboard,
/// where the character needs Shift.
[[nodiscard]] std::vector<KeyCode> codes_of(const Key& key, const KeyLayout& layout,
                                            KeyUse use = KeyUse::character);

} // namespace eyehand::winio::win32
