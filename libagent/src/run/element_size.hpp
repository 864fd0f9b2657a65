// The size of what is visible at a position, without knowledge of the program that shows it.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"
#include "eyehand/winio/image.hpp"

#include <optional>

namespace eyehand::agent {

/// Half of the side of the square around the position that is looked at: larger elements are not told
/// apart.
inline constexpr int element_reach = 24;

/// The size of the nearest element, in pixels: the connected pixels that differ from the most frequent
/// color at the border of a square around `at`, if they are at most 6 pixels away from it. Gaps of up to 2
/// pixels, as between the strokes of a letter, do not separate elements. A side that reaches the border of the
/// square is as long as the square. Empty if no element is so near. `at` is clamped to the image.
/// Throws std::invalid_argument for an empty image.
[[nodiscard]] EYEHAND_AGENT_API std::optional<winio::Size>
element_size(const winio::ImageView& image, winio::Point at);

} // namespace eyehand::agent
