// Moves rectangles.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <vector>

namespace eyehand::winio {

/// Returns `rects`, each moved by `by`.
[[nodiscard]] inline std::vector<Rect> moved_by(std::vector<Rect> rects, Point by) {
    for (Rect& rect : rects) {
        rect.x += by.x;
        rect.y += by.y;
    }
    return rects;
}

} // namespace eyehand::winio
