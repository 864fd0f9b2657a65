// One look at the screen: the pixels, and the pointer apart from them.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <optional>
#include <vector>

namespace eyehand::winio {

/// What the pointer looks like and where it is. It travels apart from the pixels so that all
/// back-ends share one way of drawing it.
struct PointerShape {
    Point position; ///< of the hotspot, in desktop pixels
    Point hotspot;  ///< within `pixels`
    Image pixels;   ///< BGRA, alpha not premultiplied
    std::vector<std::uint8_t>
        invert; ///< one byte a pixel, non-zero inverts what lies under it; or empty
};

/// One capture of a rectangle of the desktop.
struct Frame {
    Image pixels;                        ///< without pointer; alpha has no meaning
    Point origin;                        ///< desktop position of the top left pixel
    std::optional<PointerShape> pointer; ///< nothing: hidden, or the back-end does not know
};

/// Draws the pointer onto the frame's pixels, clipped at the edges, and forgets it. Colour,
/// monochrome and inverting shapes; no effect without a pointer.
EYEHAND_WINIO_API void draw_pointer(Frame& frame);

} // namespace eyehand::winio
