// Rectangles from one origin to another.
#pragma once

#include "eyehand/winio/geometry.hpp"

#include <vector>

namespace eyehand::winio {

/// `rects`, each moved by as much.
[[nodiscard]] inline std::vector<Rect> moved_by(std::vector<Rect> rects, Point by) {
    for (Rect& rect : rects) {
        rect.x += by.x;
        rect.y += by.y;
    }
    return rects;
}

} // namespace eyehand::winio
