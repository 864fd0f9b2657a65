// Compares words without regard to characters that OCR confuses.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stand_in {

/// A run of letters and digits in a text, normalized for comparison.
struct Token {
    std::u32string letters;
    std::size_t first = 0; ///< index of its first character in the text, in code points
    std::size_t last = 0;  ///< one past its last character
};

/// The letters and digits of a text, split at punctuation and blanks. Removes the differences in
/// case and between characters that look alike on a screen (1 l I, 0 O, 5 S, 8 B).
[[nodiscard]] std::vector<Token> tokens_of(std::string_view text);

/// All tokens of a text, joined.
[[nodiscard]] std::u32string letters_of(std::string_view text);

/// The number of differing characters; nothing if there are too many for the same phrase.
[[nodiscard]] std::optional<std::size_t> differences(std::u32string_view seen,
                                                     std::u32string_view wanted);

/// The number of code points of a UTF-8 text.
[[nodiscard]] std::size_t code_points(std::string_view text);

} // namespace stand_in
