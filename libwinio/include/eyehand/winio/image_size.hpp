// How large the picture is that a model gets.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace eyehand::winio {

/// The longest side of a picture: what PNG readers and models' servers take without complaint.
inline constexpr int max_image_side = 16384;

/// As large as fits into the box with the aspect ratio kept, never larger than the source.
struct FitWithin {
    Size box;
    friend bool operator==(const FitWithin&, const FitWithin&) = default;
};
/// Exactly this size, distorted or enlarged if need be.
struct ExactSize {
    Size size;
    friend bool operator==(const ExactSize&, const ExactSize&) = default;
};
/// So many percent of the source's width and height, above 0 and at most 400; rounded to whole
/// pixels, at least one.
struct Percent {
    double percent = 100;
    friend bool operator==(const Percent&, const Percent&) = default;
};
/// As large as a model reads with so many image tokens. Qwen-VL models cut a picture into square
/// cells of `multiple` pixels, one token each: 28 pixels in Qwen2-VL and Qwen2.5-VL, 32 in
/// Qwen3-VL. Both sides are multiples of that, scaled alike and then rounded, so that the server
/// need not scale again; never larger than the source rounded so. (The rule is `smart_resize` of
/// Qwen's own qwen_vl_utils, without its lower limit; that rule enlarges a side by a cell where
/// rounding made the other one smaller, and cannot hold long strips to the limit.)
struct FitTokens {
    int tokens = 1024; ///< 1 to 1,000,000
    int multiple = 32; ///< 1 to 256
    friend bool operator==(const FitTokens&, const FitTokens&) = default;
};

using ImageSize = std::variant<FitWithin, ExactSize, Percent, FitTokens>;

/// The size of the picture of a source; by percent or tokens too no side becomes longer than
/// `max_image_side`. Throws std::invalid_argument when the source is empty or
/// the wish is out of range: an empty box, a side longer than `max_image_side`, a percentage
/// or a number of tokens that makes no sense.
[[nodiscard]] EYEHAND_WINIO_API Size picture_size(Size source, const ImageSize& wish);

/// Parses "1536x864" (fit within), "1536x864!" (exactly), "60%", "tokens:1024" and
/// "tokens:1024:28" (cells of 28 pixels); nothing when it is none of these or out of range.
[[nodiscard]] EYEHAND_WINIO_API std::optional<ImageSize> parse_image_size(std::string_view text);
/// The same as text: what `parse_image_size` reads.
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const ImageSize& wish);

} // namespace eyehand::winio
