// Converts the bitmaps of an HCURSOR to a PointerShape.
#pragma once

#include "eyehand/winio/frame.hpp"

#include <optional>

namespace eyehand::winio::win32 {

/// The two bitmaps of a cursor, read as 32-bit top-down images.
struct CursorBitmaps {
    std::optional<Image> color; ///< empty: monochrome, both halves are in `mask`
    Image mask; ///< white where a mask bit is set. With a color bitmap: the AND mask; without: the
                ///< AND mask above the XOR mask, twice as high as the pointer
};

/// The shape that the bitmaps define; the caller sets position and hotspot. Throws
/// std::invalid_argument if the size of the mask does not match.
[[nodiscard]] PointerShape shape_of(const CursorBitmaps& bitmaps);

/// The scale at which a pointer is drawn: `nominal` pixels of its bitmap become `drawn` pixels of
/// the screen.
struct PointerEnlargement {
    int nominal = 1;
    int drawn = 1;
};

/// The shape with pixels, invert mask and hotspot scaled by that ratio. Copies the nearest pixels,
/// because a mask cannot be interpolated. Unchanged if both values are equal or one is not
/// positive.
[[nodiscard]] PointerShape enlarged(PointerShape shape, PointerEnlargement by);

} // namespace eyehand::winio::win32
