// What a program tells its watchdog, as lines of text:
//     display NAME     the desktop, before everything else; only for one that is not the default
//     hold CODE...     from now on, these may be pressed; a sign of life
//     rest CODE...     nothing is held any more; these may still be on their way to being released
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::winio {

/// How a back-end releases one key or button. Only the back-end knows its meaning.
using ReleaseCode = std::uint64_t;

struct HoldMessage {
    enum class Kind { display, hold, rest } kind = Kind::rest;
    std::string display{};
    std::vector<ReleaseCode> codes{}; ///< in the order of their releases
    friend bool operator==(const HoldMessage&, const HoldMessage&) = default;
};

/// With the line break. A display's name must not contain one.
[[nodiscard]] std::string to_line(const HoldMessage& message);
/// Without the line break; empty for anything else than a message.
[[nodiscard]] std::optional<HoldMessage> message_of(std::string_view line);

} // namespace eyehand::winio
