// Does not use OpenSSL, because the panel and the report also encode images but do not link
// OpenSSL.
#include "eyehand/base/base64.hpp"

#include <array>

namespace eyehand::base {
namespace {

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 64;

constexpr std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> all{};
    all.fill(no_digit);
    for (std::size_t i = 0; i < base64_digits.size(); ++i)
        all[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
    return all;
}();

} // namespace

void append_base64(std::string& text, std::span<const std::uint8_t> bytes) {
    const auto digit = [](std::uint32_t bits, int shift) {
        return base64_digits[(bits >> shift) & 63];
    };
    std::size_t at = text.size();
    text.resize(at + base64_length(bytes.size()));
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const std::uint32_t bits = std::uint32_t{bytes[i]} << 16 |
                                   std::uint32_t{bytes[i + 1]} << 8 | std::uint32_t{bytes[i + 2]};
        text[at++] = digit(bits, 18);
        text[at++] = digit(bits, 12);
        text[at++] = digit(bits, 6);
        text[at++] = digit(bits, 0);
    }
    const std::size_t rest = bytes.size() - i;
    if (rest == 0) return;
    const std::uint32_t bits = std::uint32_t{bytes[i]} << 16 |
                               (rest == 2 ? std::uint32_t{bytes[i + 1]} << 8 : std::uint32_t{0});
    text[at++] = digit(bits, 18);
    text[at++] = digit(bits, 12);
    text[at++] = rest == 2 ? digit(bits, 6) : '=';
    text[at++] = '=';
}

std::string to_base64(std::span<const std::uint8_t> bytes) {
    std::string text;
    append_base64(text, bytes);
    return text;
}

std::string to_base64(std::string_view bytes) {
    return to_base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t length = text.size();
    while (length > 0 && text.size() - length < 2 && text[length - 1] == '=') --length;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text.substr(0, length)) {
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

} // namespace eyehand::base
