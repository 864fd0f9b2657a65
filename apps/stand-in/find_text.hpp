// Finds a phrase among the words of a screen, forgiving what a reader of small print gets wrong.
#pragma once

#include "ocr.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace stand_in {

/// What to look for: a phrase, a place relative to other phrases, or both. Unused parts stay empty.
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
    int lines = 1; ///< without `text`: how many heights of the phrase named by `below` further down
    friend bool operator==(const Target&, const Target&) = default;
};

/// The target in words, for example `the field right of "File name:"`.
[[nodiscard]] std::string describe(const Target& target);

/// True if the phrase has a letter or digit: punctuation alone cannot be searched for.
[[nodiscard]] bool is_searchable(std::string_view phrase);

/// Where the target is. Among several matches the one that was read best and that is a whole
/// caption rather than a part of one; then the nearest to the other phrases named; then the
/// topmost, leftmost.
[[nodiscard]] std::optional<Box> find(const Screen& screen, const Target& target);

/// Whether the phrase can be seen at all.
[[nodiscard]] bool sees(const Screen& screen, std::string_view phrase);

} // namespace stand_in
