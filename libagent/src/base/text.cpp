#include "base/text.hpp"

#include "eyehand/base/utf8.hpp"

#include <algorithm>

namespace eyehand::agent {
namespace {

constexpr std::string_view white_space = " \t\r\n\f\v";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

} // namespace

std::string to_valid_utf8(std::string_view text) { return base::utf8::replace_invalid(text); }

std::string shorten(std::string_view text, std::size_t limit) {
    std::size_t points = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (base::utf8::is_continuation(text[i])) continue;
        if (points++ == limit) return std::string(text.substr(0, i)) + "…";
    }
    return std::string(text);
}

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::string cut_bytes(std::string_view text, std::size_t max, bool ellipsis) {
    if (text.size() <= max) return std::string(text);
    constexpr std::string_view dots = "...";
    const bool with_dots = ellipsis && max >= dots.size();
    const std::size_t end =
        base::utf8::boundary_at_or_before(text, with_dots ? max - dots.size() : max);
    std::string result(text.substr(0, end));
    if (with_dots) result += dots;
    return result;
}

std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : trim(text)) {
        const bool space = white_space.find(c) != std::string_view::npos;
        if (!space)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
        text.replace(at, from.size(), to);
        at += to.size();
    }
    return text;
}

} // namespace eyehand::agent
