#include "base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace eyehand::panel {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> all{};
    all.fill(no_digit);
    for (std::size_t i = 0; i < alphabet.size(); ++i)
        all[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
    return all;
}();

} // namespace

std::string to_base64(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8U | (k < count ? bytes[i + k] : std::uint32_t{0});
        for (std::size_t k = 0; k < 4; ++k)
            text += k <= count ? alphabet[bits >> (18U - 6U * k) & 0x3FU] : '=';
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t digits = text.size();
    while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') --digits;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, digits)) {
        const std::uint8_t value = values[static_cast<unsigned char>(c)];
        if (value == no_digit) return std::nullopt;
        bits = (bits << 6U | value) & 0xFFFFFFU;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<std::uint8_t>(bits >> held & 0xFFU));
    }
    if ((bits & ((1U << held) - 1U)) != 0) return std::nullopt;
    return bytes;
}

} // namespace eyehand::panel
