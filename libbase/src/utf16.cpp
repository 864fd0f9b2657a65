#include "eyehand/base/utf16.hpp"

#include "eyehand/base/utf8.hpp"

#include <stdexcept>

namespace eyehand::base {
namespace {

bool is_high(char16_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(char16_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

} // namespace

std::u16string utf16_units(char32_t scalar) {
    if (scalar <= 0xFFFF) return {static_cast<char16_t>(scalar)};
    const char32_t offset = scalar - 0x10000;
    return {static_cast<char16_t>(0xD800 + (offset >> 10U)),
            static_cast<char16_t>(0xDC00 + (offset & 0x3FFU))};
}

std::u16string to_utf16(std::string_view utf8) {
    std::u16string result;
    for (std::size_t at = 0; at < utf8.size();) {
        const utf8::Decoded character = utf8::decode(utf8, at);
        if (!character.valid)
            throw std::invalid_argument("the text is not valid UTF-8 at byte " +
                                        std::to_string(at));
        result += utf16_units(character.scalar);
        at += character.length;
    }
    return result;
}

std::string to_utf8(std::u16string_view utf16) {
    std::string result;
    for (std::size_t at = 0; at < utf16.size(); ++at) {
        char32_t scalar = utf16[at];
        if (is_high(utf16[at]) && at + 1 < utf16.size() && is_low(utf16[at + 1])) {
            scalar = 0x10000 + ((scalar - 0xD800) << 10U) + (utf16[at + 1] - 0xDC00U);
            ++at;
        }
        utf8::append(result, scalar); // turns a lone surrogate into U+FFFD
    }
    return result;
}

#ifdef _WIN32

static_assert(sizeof(wchar_t) == sizeof(char16_t));

std::wstring to_wide(std::string_view utf8) {
    const std::u16string units = to_utf16(utf8);
    return {units.begin(), units.end()};
}

std::string to_utf8(std::wstring_view text) {
    return to_utf8(std::u16string(text.begin(), text.end()));
}

#endif

} // namespace eyehand::base
