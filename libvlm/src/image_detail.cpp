#include "eyehand/vlm/chat.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace eyehand::vlm {
namespace {

constexpr std::array<std::string_view, 4> words{"low", "high", "auto", "original"};

} // namespace

std::string_view to_string(ImageDetail detail) {
    const auto index = static_cast<std::size_t>(detail);
    if (index >= words.size()) throw std::invalid_argument("not a vlm::ImageDetail");
    return words[index];
}

std::optional<ImageDetail> parse_image_detail(std::string_view word) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) return std::nullopt;
    return static_cast<ImageDetail>(found - words.begin());
}

} // namespace eyehand::vlm
