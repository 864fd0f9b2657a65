// PNG for model input: 8-bit RGB, no alpha, no ancillary chunks. What is read may have an alpha channel
// and chunks beside.
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
};

/// Rows a stripe when nobody asks for others: few enough that a line of text touches one or two,
/// enough that flushing costs little.
inline constexpr int png_stripe_rows = 32;

/// `image` as a PNG file. The same pixels, options and stripes give the same bytes. Throws like
/// StripedPng.
[[nodiscard]] EYEHAND_WINIO_API std::vector<std::uint8_t>
encode_png(const ImageView& image, const PngOptions& options = {},
           int stripe_rows = png_stripe_rows);

/// What a PNG file may be, so that a small one cannot ask for much memory.
struct PngLimits {
    Size size{16384, 16384};
    std::int64_t pixels = std::int64_t{1} << 26; ///< in all: 256 MB of memory
};

/// The picture in a PNG file: 8-bit RGB or RGBA, not interlaced, with any filters. The alpha is kept
/// as it is; of RGB it is 255. Strict: the signature, each chunk's checksum, their order, the sizes and
/// the pixels' checksum must be right, and nothing may follow. Ancillary chunks are skipped, also those
/// that would change colours (tRNS, gAMA). Throws Error{decode_failed}, naming what is wrong.
[[nodiscard]] EYEHAND_WINIO_API Image decode_png(std::span<const std::uint8_t> file,
                                                 const PngLimits& limits = {});

/// A PNG file that is kept in stripes of rows, each compressed on its own (zlib's full flush) in an
/// IDAT chunk of its own, so that a change costs no more than the stripes it touches. The file
/// depends on the pixels and the options alone, not on the order or history of `encode`, and equals
/// `encode_png` for the same stripe height. Never compares pixels: callers know what changed.
class EYEHAND_WINIO_API StripedPng {
public:
    /// Throws std::invalid_argument for an empty size, fewer than one row a stripe, a stripe of
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
    /// Compresses stripe `index` anew; `rows` is that stripe alone. Threads may encode different
    /// stripes at the same time. Throws std::invalid_argument when `rows` has another size or there
    /// is no such stripe, Error{encode_failed} when zlib runs out of memory; the stripe then stays
    /// what it was.
    void encode(int index, const ImageView& rows);
    /// The file. Throws std::logic_error while a stripe has never been encoded.
    [[nodiscard]] std::vector<std::uint8_t> file() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace eyehand::winio
