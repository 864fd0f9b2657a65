#include "win32/utf16.hpp"

#include "utf8.hpp"

#include <stdexcept>

namespace eyehand::winio::win32 {
namespace {

bool is_high(char16_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low(char16_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

} // namespace

std::u16string units_of(char32_t scalar) {
    if (scalar <= 0xFFFF) return {static_cast<char16_t>(scalar)};
    const char32_t offset = scalar - 0x10000;
    return {static_cast<char16_t>(0xD800 + (offset >> 10U)),
            static_cast<char16_t>(0xDC00 + (offset & 0x3FFU))};
}

std::u16string to_utf16(std::string_view utf8) {
    std::u16string result;
    for (std::size_t at = 0; at < utf8.size();) {
        const auto decoded = utf8::decode(utf8, at);
        if (!decoded)
            throw std::invalid_argument("the text is not valid UTF-8 at byte " +
                                        std::to_string(at));
        result += units_of(decoded->scalar);
        at += decoded->length;
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

} // namespace eyehand::winio::win32
