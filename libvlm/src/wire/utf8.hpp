// UTF-8 from strangers: what of it is valid, and what of it fits into a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vlm::wire {

/// What `text` begins with: one encoded scalar value, or bytes that are none.
struct Utf8Step {
    std::size_t length = 0; ///< at least 1; of invalid bytes as many as one U+FFFD stands for
    bool valid = false;
};

/// Precondition: `text` is not empty.
[[nodiscard]] Utf8Step utf8_step(std::string_view text);

/// The encoded U+FFFD, which takes the place of bytes that are not UTF-8.
inline constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The beginning of `text` on one line and in valid UTF-8, at most about `at_most` bytes of it;
/// "..." says that there is more.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t at_most);

/// `text` without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// With A to Z in lower case, other bytes unchanged.
[[nodiscard]] std::string ascii_lower(std::string_view text);

} // namespace vlm::wire
