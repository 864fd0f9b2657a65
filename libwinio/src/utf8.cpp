#include "utf8.hpp"

#include <stdexcept>

namespace eyehand::winio::utf8 {
namespace {

constexpr char32_t replacement = 0xFFFD;

bool is_scalar(char32_t value) { return value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF); }

struct Lead {
    std::size_t length = 0;
    char32_t bits = 0;
    char32_t smallest = 0; // a smaller value would be an overlong form
};

std::optional<Lead> read_lead(unsigned char byte) {
    if (byte < 0x80) return Lead{1, byte, 0};
    if ((byte & 0xE0U) == 0xC0) return Lead{2, byte & 0x1FU, 0x80};
    if ((byte & 0xF0U) == 0xE0) return Lead{3, byte & 0x0FU, 0x800};
    if ((byte & 0xF8U) == 0xF0) return Lead{4, byte & 0x07U, 0x10000};
    return std::nullopt;
}

} // namespace

std::optional<Decoded> decode(std::string_view text, std::size_t at) {
    const auto lead = read_lead(static_cast<unsigned char>(text[at]));
    if (!lead || text.size() - at < lead->length) return std::nullopt;
    char32_t scalar = lead->bits;
    for (std::size_t i = 1; i < lead->length; ++i) {
        const auto byte = static_cast<unsigned char>(text[at + i]);
        if ((byte & 0xC0U) != 0x80) return std::nullopt;
        scalar = scalar << 6U | (byte & 0x3FU);
    }
    if (scalar < lead->smallest || !is_scalar(scalar)) return std::nullopt;
    return Decoded{scalar, lead->length};
}

std::optional<std::size_t> first_invalid(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto decoded = decode(text, at);
        if (!decoded) return at;
        at += decoded->length;
    }
    return std::nullopt;
}

void check_text(std::string_view text, const std::string& name) {
    if (const auto at = first_invalid(text))
        throw std::invalid_argument(name + " is not valid UTF-8 at byte " + std::to_string(*at));
    if (const auto at = text.find('\0'); at != std::string_view::npos)
        throw std::invalid_argument(name + " has a NUL character at byte " + std::to_string(at));
}

void append(std::string& text, char32_t scalar) {
    if (!is_scalar(scalar)) scalar = replacement;
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

} // namespace eyehand::winio::utf8
