#include "phrase.hpp"

#include <algorithm>
#include <numeric>

namespace stand_in {
namespace {

// Malformed input becomes single bytes, which suffices for comparing.
std::u32string decode(std::string_view text) {
    std::u32string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (lead < 0xC0 || i + length > text.size()) {
            result += static_cast<char32_t>(lead);
            ++i;
            continue;
        }
        char32_t value = lead & (0xFFu >> (length + 1));
        for (std::size_t k = 1; k < length; ++k)
            value = value << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3Fu);
        result += value;
        i += length;
    }
    return result;
}

// The Latin-1 signs and general punctuation as which OCR reads icons and dotted lines.
bool is_sign(char32_t c) {
    return (c >= 0x80 && c < 0xC0) || (c >= 0x2000 && c < 0x2E80) || (c >= 0x3000 && c < 0x3040) ||
           (c >= 0xFF00 && c < 0xFF10) || c == 0xFF1A || c == 0xFF1F;
}

// Returns nothing for characters that separate words.
std::optional<char32_t> plain(char32_t c) {
    if (c >= U'A' && c <= U'Z') c += U'a' - U'A';
    switch (c) {
    case U'1':
    case U'i':
        return U'l';
    case U'0':
        return U'o';
    case U'5':
    case U'$':
        return U's';
    case U'8':
        return U'b';
    default:
        break;
    }
    const bool ascii_letter = (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9');
    if (ascii_letter || (c >= 0x80 && !is_sign(c))) return c;
    return std::nullopt;
}

std::size_t allowed_differences(std::size_t length) { return length < 3 ? 0 : length / 3; }

} // namespace

std::vector<Token> tokens_of(std::string_view text) {
    std::vector<Token> tokens;
    bool inside = false;
    std::size_t index = 0;
    for (const char32_t c : decode(text)) {
        if (const auto letter = plain(c)) {
            if (!inside) tokens.push_back({{}, index, index});
            tokens.back().letters += *letter;
            tokens.back().last = index + 1;
        }
        inside = plain(c).has_value();
        ++index;
    }
    return tokens;
}

std::u32string letters_of(std::string_view text) {
    std::u32string joined;
    for (const Token& token : tokens_of(text)) joined += token.letters;
    return joined;
}

std::optional<std::size_t> differences(std::u32string_view seen, std::u32string_view wanted) {
    const std::size_t allowed = allowed_differences(wanted.size());
    if (seen.size() > wanted.size() + allowed || wanted.size() > seen.size() + allowed)
        return std::nullopt;
    std::vector<std::size_t> row(wanted.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < seen.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < wanted.size(); ++j) {
            const std::size_t replaced = diagonal + (seen[i] == wanted[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back() <= allowed ? std::optional(row.back()) : std::nullopt;
}

std::size_t code_points(std::string_view text) { return decode(text).size(); }

} // namespace stand_in
