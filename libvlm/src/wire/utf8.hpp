// UTF-8 from servers: characters in pieces, and what fits into a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eyehand::vlm::wire {

/// The beginning of `text` on one line and in valid UTF-8, at most about `at_most` bytes of it;
/// "..." says that there is more.
[[nodiscard]] std::string excerpt(std::string_view text, std::size_t at_most);

/// `text` without white space at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// With A to Z in lower case, other bytes unchanged.
[[nodiscard]] std::string ascii_lower(std::string_view text);

/// Puts characters together that come in pieces. A surrogate half that is encoded as three bytes, as
/// JSON's \ud83d comes out of `bytes_for_lone_surrogates`, is a piece, too.
class Utf8Joiner {
public:
    /// The characters that are whole with `piece`, in valid UTF-8; bytes that cannot become a
    /// character get U+FFFD in their place. Half a character at the end waits for the next piece.
    [[nodiscard]] std::string add(std::string_view piece);
    /// What takes the place of half a character if no more comes: U+FFFD, or nothing.
    [[nodiscard]] std::string_view rest() const;

private:
    std::string waiting_; // the beginning of one character, or empty
};

/// `text` in valid UTF-8, with U+FFFD for what is not.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// JSON text with every escape of half a surrogate pair (a lone "\ud83d") replaced by the three
/// bytes that UTF-8's scheme would give it: servers that count in UTF-16 cut between the halves.
[[nodiscard]] std::string bytes_for_lone_surrogates(std::string_view json);

} // namespace eyehand::vlm::wire
