// Everything that can be sent to a desktop, as plain data. All input is an Effect, so dry runs,
// recording, the fence and the release of held keys are each implemented in one place.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/keys.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace eyehand::winio {

enum class Button {
    left,
    right,
    middle
}; ///< by function: left is the primary button, even if the user swapped the buttons
enum class Press { down, up };
enum class Axis { vertical, horizontal };

struct PointerMove {
    Point to; ///< desktop pixels
    friend bool operator==(const PointerMove&, const PointerMove&) = default;
};
struct ButtonChange {
    Button button = Button::left;
    Press press = Press::down;
    friend bool operator==(const ButtonChange&, const ButtonChange&) = default;
};
/// Turns the wheel at the position of the pointer. One notch is 120 units of the system's
/// interface; positive is up (away from the user) or right.
struct WheelTurn {
    int notches = 0;
    Axis axis = Axis::vertical;
    friend bool operator==(const WheelTurn&, const WheelTurn&) = default;
};
struct KeyChange {
    Key key;
    Press press = Press::down;
    friend bool operator==(const KeyChange&, const KeyChange&) = default;
};
/// One Unicode scalar value, typed regardless of the keyboard layout.
struct TypedScalar {
    char32_t scalar = 0;
    friend bool operator==(const TypedScalar&, const TypedScalar&) = default;
};
using InputEvent = std::variant<PointerMove, ButtonChange, WheelTurn, KeyChange, TypedScalar>;

/// Input that the system receives in one piece, so that the user's input cannot come between.
using Batch = std::vector<InputEvent>;

struct ClipboardWrite {
    std::string text{}; ///< UTF-8; line breaks of all kinds become `Clipboard::line_break`
    friend bool operator==(const ClipboardWrite&, const ClipboardWrite&) = default;
};

/// Restores the content that the clipboard had before the plan first wrote to it, also if the plan
/// breaks off after the write. Restores plain text or, without text, an image. The formatting of
/// text is lost. `InputExecutor::execute` describes how other content is handled.
struct ClipboardRestore {
    friend bool operator==(const ClipboardRestore&, const ClipboardRestore&) = default;
};

/// A top-level window; the value depends on the back-end.
enum class WindowId : std::uintptr_t {};

enum class WindowAction { focus, move, close };
struct WindowCommand {
    WindowId window{};
    WindowAction action = WindowAction::focus;
    Rect to{}; ///< for `move`
    friend bool operator==(const WindowCommand&, const WindowCommand&) = default;
};

struct LaunchCommand {
    std::string command{}; ///< UTF-8: a program with its arguments, or a document
    /// Names of environment variables of this process that the program does not inherit, such as
    /// those that contain keys; UTF-8.
    std::vector<std::string> hidden_variables{};
    friend bool operator==(const LaunchCommand&, const LaunchCommand&) = default;
};

using Effect = std::variant<Batch, ClipboardWrite, ClipboardRestore, WindowCommand, LaunchCommand>;

/// One effect, and how long to wait after it.
struct Step {
    Effect effect{};
    std::chrono::milliseconds wait{0};
    friend bool operator==(const Step&, const Step&) = default;
};

/// The result of a gesture: steps in order, and the points that it aims at (for fence and guard).
struct Plan {
    std::vector<Step> steps{};
    std::vector<Point> targets{};
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// An effect in a few words, for logs: "move to (10, 20), left down, left up".
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const Effect& effect);

} // namespace eyehand::winio
