#include "win32/absolute_coordinates.hpp"

#include <algorithm>
#include <cstdint>

namespace eyehand::winio::win32 {
namespace {

int center(int pixel, int begin, int extent) {
    const std::int64_t offset =
        std::clamp<std::int64_t>(std::int64_t{pixel} - begin, 0, std::int64_t{extent} - 1);
    return static_cast<int>((2 * offset + 1) * 65536 / (std::int64_t{2} * extent));
}

} // namespace

Point to_absolute(Point p, const Rect& virtual_desktop) {
    return {center(p.x, virtual_desktop.x, virtual_desktop.width),
            center(p.y, virtual_desktop.y, virtual_desktop.height)};
}

} // namespace eyehand::winio::win32
