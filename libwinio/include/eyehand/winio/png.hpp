// PNG for model input: writes 8-bit RGB without alpha and ancillary chunks. The reader also accepts
// an alpha channel and ancillary chunks.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace eyehand::winio {

struct PngOptions {
    int level = 1; ///< zlib's 0 (stored) to 9 (smallest)
    friend bool operator==(const PngOptions&, const PngOptions&) = default;
};

/// Default number of rows per stripe: few enough that a line of text touches one or two stripes,
/// and enough that flushing costs little.
inline constexpr int png_stripe_rows = 32;

/// Returns `image` as a PNG file. The same pixels, options and stripes give the same bytes. Throws
/// the exceptions of StripedPng.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::uint8_t>
encode_png(const ImageView& image, const PngOptions& options = {},
           int stripe_rows = png_stripe_rows);

/// Reads a PNG file: 8-bit RGB or RGBA, not interlaced, with any filters. The alpha of RGBA is
/// kept; the alpha of RGB is 255. Strict: the signature, each chunk's checksum, the order of the
/// chunks, the sizes and the pixels' checksum must be correct, and nothing may follow. Ancillary
/// chunks are skipped, also those that would change colors (tRNS, gAMA). Throws
/// Error{decode_failed}, whose text names the problem.
[[nodiscard]] EYEHAND_WINIO_API Image decode_png(std::span<const std::uint8_t> file,
                                                 const ImageLimits& limits = {});

/// A PNG file in stripes of rows. Each stripe is compressed separately (zlib's full flush) into its
/// own IDAT chunk, so that a change costs only the stripes that it touches. The file depends only
/// on the pixels and the options, not on the order or history of `encode`, and equals the result of
/// `encode_png` for the same stripe height. Never compares pixels: the caller knows what changed.
class EYEHAND_WINIO_API StripedPng {
public:
    /// Throws std::invalid_argument for an empty size, fewer than one row per stripe, a stripe of
    /// more than 1 GiB or a level out of range.
    explicit StripedPng(Size size, const PngOptions& options = {},
                        int stripe_rows = png_stripe_rows);
    ~StripedPng();
    StripedPng(StripedPng&&) noexcept;
    StripedPng& operator=(StripedPng&&) noexcept;

    [[nodiscard]] Size size() const;
    [[nodiscard]] int stripes() const;
    /// The rows of stripe `index`, 0 <= index < stripes(); throws std::invalid_argument otherwise.
    [[nodiscard]] RowRange stripe(int index) const;
    /// Compresses stripe `index`; `rows` contains only that stripe. Threads may encode different
    /// stripes at the same time. Throws std::invalid_argument if `rows` has another size or `index`
    /// is out of range, and Error{encode_failed} if zlib runs out of memory; the stripe is then
    /// unchanged.
    void encode(int index, const ImageView& rows);
    /// Returns the file. Throws std::logic_error if a stripe has not been encoded yet.
    [[nodiscard]] std::vector<std::uint8_t> file() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::winio
