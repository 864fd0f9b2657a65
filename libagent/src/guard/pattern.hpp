// Patterns of guard rules.
#pragma once

#include <string_view>

namespace eyehand::agent {

/// Whether `pattern`, in which `*` stands for any characters and `?` for one, matches all of `text`.
/// ASCII letters match regardless of case. Takes time proportional to the product of the lengths.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view text);

} // namespace eyehand::agent
