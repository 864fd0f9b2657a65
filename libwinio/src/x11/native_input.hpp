// What XTEST is told, as plain data.
#pragma once

#include "eyehand/winio/geometry.hpp"
#include "x11/key_codes.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace eyehand::winio::x11 {

/// One fake input event; `kind` has the core protocol's numbers.
struct NativeInput {
    enum class Kind : std::uint8_t {
        key_press = 2,
        key_release = 3,
        button_press = 4,
        button_release = 5,
        motion = 6,
    };
    Kind kind = Kind::motion;
    std::uint8_t code = 0; ///< keycode, or number of the button by its place
    Point to{};            ///< of a motion
    friend bool operator==(const NativeInput&, const NativeInput&) = default;
};

/// Gives a spare key a character; no_keysym takes it away again.
struct Binding {
    Keycode key = no_keycode;
    Keysym keysym = no_keysym;
    friend bool operator==(const Binding&, const Binding&) = default;
};

/// A part of what is sent: the server waits, then spare keys get their characters, then the input
/// comes.
struct Passage {
    std::chrono::milliseconds wait{0};
    std::vector<Binding> bindings{};
    std::vector<NativeInput> inputs{};
};

} // namespace eyehand::winio::x11
