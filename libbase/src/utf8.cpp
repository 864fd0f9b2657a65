#include "eyehand/base/utf8.hpp"

#include <algorithm>

namespace eyehand::base::utf8 {
namespace {

constexpr bool is_scalar(char32_t value) {
    return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

/// The number of bytes that a lead byte announces, and the range of the second one (Unicode 15, table
/// 3-7).
struct Lead {
    std::size_t length;
    unsigned char low;
    unsigned char high;
};

constexpr Lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {1, 0, 0};
    if (byte >= 0xC2 && byte <= 0xDF) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte >= 0xF1 && byte <= 0xF3) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

} // namespace

Decoded decode(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const Lead lead = lead_of(first);
    if (lead.length == 0) return {};
    if (lead.length == 1) return {true, 1, first};
    char32_t scalar = first & (0x7FU >> lead.length);
    for (std::size_t i = 1; i < lead.length; ++i) {
        if (at + i >= text.size()) return {.length = i};
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if (byte < (i == 1 ? lead.low : 0x80) || byte > (i == 1 ? lead.high : 0xBF))
            return {.length = i};
        scalar = scalar << 6U | (byte & 0x3FU);
    }
    return {true, lead.length, scalar};
}

void append(std::string& text, char32_t scalar) {
    if (!is_scalar(scalar)) scalar = 0xFFFD;
    const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
    const auto follow = [&](unsigned shift) { put(0x80U | ((scalar >> shift) & 0x3FU)); };
    if (scalar < 0x80) {
        put(scalar);
    } else if (scalar < 0x800) {
        put(0xC0U | scalar >> 6U);
        follow(0);
    } else if (scalar < 0x10000) {
        put(0xE0U | scalar >> 12U);
        follow(6);
        follow(0);
    } else {
        put(0xF0U | scalar >> 18U);
        follow(12);
        follow(6);
        follow(0);
    }
}

std::optional<std::size_t> first_invalid(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Decoded character = decode(text, at);
        if (!character.valid) return at;
        at += character.length;
    }
    return std::nullopt;
}

std::string replace_invalid(std::string_view text) {
    std::string valid;
    valid.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Decoded character = decode(text, at);
        if (character.valid)
            valid += text.substr(at, character.length);
        else
            for (std::size_t i = 0; i < character.length; ++i) valid += replacement;
        at += character.length;
    }
    return valid;
}

std::size_t count(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_continuation));
}

std::size_t boundary_at_or_before(std::string_view text, std::size_t at) {
    if (at >= text.size()) return text.size();
    while (at > 0 && is_continuation(text[at])) --at;
    return at;
}

std::size_t boundary_at_or_after(std::string_view text, std::size_t at) {
    at = std::min(at, text.size());
    while (at < text.size() && is_continuation(text[at])) ++at;
    return at;
}

std::string from_latin1(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) append(text, static_cast<unsigned char>(byte));
    return text;
}

std::optional<std::string> to_latin1(std::string_view text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
        const Decoded character = decode(text, at);
        if (!character.valid || character.scalar > 0xFF) return std::nullopt;
        bytes += static_cast<char>(character.scalar);
        at += character.length;
    }
    return bytes;
}

} // namespace eyehand::base::utf8
