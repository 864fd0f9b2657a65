#include "x11/text.hpp"

#include "utf8.hpp"

namespace eyehand::winio::x11 {

std::string text_of_latin1(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) utf8::append(text, static_cast<unsigned char>(byte));
    return text;
}

std::optional<std::string> latin1_of(std::string_view text) {
    constexpr char32_t last = 0xFF;
    std::string bytes;
    for (std::size_t at = 0; at < text.size();) {
        const auto decoded = utf8::decode(text, at);
        if (!decoded || decoded->scalar > last) return std::nullopt;
        bytes += static_cast<char>(decoded->scalar);
        at += decoded->length;
    }
    return bytes;
}

std::string valid_utf8(std::string_view bytes) {
    constexpr char32_t replacement = 0xFFFD;
    std::string text;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto decoded = utf8::decode(bytes, at);
        utf8::append(text, decoded ? decoded->scalar : replacement);
        at += decoded ? decoded->length : 1;
    }
    return text;
}

} // namespace eyehand::winio::x11
