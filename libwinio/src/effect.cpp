#include "eyehand/winio/effect.hpp"

#include "eyehand/base/utf8.hpp"
#include "overloaded.hpp"

#include <cstdlib>

namespace eyehand::winio {
namespace {

std::string_view name_of(Button button) {
    switch (button) {
    case Button::left:
        return "left";
    case Button::right:
        return "right";
    case Button::middle:
        return "middle";
    }
    return "?";
}

std::string_view name_of(Press press) { return press == Press::down ? "down" : "up"; }

std::string_view name_of(WindowAction action) {
    switch (action) {
    case WindowAction::focus:
        return "focus";
    case WindowAction::move:
        return "move";
    case WindowAction::close:
        return "close";
    }
    return "?";
}

std::string words(std::string_view first, std::string_view second) {
    return std::string(first) + " " + std::string(second);
}

std::string place(Point p) { return "(" + std::to_string(p.x) + ", " + std::to_string(p.y) + ")"; }

std::string_view direction(const WheelTurn& turn) {
    if (turn.axis == Axis::vertical) return turn.notches >= 0 ? "up" : "down";
    return turn.notches >= 0 ? "right" : "left";
}

// Quotes the text, escapes line breaks and shortens the text, so that a log entry stays on one
// line.
std::string in_quotes(std::string_view text) {
    constexpr std::size_t max_scalars = 80;
    std::string result = "\"";
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size();) {
        if (count++ == max_scalars) return result + "...\"";
        const auto decoded = base::utf8::decode(text, at);
        at += decoded.valid ? decoded.length : 1;
        const char32_t scalar = decoded.scalar;
        if (scalar == U'\n')
            result += "\\n";
        else if (scalar == U'\r')
            result += "\\r";
        else
            base::utf8::append(result, scalar);
    }
    return result + "\"";
}

std::string describe(const InputEvent& event) {
    return std::visit(
        overloaded{
            [](const PointerMove& move) { return "move to " + place(move.to); },
            [](const ButtonChange& change) {
                return words(name_of(change.button), name_of(change.press));
            },
            [](const WheelTurn& turn) {
                return "wheel " + std::string(direction(turn)) + " " +
                       std::to_string(std::abs(static_cast<long long>(turn.notches)));
            },
            [](const KeyChange& change) {
                return "key " + words(to_string(change.key), name_of(change.press));
            },
            [](const TypedScalar&) { return std::string(); }, // `describe` joins them to text
        },
        event);
}

std::string describe(const Batch& batch) {
    std::string text;
    const auto append = [&](const std::string& part) {
        if (!text.empty()) text += ", ";
        text += part;
    };
    for (std::size_t at = 0; at < batch.size();) {
        std::string typed;
        for (; at < batch.size(); ++at) {
            const auto* scalar = std::get_if<TypedScalar>(&batch[at]);
            if (scalar == nullptr) break;
            base::utf8::append(typed, scalar->scalar);
        }
        if (!typed.empty())
            append("type " + in_quotes(typed));
        else
            append(describe(batch[at++]));
    }
    return text.empty() ? "nothing" : text;
}

std::string describe(const WindowCommand& command) {
    std::string text = words(name_of(command.action), "window ") +
                       std::to_string(static_cast<std::uintptr_t>(command.window));
    if (command.action == WindowAction::move)
        text += " to " + place(command.to.origin()) + ", " + std::to_string(command.to.width) +
                "x" + std::to_string(command.to.height);
    return text;
}

} // namespace

std::string to_string(const Effect& effect) {
    return std::visit(
        overloaded{
            [](const Batch& batch) { return describe(batch); },
            [](const ClipboardRestore&) -> std::string { return "restore the clipboard"; },
            [](const ClipboardWrite& write) {
                return "put " + in_quotes(write.text) + " on the clipboard";
            },
            [](const WindowCommand& command) { return describe(command); },
            [](const LaunchCommand& command) { return "launch " + in_quotes(command.command); },
        },
        effect);
}

} // namespace eyehand::winio
