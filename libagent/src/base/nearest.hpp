// What somebody who mistyped a word may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eyehand::agent {

/// `; did you mean "WORD"?` with the one of `words` that is nearest to `mistyped`, or nothing when none
/// is near enough to be meant.
[[nodiscard]] std::string did_you_mean(std::string_view mistyped,
                                       std::span<const std::string> words);

} // namespace eyehand::agent
