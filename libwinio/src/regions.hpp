// Joins rectangles that belong together.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <cstddef>
#include <vector>

namespace eyehand::winio {

/// The side of the cells in which screens are compared, in pixels.
inline constexpr int cell_side = 8;

/// More regions than this are not one or two controls; also bounds the time of `components`.
inline constexpr std::size_t max_regions = 256;

/// The bounding rectangles of rectangles that are at most `cell_side` pixels apart. Quadratic in the
/// number of rectangles.
[[nodiscard]] std::vector<Rect> components(std::vector<Rect> rects);

[[nodiscard]] inline int scaled(int pixels, int dpi) { return pixels * dpi / 96; }

} // namespace eyehand::winio
