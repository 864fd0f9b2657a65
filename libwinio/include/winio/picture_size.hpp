// How large the picture is that a model gets.
#pragma once

#include "winio/geometry.hpp"

#include <variant>

namespace winio {

/// As large as fits into the box with the aspect ratio kept, never larger than the source.
struct FitWithin {
    Size box;
};
/// Exactly this size, distorted or enlarged if need be.
struct ExactSize {
    Size size;
};
/// So many percent of the source's width and height, above 0 and at most 400; rounded to whole
/// pixels, at least one.
struct Percent {
    double percent = 100;
};
/// As large as a model reads with so many image tokens. Qwen-VL models cut a picture into square
/// cells of `multiple` pixels, one token each: 28 pixels in Qwen2-VL and Qwen2.5-VL, 32 in
/// Qwen3-VL. Both sides are multiples of that, scaled alike and then rounded, so that the server
/// need not scale again; never larger than the source rounded so. (The rule is `smart_resize` of
/// Qwen's own qwen_vl_utils, without its lower limit; that rule enlarges a side by a cell where
/// rounding made the other one smaller, and cannot hold long strips to the limit.)
struct FitTokens {
    int tokens = 1024;
    int multiple = 32;
};

using PictureSize = std::variant<FitWithin, ExactSize, Percent, FitTokens>;

/// The size of the picture of a source. Throws std::invalid_argument when the source is empty or
/// the wish cannot be met: an empty box, a percentage or a number of tokens out of range.
[[nodiscard]] Size picture_size(Size source, const PictureSize& wish);

} // namespace winio
