// The size of the screenshots for a model.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/geometry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace eyehand::winio {

/// Maximum width and height of a screenshot, which PNG readers and model servers accept.
inline constexpr int max_image_side = 16384;

/// The largest size that fits into the box and keeps the aspect ratio; never larger than the
/// source.
struct FitWithin {
    Size box;
    friend bool operator==(const FitWithin&, const FitWithin&) = default;
};
/// Exactly this size, even if the image is distorted or enlarged.
struct ExactSize {
    Size size;
    friend bool operator==(const ExactSize&, const ExactSize&) = default;
};
/// A percentage of the source's width and height, greater than 0 and at most 400; rounded to whole
/// pixels, at least one.
struct Percent {
    double percent = 100;
    friend bool operator==(const Percent&, const Percent&) = default;
};
/// The largest size within a number of image tokens. Qwen-VL models divide an image into square
/// cells with sides of `multiple` pixels, one token each: 28 pixels in Qwen2-VL and Qwen2.5-VL, 32
/// in Qwen3-VL. Both sides are scaled by the same factor and then rounded to multiples of
/// `multiple`, so that the server need not scale again. Never larger than the source, rounded in
/// the same way. (The rule is `smart_resize` of Qwen's own qwen_vl_utils, without its lower limit.
/// `smart_resize` enlarges a side by a cell if rounding made the other side smaller, and exceeds
/// the limit for long strips.)
struct FitTokens {
    int tokens = 1024; ///< 1 to 1,000,000
    int multiple = 32; ///< 1 to 256
    friend bool operator==(const FitTokens&, const FitTokens&) = default;
};

using ImageSize = std::variant<FitWithin, ExactSize, Percent, FitTokens>;

/// Returns the size of the screenshot of a source. No side exceeds `max_image_side`. Throws
/// std::invalid_argument if the source is empty or `requested` is out of range: an empty box, a side
/// longer than `max_image_side`, or a percentage, number of tokens or cell size outside its range.
[[nodiscard]] EYEHAND_WINIO_API Size image_size(Size source, const ImageSize& requested);

/// Parses "1536x864" (fit within), "1536x864!" (exactly), "60%", "tokens:1024" and "tokens:1024:28"
/// (cells of 28 pixels); empty for any other text and for values out of range.
[[nodiscard]] EYEHAND_WINIO_API std::optional<ImageSize> parse_image_size(std::string_view text);
/// The setting as text, which `parse_image_size` reads.
[[nodiscard]] EYEHAND_WINIO_API std::string to_string(const ImageSize& requested);

} // namespace eyehand::winio
