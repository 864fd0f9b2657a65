// How far two names are from each other, to say which one was meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace eyehand::agent {

/// The least number of characters to insert, leave out, replace, or swap with their neighbour that
/// makes `b` of `a`.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace eyehand::agent
