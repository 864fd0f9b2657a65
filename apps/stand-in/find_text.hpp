// Finds a phrase among the words of a screen, and tolerates OCR errors in small print.
#pragma once

#include "ocr.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stand_in {

/// The target of a search: a phrase, a place relative to other phrases, or both. Unused members are
/// empty.
///
///     Target{.text = "UTF-8", .right_of = "Encoding:"}   // this phrase, right of that one
///     Target{.right_of = "File name:"}                   // the field that belongs to the label
struct Target {
    std::string text = {};
    std::string right_of = {};
    std::string left_of = {};
    std::string above = {};
    std::string below = {};
    std::string near = {};
    int lines = 1; ///< without `text`: distance in heights of the phrase in `below`
    friend bool operator==(const Target&, const Target&) = default;
};

/// The target in words, for example `the field right of "File name:"`.
[[nodiscard]] std::string describe(const Target& target);

/// True if the phrase has a letter or digit: punctuation alone cannot be searched for.
[[nodiscard]] bool is_searchable(std::string_view phrase);

/// The place of the target, or nothing. Prefers the match with the fewest OCR errors, and a whole
/// caption to a part of one; then the match nearest to the other phrases of the target; then the
/// topmost, then the leftmost.
[[nodiscard]] std::optional<Box> find(const Screen& screen, const Target& target);

/// Whether the phrase is on the screen.
[[nodiscard]] bool sees(const Screen& screen, std::string_view phrase);

} // namespace stand_in
