// From the bitmaps of an HCURSOR to a PointerShape.
#pragma once

#include "eyehand/winio/frame.hpp"

#include <optional>

namespace eyehand::winio::win32 {

/// The two bitmaps of a cursor, read as 32-bit top-down images.
struct CursorBitmaps {
    std::optional<Image> colour; ///< nothing: monochrome, both halves are in `mask`
    Image mask; ///< white where a mask bit is set. With colour: the AND mask; without: the AND mask
                ///< above the XOR mask, twice as high as the pointer
};

/// What the bitmaps mean; position and hotspot are the caller's. Throws std::invalid_argument when
/// the mask does not fit.
[[nodiscard]] PointerShape shape_of(const CursorBitmaps& bitmaps);

/// How large a pointer is drawn: `nominal` pixels of its bitmap become `drawn` of the screen.
struct PointerEnlargement {
    int nominal = 1;
    int drawn = 1;
};

/// The shape with pixels, invert mask and hotspot in that proportion; each pixel of the result is
/// one of the original, since a mask has nothing in between. Unchanged when both are equal or one
/// is not positive.
[[nodiscard]] PointerShape enlarged(PointerShape shape, PointerEnlargement by);

} // namespace eyehand::winio::win32
