#include "win32/signal_keys.hpp"

#include "eyehand/winio/error.hpp"
#include "user/chord_parts.hpp"
#include "win32/key_codes.hpp"

#include <windows.h>

#include <string>
#include <vector>

namespace eyehand::winio::win32 {
namespace {

/// Hooks tell left and right apart, but some programs send keys without a side.
std::vector<std::uint32_t> codes_of_modifier(NamedKey modifier) {
    switch (modifier) {
    case NamedKey::shift:
        return {VK_SHIFT, VK_LSHIFT, VK_RSHIFT};
    case NamedKey::ctrl:
        return {VK_CONTROL, VK_LCONTROL, VK_RCONTROL};
    case NamedKey::alt:
        return {VK_MENU, VK_LMENU, VK_RMENU};
    default:
        return {VK_LWIN, VK_RWIN};
    }
}

KeyLayout present_layout() {
    const HKL layout = GetKeyboardLayout(GetWindowThreadProcessId(GetForegroundWindow(), nullptr));
    return {[layout](char16_t character) -> int {
                return VkKeyScanExW(static_cast<WCHAR>(character), layout);
            },
            [layout](std::uint16_t virtual_key) {
                return static_cast<std::uint16_t>(
                    MapVirtualKeyExW(virtual_key, MAPVK_VK_TO_VSC, layout));
            }};
}

} // namespace

std::uint32_t key_code(std::uint32_t virtual_key) {
    return virtual_key == VK_CANCEL ? VK_PAUSE : virtual_key;
}

SignalKeys signal_keys(const UserWatchOptions& options) {
    SignalKeys keys{.escape = {VK_ESCAPE}};
    if (!options.stop_key) return keys;
    const ChordParts parts = chord_parts(*options.stop_key);
    const auto codes = codes_of(parts.key, present_layout(), KeyUse::shortcut);
    if (codes.size() != 1)
        throw Error(errc::not_supported,
                    "the keyboard has no single key for \"" + to_string(*options.stop_key) + "\"");
    keys.stop = {key_code(codes.back().virtual_key)};
    for (const NamedKey modifier : chord_modifiers)
        keys.modifiers.push_back({codes_of_modifier(modifier), parts.modifiers.contains(modifier)});
    return keys;
}

} // namespace eyehand::winio::win32
