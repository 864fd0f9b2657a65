#include "eyehand/base/invisible.hpp"

#include "eyehand/base/utf8.hpp"

#include <algorithm>
#include <array>

namespace eyehand::base {
namespace {

// The same table as in libagent/page/web/invisible.js.
constexpr std::array ranges{
    ScalarRange{0x0000, 0x0008}, // control characters
    ScalarRange{0x000B, 0x001F}, //
    ScalarRange{0x007F, 0x009F}, //
    ScalarRange{0x00AD, 0x00AD}, // soft hyphen
    ScalarRange{0x034F, 0x034F}, // combining grapheme joiner
    ScalarRange{0x061C, 0x061C}, // Arabic letter mark
    ScalarRange{0x115F, 0x1160}, // Hangul fillers
    ScalarRange{0x17B4, 0x17B5}, // Khmer inherent vowels
    ScalarRange{0x180B, 0x180F}, // Mongolian variation selectors and vowel separator
    ScalarRange{0x200B, 0x200F}, // zero-width characters, direction marks
    ScalarRange{0x2028, 0x202E}, // separators; embeddings and overrides of the direction
    ScalarRange{0x2060, 0x206F}, // word joiner, invisible operators, isolates, deprecated controls
    ScalarRange{0x3164, 0x3164}, // Hangul filler
    ScalarRange{0xFE00, 0xFE0F}, // variation selectors
    ScalarRange{0xFEFF, 0xFEFF}, // byte order mark
    ScalarRange{0xFFA0, 0xFFA0}, // halfwidth Hangul filler
    ScalarRange{0xFFF0, 0xFFFB}, // interlinear annotations
    ScalarRange{0x1BCA0, 0x1BCA3}, // shorthand format controls
    ScalarRange{0x1D173, 0x1D17A}, // musical format controls
    ScalarRange{0xE0000, 0xE0FFF}, // tags, more variation selectors
};

constexpr char32_t first_symbol = 0x2000; // letters of most scripts are below

constexpr bool selects_style(char32_t scalar) { return scalar == 0xFE0E || scalar == 0xFE0F; }

void append_escape(std::string& text, char32_t unit) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += "\\u";
    for (unsigned shift = 16; shift > 0; shift -= 4) text += digits[(unit >> (shift - 4)) & 0xFU];
}

} // namespace

std::span<const ScalarRange> invisible_ranges() { return ranges; }

bool is_invisible(char32_t scalar) {
    const auto after = std::upper_bound(
        ranges.begin(), ranges.end(), scalar,
        [](char32_t value, const ScalarRange& range) { return value < range.first; });
    return after != ranges.begin() && scalar <= std::prev(after)->last;
}

std::string escape_invisible(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    bool after_symbol = false;
    for (std::size_t at = 0; at < text.size();) {
        const utf8::Decoded character = utf8::decode(text, at);
        const std::string_view bytes = text.substr(at, character.length);
        const char32_t scalar = character.scalar;
        at += character.length;
        const bool invisible = is_invisible(scalar);
        const bool ends_line = scalar == '\r' && text.substr(at).starts_with('\n');
        if (!invisible || ends_line || (after_symbol && selects_style(scalar))) {
            shown += bytes;
        } else if (scalar > 0xFFFF) {
            append_escape(shown, 0xD800 + ((scalar - 0x10000) >> 10U));
            append_escape(shown, 0xDC00 + ((scalar - 0x10000) & 0x3FFU));
        } else {
            append_escape(shown, scalar);
        }
        after_symbol = !invisible && scalar >= first_symbol;
    }
    return shown;
}

} // namespace eyehand::base
