#include "thinking.hpp"

#include <algorithm>

namespace eyehand::vlm::wire {

std::vector<Span> thinking(std::string_view text) {
    constexpr std::string_view open_tag = "<think>";
    constexpr std::string_view close_tag = "</think>";
    std::vector<Span> spans;
    std::size_t at = 0;
    std::size_t open = text.find(open_tag);
    std::size_t close = text.find(close_tag);
    while (true) {
        // Searches again only after passing a tag, for the sake of texts with very many tags.
        if (open < at) open = text.find(open_tag, at);
        if (close < at) close = text.find(close_tag, at);
        if (close < open) {
            spans.assign(1, {0, close + close_tag.size()});
        } else if (open == std::string_view::npos) {
            return spans;
        } else {
            const std::size_t end =
                close == std::string_view::npos ? text.size() : close + close_tag.size();
            spans.push_back({open, end});
        }
        at = spans.back().end;
    }
}

} // namespace eyehand::vlm::wire
