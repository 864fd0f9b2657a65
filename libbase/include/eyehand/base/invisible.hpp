// Characters that a reader does not see, or that show their neighbors in another order. A text from
// a model, a screen or a program could use them to look like another text. The page of a run has the
// same table and the same function (libagent/page/web/invisible.js); a test compares them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eyehand::base {

/// Both ends belong to the range.
struct ScalarRange {
    char32_t first = 0;
    char32_t last = 0;
    friend bool operator==(const ScalarRange&, const ScalarRange&) = default;
};

/// In ascending order: control characters except tab and line break, bidirectional controls,
/// separators of lines and paragraphs, and all characters that Unicode 15 calls default ignorable,
/// such as zero-width characters, tags, fillers and variation selectors.
[[nodiscard]] std::span<const ScalarRange> invisible_ranges();

[[nodiscard]] bool is_invisible(char32_t scalar);

/// `text`, which must be valid UTF-8, with an escape such as "\u202e" (as in JSON: two for a character
/// past U+FFFF) in place of each invisible character. Within strings of JSON, the meaning does not
/// change. Two characters stay because they are part of visible ones: a carriage return before a
/// line break, and a single U+FE0E or U+FE0F after a symbol, whose style it selects.
[[nodiscard]] std::string escape_invisible(std::string_view text);

} // namespace eyehand::base
