#include "base/nearest.hpp"

#include "base/edit_distance.hpp"

#include <algorithm>

namespace eyehand::agent {

std::string did_you_mean(std::string_view mistyped, std::span<const std::string> words) {
    constexpr std::size_t longest = 100; // longer words are not typing errors
    if (mistyped.empty() || mistyped.size() > longest) return {};
    const std::string* nearest = nullptr;
    std::size_t min = std::max<std::size_t>(2, mistyped.size() / 3) + 1;
    for (const std::string& word : words) {
        const std::size_t far = edit_distance(mistyped, word);
        if (far >= min || far >= word.size()) continue; // no character in common
        min = far;
        nearest = &word;
    }
    return nearest == nullptr ? std::string() : "; did you mean \"" + *nearest + "\"?";
}

} // namespace eyehand::agent
