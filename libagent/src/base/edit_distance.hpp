// The edit distance of two names, for suggestions after a typing error.
#pragma once

#include <cstddef>
#include <string_view>

namespace eyehand::agent {

/// The minimum number of characters to insert, delete, replace, or swap with their neighbor that
/// turns `a` into `b`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace eyehand::agent
