#include "utf8.hpp"

#include "eyehand/base/utf8.hpp"

#include <utility>

namespace eyehand::vlm::wire {
namespace {

using base::utf8::decode;
using base::utf8::Decoded;
using base::utf8::replacement;

bool is_between(char c, unsigned char low, unsigned char high) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= low && byte <= high;
}

/// Whether `text` starts with three bytes that encode half a surrogate pair.
bool is_half(std::string_view text, unsigned char second_low, unsigned char second_high) {
    return text.size() >= 3 && text[0] == '\xED' && is_between(text[1], second_low, second_high) &&
           is_between(text[2], 0x80, 0xBF);
}

bool is_high_half(std::string_view text) { return is_half(text, 0xA0, 0xAF); }
bool is_low_half(std::string_view text) { return is_half(text, 0xB0, 0xBF); }

/// Whether the whole `text` may be the beginning of a character. Precondition: it is not a complete
/// character.
bool may_become_character(std::string_view text) {
    if (text[0] == '\xED' && (text.size() == 1 || is_between(text[1], 0xA0, 0xAF))) {
        // A high half waits for its low half.
        if (text.size() <= 2) return true;
        if (!is_high_half(text)) return false;
        return text.size() == 3 ||
               (text[3] == '\xED' &&
                (text.size() == 4 || (text.size() == 5 && is_between(text[4], 0xB0, 0xBF))));
    }
    const Decoded character = decode(text);
    return !character.valid && character.length == text.size() && is_between(text[0], 0xC2, 0xF4);
}

/// The ten bits in three bytes that encode half a pair.
unsigned payload(std::string_view half) {
    return (static_cast<unsigned char>(half[1]) & 0x0FU) << 6U |
           (static_cast<unsigned char>(half[2]) & 0x3FU);
}

char32_t joined_halves(std::string_view high, std::string_view low) {
    return 0x10000U + (payload(high) << 10U) + payload(low);
}

/// The code unit of an escape "\uXXXX" at the beginning of `json`, or 0.
unsigned escaped_unit(std::string_view json) {
    if (json.size() < 6 || !json.starts_with("\\u")) return 0;
    unsigned unit = 0;
    for (const char c : json.substr(2, 4)) {
        const std::size_t digit =
            std::string_view("0123456789abcdef")
                .find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
        if (digit == std::string_view::npos) return 0;
        unit = unit * 16 + static_cast<unsigned>(digit);
    }
    return unit;
}

bool is_high_unit(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_unit(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

} // namespace

std::string excerpt(std::string_view text, std::size_t max_bytes) {
    text = trimmed(text);
    std::string line;
    while (!text.empty() && line.size() < max_bytes) {
        const Decoded character = decode(text);
        const auto byte = static_cast<unsigned char>(text.front());
        if (!character.valid)
            line += replacement;
        else if (byte < 0x20 || byte == 0x7F) {
            if (!line.ends_with(' ')) line += ' ';
        } else
            line += text.substr(0, character.length);
        text.remove_prefix(character.length);
    }
    if (!text.empty()) line += "...";
    return line;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n\f\v";
    const std::size_t first = text.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::string ascii_lower(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

std::string Utf8Joiner::add(std::string_view piece) {
    const std::string joined = std::exchange(waiting_, {}).append(piece);
    std::string_view text = joined;
    std::string whole;
    whole.reserve(text.size());
    while (!text.empty()) {
        std::size_t length = 3;
        if (is_high_half(text) && is_low_half(text.substr(3))) {
            base::utf8::append(whole, joined_halves(text, text.substr(3)));
            length = 6;
        } else if (const Decoded character = decode(text); character.valid) {
            whole += text.substr(0, character.length);
            length = character.length;
        } else if (may_become_character(text)) {
            waiting_ = text;
            break;
        } else {
            whole += replacement;
            if (!is_high_half(text) && !is_low_half(text)) length = character.length;
        }
        text.remove_prefix(length);
    }
    return whole;
}

std::string_view Utf8Joiner::rest() const {
    return waiting_.empty() ? std::string_view() : replacement;
}

std::string valid_utf8(std::string_view text) {
    Utf8Joiner joiner;
    std::string valid = joiner.add(text);
    return valid.append(joiner.rest());
}

std::string bytes_for_lone_surrogates(std::string_view json) {
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const unsigned unit = escaped_unit(json);
        std::size_t length = json.front() == '\\' && json.size() > 1 ? 2 : 1;
        if (is_high_unit(unit) && is_low_unit(escaped_unit(json.substr(6)))) {
            length = 12;
        } else if (is_high_unit(unit) || is_low_unit(unit)) {
            for (const unsigned byte :
                 {0xEDU, 0x80U | (unit >> 6U & 0x3FU), 0x80U | (unit & 0x3FU)})
                out += static_cast<char>(byte);
            json.remove_prefix(6);
            continue;
        }
        out += json.substr(0, length);
        json.remove_prefix(length);
    }
    return out;
}

} // namespace eyehand::vlm::wire
