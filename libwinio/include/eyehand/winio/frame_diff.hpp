// Which parts of two captures differ: for settling, confirmation and the pipeline alike.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <vector>

namespace eyehand::winio {

/// The areas in which two images of the same size differ, as rectangles of at least one and at most
/// `tile` rows, top to bottom, that do not overlap; empty when they are equal. Alpha counts for
/// nothing. Images of different sizes differ everywhere. Throws std::invalid_argument when `tile`
/// is below 1.
[[nodiscard]] EYEHAND_WINIO_API std::vector<Rect>
changed_rects(const ImageView& before, const ImageView& after, int tile = 32);

/// True when the images have the same size and the same colours. Stops at the first difference.
[[nodiscard]] EYEHAND_WINIO_API bool same_pixels(const ImageView& before, const ImageView& after);

} // namespace eyehand::winio
