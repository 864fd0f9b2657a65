// Filters and deflates the rows of one stripe of a PNG file.
#pragma once

#include "eyehand/winio/image.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace eyehand::winio {

/// Keeps zlib's states and buffers from stripe to stripe. Its output depends only on the colors of
/// the rows and the level. Not thread-safe.
class StripeEncoder {
public:
    /// `level` is zlib's 0 to 9.
    explicit StripeEncoder(int level);
    ~StripeEncoder();

    /// A raw deflate stream that ends with a full flush.
    struct Deflated {
        std::span<const std::uint8_t> bytes; ///< valid until the next call
        std::uint32_t adler = 1;             ///< of the uncompressed bytes
    };
    /// Throws Error{encode_failed} if zlib runs out of memory.
    [[nodiscard]] Deflated encode(const ImageView& rows);

private:
    class Stream;
    enum class Content { flat, text, photo };

    void to_rgb(const ImageView& rows);
    void subtract_rows_above();
    [[nodiscard]] Content judge() const;
    [[nodiscard]] Deflated deflate_flat();
    [[nodiscard]] Deflated deflate_whole(std::span<const std::uint8_t> filtered);

    int level_;
    std::unique_ptr<Stream> runs_;    // finds only repeated bytes
    std::unique_ptr<Stream> repeats_; // finds repeated strings
    std::size_t row_bytes_ = 0;       // of a filtered row
    std::size_t rows_ = 0;
    std::vector<char> repeated_;         // whether a row equals the one above
    std::vector<std::uint8_t> plain_;    // unfiltered rows
    std::vector<std::uint8_t> filtered_; // differences to the row above
    std::size_t breaks_ = 0;             // bytes in `filtered_` that differ from the one before
    std::vector<std::uint8_t> deflated_;
};

} // namespace eyehand::winio
