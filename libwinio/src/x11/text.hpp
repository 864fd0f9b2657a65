// Text as X11 programs write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eyehand::winio::x11 {

/// ISO 8859-1, which STRING properties have, as UTF-8.
[[nodiscard]] std::string text_of_latin1(std::string_view bytes);
/// The opposite; nothing when `text` is not UTF-8 or has other characters.
[[nodiscard]] std::optional<std::string> latin1_of(std::string_view text);
/// The same text; each byte that is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view bytes);

} // namespace eyehand::winio::x11
