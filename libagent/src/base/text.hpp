// Functions for texts in UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// `text` with every byte that is not valid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);
/// The first `limit` code points, with an ellipsis if something was cut off.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t limit);
/// At most `max` bytes from the front of `text`, without splitting a character; with `ellipsis`,
/// the last three bytes of a text that was cut are "...".
[[nodiscard]] std::string cut_bytes(std::string_view text, std::size_t max, bool ellipsis = false);
/// `text` with each run of white space, including line breaks, as one space; trimmed.
[[nodiscard]] std::string one_line(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);
/// Compares without regard to the case of ASCII letters.
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);
/// Every `from` replaced by `to`.
[[nodiscard]] std::string replace_all(std::string text, std::string_view from, std::string_view to);

} // namespace eyehand::agent
