#include "watchdog/hold.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace eyehand::winio {
namespace {

using Kind = HoldMessage::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 3> words{
    {{Kind::display, "display"}, {Kind::hold, "hold"}, {Kind::rest, "rest"}}};

std::string_view take_word(std::string_view& text) {
    const auto end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return word;
}

std::optional<ReleaseCode> code_of(std::string_view word) {
    ReleaseCode code{};
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, code, 16);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return code;
}

} // namespace

std::string to_line(const HoldMessage& message) {
    std::string line;
    for (const auto& [kind, word] : words)
        if (kind == message.kind) line = word;
    if (message.kind == Kind::display) line += ' ' + message.display;
    for (const ReleaseCode code : message.codes) {
        std::array<char, 2 * sizeof code> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), code, 16).ptr;
        line += ' ';
        line.append(digits.data(), end);
    }
    return line + '\n';
}

std::optional<HoldMessage> message_of(std::string_view line) {
    const std::string_view first = take_word(line);
    for (const auto& [kind, word] : words) {
        if (word != first) continue;
        HoldMessage message{.kind = kind};
        if (kind == Kind::display) {
            message.display = line;
            return message;
        }
        while (!line.empty()) {
            const auto code = code_of(take_word(line));
            if (!code) return std::nullopt;
            message.codes.push_back(*code);
        }
        return message;
    }
    return std::nullopt;
}

} // namespace eyehand::winio
