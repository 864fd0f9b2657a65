#include "x11/command_words.hpp"

namespace eyehand::winio::x11 {

std::optional<std::vector<std::string>> words_of(std::string_view command) {
    std::vector<std::string> words;
    std::optional<std::string> word;
    char quote = '\0';
    for (std::size_t at = 0; at < command.size(); ++at) {
        const char c = command[at];
        const char next = at + 1 < command.size() ? command[at + 1] : '\0';
        const bool parts_words = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (quote == '\0' && parts_words) {
            if (word) words.push_back(std::move(*word));
            word.reset();
            continue;
        }
        if (!word) word.emplace();
        if (quote == '\0' && (c == '\'' || c == '"')) {
            quote = c;
        } else if (quote == c) {
            quote = '\0';
        } else if (c == '\\' && next != '\0' &&
                   (quote == '\0' || (quote == '"' && (next == '"' || next == '\\')))) {
            *word += next;
            ++at;
        } else {
            *word += c;
        }
    }
    if (quote != '\0') return std::nullopt;
    if (word) words.push_back(std::move(*word));
    return words;
}

} // namespace eyehand::winio::x11
