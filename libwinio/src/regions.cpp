#include "regions.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace eyehand::winio {
namespace {

Rect grown(const Rect& rect, int by) {
    return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
}

bool touch(const Rect& a, const Rect& b) { return !intersection(grown(a, cell_side), b).empty(); }

} // namespace

std::vector<Rect> components(std::vector<Rect> rects) {
    for (bool merged = true; merged;) {
        merged = false;
        for (std::size_t at = 0; at < rects.size(); ++at) {
            const auto end =
                std::partition(rects.begin() + static_cast<std::ptrdiff_t>(at) + 1, rects.end(),
                               [&](const Rect& other) { return !touch(rects[at], other); });
            if (end == rects.end()) continue;
            rects[at] = std::accumulate(end, rects.end(), rects[at], bounding_rect);
            rects.erase(end, rects.end());
            merged = true;
        }
    }
    return rects;
}

} // namespace eyehand::winio
