// Suggestions for mistyped words.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// Returns `; did you mean "WORD"?` with the nearest of `words`, or an empty text if none is near
/// enough.
[[nodiscard]] std::string did_you_mean(std::string_view mistyped,
                                       std::span<const std::string> words);

} // namespace eyehand::agent
