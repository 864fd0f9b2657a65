#include "utf8.hpp"

namespace vlm::wire {
namespace {

/// The bytes a lead byte announces and the range of the second byte (Unicode 15, table 3-7).
struct Lead {
    std::size_t length;
    unsigned char low;
    unsigned char high;
};

Lead lead_of(unsigned char byte) {
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

Utf8Step utf8_step(std::string_view text) {
    const auto at = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    const Lead lead = lead_of(at(0));
    if (lead.length == 0) return {1, false};
    for (std::size_t i = 1; i < lead.length; ++i) {
        const unsigned char low = i == 1 ? lead.low : 0x80;
        const unsigned char high = i == 1 ? lead.high : 0xBF;
        if (i >= text.size() || at(i) < low || at(i) > high) return {i, false};
    }
    return {lead.length, true};
}

std::string excerpt(std::string_view text, std::size_t at_most) {
    text = trimmed(text);
    std::string line;
    while (!text.empty() && line.size() < at_most) {
        const Utf8Step step = utf8_step(text);
        const auto byte = static_cast<unsigned char>(text.front());
        if (!step.valid)
            line += replacement;
        else if (byte < 0x20 || byte == 0x7F) {
            if (!line.ends_with(' ')) line += ' ';
        } else
            line += text.substr(0, step.length);
        text.remove_prefix(step.length);
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

} // namespace vlm::wire
