// A capture of the screen: the pixels, and separately the pointer.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <optional>
#include <vector>

namespace eyehand::winio {

/// The shape and position of the pointer. It is separate from the pixels so that all back-ends
/// share the code that draws it.
struct PointerShape {
    Point position; ///< of the hotspot, in desktop pixels
    Point hotspot;  ///< within `pixels`
    Image pixels;   ///< BGRA, alpha not premultiplied
    std::vector<std::uint8_t>
        invert; ///< one byte per pixel: a nonzero value inverts the pixel below; or empty
};

/// One capture of a rectangle of the desktop.
struct Frame {
    Image pixels;                        ///< without pointer; alpha has no meaning
    Point origin;                        ///< desktop position of the top left pixel
    std::optional<PointerShape> pointer; ///< empty: hidden or unknown
};

/// Draws the pointer onto the frame's pixels, clipped at the edges, and resets `frame.pointer`.
/// Draws color, monochrome and inverting shapes; has no effect without a pointer.
EYEHAND_WINIO_API void draw_pointer(Frame& frame);

} // namespace eyehand::winio
