#include "eyehand/winio/frame.hpp"

#include <stdexcept>

namespace eyehand::winio {
namespace {

std::uint8_t blend(std::uint8_t over, std::uint8_t under, int alpha) {
    return static_cast<std::uint8_t>((over * alpha + under * (255 - alpha) + 127) / 255);
}

void draw_pixel(const std::uint8_t* shape, bool invert, std::uint8_t* screen) {
    for (int channel = 0; channel < 3; ++channel)
        screen[channel] = invert ? static_cast<std::uint8_t>(~screen[channel])
                                 : blend(shape[channel], screen[channel], shape[3]);
}

} // namespace

void draw_pointer(Frame& frame) {
    if (!frame.pointer) return;
    const PointerShape& shape = *frame.pointer;
    const ImageView pixels = shape.pixels.view();
    const auto count =
        static_cast<std::size_t>(pixels.width()) * static_cast<std::size_t>(pixels.height());
    if (!shape.invert.empty() && shape.invert.size() != count)
        throw std::invalid_argument("a pointer's invert mask must have one byte per pixel");

    const Point corner{shape.position.x - shape.hotspot.x - frame.origin.x,
                       shape.position.y - shape.hotspot.y - frame.origin.y};
    const Rect visible = intersection({corner.x, corner.y, pixels.width(), pixels.height()},
                                      {0, 0, frame.pixels.width(), frame.pixels.height()});
    for (int y = visible.y; y < visible.bottom(); ++y) {
        const int shape_y = y - corner.y;
        const auto source = pixels.row(shape_y);
        const auto target = frame.pixels.row(y);
        for (int x = visible.x; x < visible.right(); ++x) {
            const auto shape_x = static_cast<std::size_t>(x - corner.x);
            const bool invert =
                !shape.invert.empty() && shape.invert[static_cast<std::size_t>(shape_y) *
                                                          static_cast<std::size_t>(pixels.width()) +
                                                      shape_x] != 0;
            draw_pixel(&source[shape_x * 4], invert, &target[static_cast<std::size_t>(x) * 4]);
        }
    }
    frame.pointer.reset();
}

} // namespace eyehand::winio
