#include "win32/command_line.hpp"

#include <algorithm>

namespace eyehand::winio::win32 {
namespace {

constexpr std::wstring_view blanks = L" \t";

std::wstring_view without_leading_blanks(std::wstring_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

} // namespace

CommandLine split_command_line(std::wstring_view text) {
    text = without_leading_blanks(text);
    const bool quoted = text.starts_with(L'"');
    if (quoted) text.remove_prefix(1);
    const auto end = std::min(quoted ? text.find(L'"') : text.find_first_of(blanks), text.size());
    const auto rest = std::min(end + 1, text.size()); // past the quote or blank
    return {text.substr(0, end), without_leading_blanks(text.substr(rest))};
}

} // namespace eyehand::winio::win32
