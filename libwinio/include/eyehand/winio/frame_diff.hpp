// Compares two captures. Used for settling, for confirmation and by the pipeline.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <vector>

namespace eyehand::winio {

/// Returns the areas in which two images of the same size differ: rectangles of 1 to `tile` rows,
/// from top to bottom, that do not overlap; empty if the images are equal. Ignores alpha. Images of
/// different sizes differ everywhere. Throws std::invalid_argument if `tile` is less than 1.
[[nodiscard]] EYEHAND_WINIO_API std::vector<Rect>
changed_rects(const ImageView& before, const ImageView& after, int tile = 32);
/// The same. Compares only rows that may differ.
[[nodiscard]] EYEHAND_WINIO_API std::vector<Rect> changed_rects(const Image& before,
                                                                const Image& after, int tile = 32);

/// Whether the images have the same size and the same colors. Stops at the first difference.
[[nodiscard]] EYEHAND_WINIO_API bool same_pixels(const ImageView& before, const ImageView& after);
/// The same. Compares only rows that may differ.
[[nodiscard]] EYEHAND_WINIO_API bool same_pixels(const Image& before, const Image& after);

/// A hash of the size and the colors, to recognize an image later. Not cryptographic.
[[nodiscard]] EYEHAND_WINIO_API std::uint64_t fingerprint(const ImageView& image);

/// The fingerprints of one image after the other. Hashes only rows that may differ from the image before.
/// Not thread-safe.
class EYEHAND_WINIO_API Fingerprints {
public:
    /// The same as `fingerprint`.
    [[nodiscard]] std::uint64_t of(const Image& image);

private:
    PixelStamp latest_;
    std::vector<std::uint64_t> rows_; // the hash of each row
};

} // namespace eyehand::winio
