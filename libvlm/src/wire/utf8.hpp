// UTF-8 from servers: characters in pieces, and excerpts for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

/// The beginning of `text` on one line and in valid UTF-8, at most about `max_bytes` bytes; "..."
/// marks omitted text.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t max_bytes);

/// `text` without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Converts A to Z to lower case; other bytes stay unchanged.
[[nodiscard]] std::string ascii_lower(std::string_view text);

/// Joins characters that arrive in pieces. A piece may also be a surrogate half that is encoded as
/// three bytes (`bytes_for_lone_surrogates` does this with JSON's \ud83d).
class Utf8Joiner {
public:
    /// Returns the characters that `piece` completes, in valid UTF-8; bytes that cannot become a
    /// character are replaced by U+FFFD. An incomplete character at the end waits for the next
    /// piece.
    [[nodiscard]] std::string add(std::string_view piece);
    /// The replacement for an incomplete character at the end of the text: U+FFFD, or empty.
    [[nodiscard]] std::string_view rest() const;

private:
    std::string waiting_; // the beginning of one character, or empty
};

/// `text` with U+FFFD in place of malformed UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// JSON text in which every escape of half a surrogate pair (a lone "\ud83d") is replaced by three
/// bytes, encoded like UTF-8: servers that count in UTF-16 split a text between the halves.
[[nodiscard]] std::string bytes_for_lone_surrogates(std::string_view json);

} // namespace eyehand::vlm::wire
