#include "geometry.hpp"

#include <algorithm>

namespace stand_in {

Box united(const Box& a, const Box& b) noexcept {
    const int left = std::min(a.x, b.x);
    const int top = std::min(a.y, b.y);
    return {left, top, std::max(a.right(), b.right()) - left,
            std::max(a.bottom(), b.bottom()) - top};
}

int shared_rows(const Box& a, const Box& b) noexcept {
    return std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
}

} // namespace stand_in
