// A search for phrases of servers in their messages.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace eyehand::vlm::wire {

/// Whether the text contains one of the phrases, in the same case.
inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> phrases) {
    return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
        return text.find(phrase) != std::string_view::npos;
    });
}

} // namespace eyehand::vlm::wire
