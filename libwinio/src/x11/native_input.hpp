// The input of XTEST, as plain data.
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
    std::uint8_t code = 0; ///< keycode, or button number by position
    Point to{};            ///< target of a motion
    friend bool operator==(const NativeInput&, const NativeInput&) = default;
};

/// Binds a spare key to a character; no_keysym clears it.
struct Binding {
    Keycode key = no_keycode;
    Keysym keysym = no_keysym;
    friend bool operator==(const Binding&, const Binding&) = default;
};

/// A part of the translation: the server waits, then binds spare keys, then executes the input.
struct InputSegment {
    std::chrono::milliseconds wait{0};
    std::vector<Binding> bindings{};
    std::vector<NativeInput> inputs{};
};

} // namespace eyehand::winio::x11
