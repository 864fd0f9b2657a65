// Parts of screen states, for the watch.
#pragma once

#include "eyehand/winio/screen_state.hpp"

namespace eyehand::winio {

/// The part of the desktop that a frame shows.
[[nodiscard]] Rect area_of(const Frame& frame);

/// Rectangles of at most one band of cells in which images of the same size differ, without carets.
[[nodiscard]] std::vector<Rect> differing_rects(const Image& before, const Image& after, int dpi);

} // namespace eyehand::winio
