// Input that is not from this library, which therefore counts as the user's.
#pragma once

#include "user_watch_contract.hpp"

#include "catch.hpp"

#include <windows.h>

namespace win32_tests {

class Hand {
public:
    void key(eyehand::winio::NamedKey key, eyehand::winio::Press press) {
        INPUT input{};
        input.type = INPUT_KEYBOARD;
        input.ki.wVk = key == eyehand::winio::NamedKey::escape ? VK_ESCAPE : VK_SHIFT;
        input.ki.dwFlags = press == eyehand::winio::Press::down ? 0 : KEYEVENTF_KEYUP;
        send(input);
    }
    void click() {
        send_mouse(MOUSEEVENTF_LEFTDOWN);
        send_mouse(MOUSEEVENTF_LEFTUP);
    }
    void move(eyehand::winio::Point to) {
        const auto normalized = [](int place, int metric) {
            constexpr int whole = 65536;
            const int size = GetSystemMetrics(metric);
            return (place * whole + size - 1) / size;
        };
        send_mouse(MOUSEEVENTF_MOVE | MOUSEEVENTF_ABSOLUTE,
                   {normalized(to.x, SM_CXSCREEN), normalized(to.y, SM_CYSCREEN)});
    }
    /// Whether anything presses the left button.
    [[nodiscard]] static bool left_is_down() {
        return (GetAsyncKeyState(VK_LBUTTON) & 0x8000) != 0;
    }
    [[nodiscard]] user_watch_contract::Hand functions() {
        using namespace eyehand::winio;
        return {.key = [this](NamedKey key, Press press) { this->key(key, press); },
                .click = [this] { click(); },
                .move = [this](Point to) { move(to); }};
    }

private:
    static void send(INPUT input) { REQUIRE(SendInput(1, &input, sizeof input) == 1); }
    static void send_mouse(DWORD flags, eyehand::winio::Point to = {}) {
        INPUT input{};
        input.type = INPUT_MOUSE;
        input.mi.dx = to.x;
        input.mi.dy = to.y;
        input.mi.dwFlags = flags;
        send(input);
    }
};

} // namespace win32_tests
