// Screens have three kinds of content, and zlib compresses each fast and well with suitable
// settings. The kind of a stripe is determined from its rows' differences to the row above, by
// comparing adjacent bytes: see `judge`.
#include "stripe_encoder.hpp"

#include "eyehand/winio/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace eyehand::winio {
namespace {

// PNG specification, "Filter types for filter method 0".
constexpr std::uint8_t filter_none = 0;
constexpr std::uint8_t filter_sub = 1;
constexpr std::uint8_t filter_up = 2;

// Writes a pixel's red, green and blue to `rgb`, and one more byte, which the next pixel or row
// overwrites.
void put_rgb(const std::uint8_t* bgra, std::uint8_t* rgb) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, bgra, sizeof pixel);
    if constexpr (std::endian::native == std::endian::little)
        pixel = (pixel >> 16U & 0xFFU) | (pixel & 0xFF00U) | (pixel & 0xFFU) << 16U;
    else
        pixel = (pixel & 0xFF00U) << 16U | (pixel & 0xFF0000U) | (pixel >> 16U & 0xFF00U);
    std::memcpy(rgb, &pixel, sizeof pixel);
}

void subtract(const std::uint8_t* a, const std::uint8_t* b, std::size_t count, std::uint8_t* out) {
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(a[i] - b[i]);
}

// Counts the bytes that differ from the previous byte. Uses blocks that are small enough for 8-bit
// counters, which compilers turn into vectors of 16.
std::size_t count_breaks(const std::uint8_t* bytes, std::size_t count) {
    std::size_t breaks = 0;
    for (std::size_t at = 1; at < count;) {
        const std::size_t end = std::min<std::size_t>(at + 240, count);
        std::uint8_t block = 0;
        for (; at < end; ++at)
            block = static_cast<std::uint8_t>(block + (bytes[at] != bytes[at - 1] ? 1 : 0));
        breaks += block;
    }
    return breaks;
}

// zlib's adler32 of one byte followed by `zeros` bytes of 0, without reading them (RFC 1950).
std::uint32_t adler_of_unchanged_row(std::uint32_t adler, std::uint8_t first, std::size_t zeros) {
    constexpr std::uint64_t base = 65521;
    const std::uint64_t a = ((adler & 0xFFFFU) + first) % base;
    const std::uint64_t b = ((adler >> 16U) + (std::uint64_t{zeros} % base + 1) * a) % base;
    return static_cast<std::uint32_t>(b << 16U | a);
}

} // namespace

