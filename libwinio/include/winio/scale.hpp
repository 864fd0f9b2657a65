// Making captures smaller, or larger when forced.
#pragma once

#include "winio/image.hpp"

namespace winio {

/// Scales `source` to `size`, per axis: area averaging where it shrinks (each output pixel is the
/// mean of what it covers, by area), bilinear where it grows. Equal sizes copy. The result is
/// opaque. `source` must not show `into`'s own pixels. Throws std::invalid_argument when `source`
/// or `size` is empty.
void scale(const ImageView& source, Size size, Image& into);

} // namespace winio
