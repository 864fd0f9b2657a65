// What a program tells its watchdog, as lines of text:
//     display NAME        the desktop, before everything else; only for one that is not the default
//     hold CODE...        from now on, these may be pressed; a heartbeat
//     rest CODE...        nothing is held any more; these may still be on their way to being released
//     clipboard BASE64    the program is about to replace this text; nothing follows: it was empty
//     owner NUMBER        the clipboard has the program's content, as long as the back-end sees this number
//     restored            the program has restored the clipboard
//     watch CHORD         instead of everything else: report the user's signals; nothing follows: no stop key
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// How a back-end releases one key or button. Only the back-end knows its meaning.
using ReleaseCode = std::uint64_t;
/// How a back-end recognizes a content of the clipboard. Only the back-end knows its meaning.
using ClipboardNumber = std::uint32_t;

/// Between two heartbeats of a program that holds something.
inline constexpr std::chrono::milliseconds renewal_interval{50};

struct HoldMessage {
    enum class Kind { display, hold, rest, clipboard, owner, restored, watch } kind = Kind::rest;
    std::string text{};               ///< the display's name, the clipboard's text or the chord
    std::vector<ReleaseCode> codes{}; ///< in the order of their releases
    ClipboardNumber owner = 0;
    friend bool operator==(const HoldMessage&, const HoldMessage&) = default;
};

/// With the line break. A display's name must not contain one.
[[nodiscard]] std::string to_line(const HoldMessage& message);
/// Without the line break; empty for anything else than a message.
[[nodiscard]] std::optional<HoldMessage> message_of(std::string_view line);

} // namespace eyehand::winio
