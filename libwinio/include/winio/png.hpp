// PNG for model input: 8-bit RGB, no alpha, no ancillary chunks.
#pragma once

#include "winio/image.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace winio {

struct PngOptions {
    int level = 1; ///< zlib's 0 (stored) to 9 (smallest)
};

/// Rows a stripe when nobody asks for others: few enough that a line of text touches one or two,
/// enough that flushing costs little.
inline constexpr int png_stripe_rows = 32;

/// `image` as a PNG file. The same pixels, options and stripes give the same bytes. Throws like
/// StripedPng.
[[nodiscard]] std::vector<std::uint8_t> encode_png(const ImageView& image,
                                                   const PngOptions& options = {},
                                                   int stripe_rows = png_stripe_rows);

/// A PNG file that is kept in stripes of rows, each compressed on its own (zlib's full flush) in an
/// IDAT chunk of its own, so that a change costs no more than the stripes it touches. The file
/// depends on the pixels and the options alone, not on the order or history of `encode`, and equals
/// `encode_png` for the same stripe height. Never compares pixels: callers know what changed.
class StripedPng {
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

} // namespace winio
