#include "watchdog/hold.hpp"

#include "eyehand/base/base64.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace eyehand::winio {
namespace {

using Kind = HoldMessage::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 7> kind_words{
    {{Kind::display, "display"},
     {Kind::hold, "hold"},
     {Kind::rest, "rest"},
     {Kind::clipboard, "clipboard"},
     {Kind::owner, "owner"},
     {Kind::restored, "restored"},
     {Kind::watch, "watch"}}};

std::string_view take_word(std::string_view& text) {
    const auto end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return word;
}

template <typename Number>
std::optional<Number> number_of(std::string_view word) {
    Number number{};
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number, 16);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

void append_number(std::string& line, std::uint64_t number) {
    std::array<char, 2 * sizeof number> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
    line += ' ';
    line.append(digits.data(), end);
}

/// Reads what follows the word of `message`. False for anything else than its contents.
bool read_contents(HoldMessage& message, std::string_view text) {
    switch (message.kind) {
    case Kind::display:
    case Kind::watch:
        message.text = text;
        return true;
    case Kind::hold:
    case Kind::rest:
        while (!text.empty()) {
            const auto code = number_of<ReleaseCode>(take_word(text));
            if (!code) return false;
            message.codes.push_back(*code);
        }
        return true;
    case Kind::clipboard: {
        const auto bytes = base::from_base64(text);
        if (bytes) message.text.assign(bytes->begin(), bytes->end());
        return bytes.has_value();
    }
    case Kind::owner: {
        const auto owner = number_of<ClipboardNumber>(text);
        message.owner = owner.value_or(0);
        return owner.has_value();
    }
    case Kind::restored:
        return text.empty();
    }
    return false;
}

} // namespace

std::string to_line(const HoldMessage& message) {
    std::string line;
    for (const auto& [kind, word] : kind_words)
        if (kind == message.kind) line = word;
    switch (message.kind) {
    case Kind::display:
        line += ' ' + message.text;
        break;
    case Kind::hold:
    case Kind::rest:
        for (const ReleaseCode code : message.codes) append_number(line, code);
        break;
    case Kind::clipboard:
        if (!message.text.empty()) line += ' ' + base::to_base64(message.text);
        break;
    case Kind::owner:
        append_number(line, message.owner);
        break;
    case Kind::watch:
        if (!message.text.empty()) line += ' ' + message.text;
        break;
    case Kind::restored:
        break;
    }
    return line + '\n';
}

std::optional<HoldMessage> message_of(std::string_view line) {
    const std::string_view first = take_word(line);
    for (const auto& [kind, word] : kind_words) {
        if (word != first) continue;
        HoldMessage message{.kind = kind};
        if (!read_contents(message, line)) return std::nullopt;
        return message;
    }
    return std::nullopt;
}

} // namespace eyehand::winio
