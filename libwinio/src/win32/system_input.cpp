#include "win32/system_input.hpp"

#include "win32/key_codes.hpp"

namespace eyehand::winio::win32 {
namespace {

static_assert(mouse_move == MOUSEEVENTF_MOVE && mouse_left_down == MOUSEEVENTF_LEFTDOWN &&
              mouse_left_up == MOUSEEVENTF_LEFTUP && mouse_right_down == MOUSEEVENTF_RIGHTDOWN &&
              mouse_right_up == MOUSEEVENTF_RIGHTUP &&
              mouse_middle_down == MOUSEEVENTF_MIDDLEDOWN &&
              mouse_middle_up == MOUSEEVENTF_MIDDLEUP && mouse_wheel == MOUSEEVENTF_WHEEL &&
              mouse_hwheel == MOUSEEVENTF_HWHEEL && mouse_virtual_desk == MOUSEEVENTF_VIRTUALDESK &&
              mouse_absolute == MOUSEEVENTF_ABSOLUTE && key_extended == KEYEVENTF_EXTENDEDKEY &&
              key_up == KEYEVENTF_KEYUP && key_unicode == KEYEVENTF_UNICODE &&
              wheel_delta == WHEEL_DELTA);
static_assert(vk_left_shift == VK_LSHIFT && vk_left_ctrl == VK_LCONTROL &&
              vk_left_alt == VK_LMENU && vk_right_alt == VK_RMENU && vk_left_windows == VK_LWIN);

INPUT to_input(const NativeInput& native) {
    INPUT input{};
    const ULONG_PTR mark = native.mark != 0 ? native.mark : own_input;
    if (native.kind == NativeInput::Kind::mouse) {
        input.type = INPUT_MOUSE;
        input.mi.dx = native.dx;
        input.mi.dy = native.dy;
        input.mi.mouseData = static_cast<DWORD>(native.wheel);
        input.mi.dwFlags = native.flags;
        input.mi.dwExtraInfo = mark;
    } else {
        input.type = INPUT_KEYBOARD;
        input.ki.wVk = native.virtual_key;
        input.ki.wScan = native.scan;
        input.ki.dwFlags = native.flags;
        input.ki.dwExtraInfo = mark;
    }
    return input;
}

} // namespace

std::vector<INPUT> to_inputs(std::span<const NativeInput> inputs) {
    std::vector<INPUT> all;
    all.reserve(inputs.size());
    for (const NativeInput& input : inputs) all.push_back(to_input(input));
    return all;
}

} // namespace eyehand::winio::win32
