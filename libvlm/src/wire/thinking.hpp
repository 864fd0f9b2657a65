// Finds think blocks in a model's text.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// The bytes [begin, end) of a text.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
    friend bool operator==(const Span&, const Span&) = default;
};

/// The think blocks of `text` with their tags, in order, not overlapping. A block without a closing
/// tag reaches to the end. A closing tag alone means that a chat template removed the opening one:
/// all text before it is a think block.
[[nodiscard]] std::vector<Span> thinking(std::string_view text);

} // namespace eyehand::vlm::wire
