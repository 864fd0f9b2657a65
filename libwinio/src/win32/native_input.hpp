// The input of SendInput without <windows.h>, so that tests on any system cover everything up to
// the call. The values are those of the Windows SDK; input_sender.cpp asserts that they agree.
#pragma once

#include <cstdint>

namespace eyehand::winio::win32 {

struct NativeInput {
    enum class Kind { mouse, key } kind = Kind::key;
    std::uint32_t flags = 0;       ///< MOUSEEVENTF_* or KEYEVENTF_*
    std::int32_t dx = 0;           ///< mouse only
    std::int32_t dy = 0;           ///< mouse only
    std::int32_t wheel = 0;        ///< mouse only: mouseData
    std::uintptr_t mark = 0;       ///< dwExtraInfo; 0: `own_input`
    std::uint16_t virtual_key = 0; ///< key only
    std::uint16_t scan = 0;        ///< key only: a scan code, or with key_unicode a UTF-16 unit
    friend bool operator==(const NativeInput&, const NativeInput&) = default;
};

/// In the high half of dwExtraInfo: this library has sent the input. The low half is free.
inline constexpr std::uintptr_t own_input = 0x4579'0000;
inline constexpr std::uintptr_t own_input_mask = 0xFFFF'0000;

inline constexpr std::uint32_t mouse_move = 0x0001;
inline constexpr std::uint32_t mouse_left_down = 0x0002;
inline constexpr std::uint32_t mouse_left_up = 0x0004;
inline constexpr std::uint32_t mouse_right_down = 0x0008;
inline constexpr std::uint32_t mouse_right_up = 0x0010;
inline constexpr std::uint32_t mouse_middle_down = 0x0020;
inline constexpr std::uint32_t mouse_middle_up = 0x0040;
inline constexpr std::uint32_t mouse_wheel = 0x0800;
inline constexpr std::uint32_t mouse_hwheel = 0x1000;
inline constexpr std::uint32_t mouse_virtual_desk = 0x4000;
inline constexpr std::uint32_t mouse_absolute = 0x8000;
inline constexpr std::uint32_t key_extended = 0x0001;
inline constexpr std::uint32_t key_up = 0x0002;
inline constexpr std::uint32_t key_unicode = 0x0004;
inline constexpr std::int32_t wheel_delta = 120; // WHEEL_DELTA

} // namespace eyehand::winio::win32