class StripeEncoder::Stream {
public:
    Stream(int level, int strategy) {
        // Raw deflate with zlib's default window (15) and memory level (8).
        if (deflateInit2(&stream_, level, Z_DEFLATED, -15, 8, strategy) != Z_OK)
            throw Error(errc::encode_failed,
                        "zlib has no memory for a screenshot: close other programs");
    }
    ~Stream() { deflateEnd(&stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Writes to `out` from `at` on, and enlarges `out` if needed. Returns the end of the written
    // bytes.
    std::size_t deflate(std::span<const std::uint8_t> data, std::vector<std::uint8_t>& out,
                        std::size_t at) {
        deflateReset(&stream_);
        // zlib's interface lacks const, but zlib does not write to its input.
        stream_.next_in = const_cast<Bytef*>(data.data());
        stream_.avail_in = static_cast<uInt>(data.size());
        do {
            if (out.size() - at < room) out.resize(std::max(out.size() * 2, at + 4 * room));
            stream_.next_out = out.data() + at;
            stream_.avail_out = static_cast<uInt>(out.size() - at);
            if (::deflate(&stream_, Z_FULL_FLUSH) == Z_STREAM_ERROR)
                throw Error(errc::encode_failed, "zlib lost its state");
            at = out.size() - stream_.avail_out;
        } while (stream_.avail_out == 0);
        return at;
    }

private:
    // zlib needs more than six bytes of room, or it writes a flush marker twice.
    static constexpr std::size_t room = 16384;
    z_stream stream_{};
};

StripeEncoder::StripeEncoder(int level) : level_(level) {}
StripeEncoder::~StripeEncoder() = default;

StripeEncoder::Deflated StripeEncoder::encode(const ImageView& rows) {
    to_rgb(rows);
    subtract_rows_above();
    switch (judge()) {
    case Content::flat:
        return deflate_flat();
    case Content::text:
        return deflate_whole({plain_.data(), rows_ * row_bytes_});
    case Content::photo:
        break;
    }
    return deflate_whole(filtered_);
}

void StripeEncoder::to_rgb(const ImageView& rows) {
    rows_ = static_cast<std::size_t>(rows.height());
    row_bytes_ = static_cast<std::size_t>(rows.width()) * 3 + 1;
    repeated_.assign(rows_, 0);
    plain_.resize(rows_ * row_bytes_ + 1); // put_rgb writes one more byte
    std::uint8_t* out = plain_.data();
    for (int y = 0; y < rows.height(); ++y, out += row_bytes_) {
        const auto row = rows.row(y);
        if (y > 0 && std::memcmp(row.data(), rows.row(y - 1).data(), row.size()) == 0) {
            std::memcpy(out, out - row_bytes_, row_bytes_);
            repeated_[static_cast<std::size_t>(y)] = 1;
            continue;
        }
        *out = filter_none;
        std::uint8_t* rgb = out + 1;
        for (std::size_t at = 0; at < row.size(); at += 4, rgb += 3) put_rgb(&row[at], rgb);
    }
}

void StripeEncoder::subtract_rows_above() {
    filtered_.resize(rows_ * row_bytes_);
    const std::size_t colors = row_bytes_ - 1;
    const std::uint8_t* row = plain_.data();
    std::uint8_t* out = filtered_.data();
    *out = filter_sub;
    std::copy_n(row + 1, 3, out + 1);
    subtract(row + 4, row + 1, colors - 3, out + 4);
    breaks_ = count_breaks(out, row_bytes_);
    for (std::size_t y = 1; y < rows_; ++y) {
        row += row_bytes_;
        out += row_bytes_;
        *out = filter_up;
        if (repeated_[y] != 0) {
            std::memset(out + 1, 0, colors);
            breaks_ += 1; // after the filter byte, as for a row that differs only in alpha
            continue;
        }
        subtract(row + 1, row + 1 - row_bytes_, colors, out + 1);
        breaks_ += count_breaks(out, row_bytes_);
    }
}

// Thresholds measured on stripes of twelve screens. Below 1 byte in 64, run lengths take no more
// bytes than zlib's fast levels on unfiltered rows, because these levels choose the farthest of
// equal matches, which costs bits. Text has at most 1 in 3, photographs have more than 3 in 4.
StripeEncoder::Content StripeEncoder::judge() const {
    if (breaks_ < filtered_.size() / 64) return Content::flat;
    return breaks_ > filtered_.size() / 2 ? Content::photo : Content::text;
}

StripeEncoder::Deflated StripeEncoder::deflate_flat() {
    constexpr int last_quick_level = 3; // from level 4 on, zlib prefers the nearest of equal
                                        // matches
    if (level_ == 0 || level_ > last_quick_level) return deflate_whole(filtered_);
    if (!runs_) runs_ = std::make_unique<Stream>(level_, Z_RLE);

    // After 64 KB less 262 bytes of input, zlib moves its window and two tables, which takes most
    // of the time on runs. Restarting before that costs nothing, because runs need no history.
    constexpr std::size_t max = 64'000;
    const std::size_t pieces = (filtered_.size() - 1) / max + 1;
    const std::size_t piece = (filtered_.size() - 1) / pieces + 1;
    std::size_t at = 0;
    for (std::size_t begin = 0; begin < filtered_.size(); begin += piece)
        at = runs_->deflate(
            std::span(filtered_).subspan(begin, std::min(piece, filtered_.size() - begin)),
            deflated_, at);

    std::uint32_t adler = 1;
    for (std::size_t y = 0; y < rows_; ++y) {
        const std::uint8_t* row = filtered_.data() + y * row_bytes_;
        adler = repeated_[y] != 0 ? adler_of_unchanged_row(adler, *row, row_bytes_ - 1)
                                  : static_cast<std::uint32_t>(adler32_z(adler, row, row_bytes_));
    }
    return {{deflated_.data(), at}, adler};
}

StripeEncoder::Deflated StripeEncoder::deflate_whole(std::span<const std::uint8_t> filtered) {
    if (!repeats_) repeats_ = std::make_unique<Stream>(level_, Z_DEFAULT_STRATEGY);
    const std::size_t end = repeats_->deflate(filtered, deflated_, 0);
    return {{deflated_.data(), end},
            static_cast<std::uint32_t>(adler32_z(1, filtered.data(), filtered.size()))};
}

} // namespace eyehand::winio
