#include "dib.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace eyehand::winio {
namespace {

// The layout is that of BITMAPINFOHEADER (wingdi.h), little endian.
constexpr std::size_t info_header_bytes = 40;
constexpr std::array<std::size_t, 5> known_header_bytes{info_header_bytes, 52, 56, 108, 124};
constexpr std::size_t masks_at = 40; // in the header or, if it is the shortest one, after it
constexpr std::size_t masks_bytes = 12;
constexpr std::uint32_t bi_rgb = 0;
constexpr std::uint32_t bi_bitfields = 3;

using Bytes = std::span<const std::uint8_t>;

std::uint32_t u16(Bytes bytes, std::size_t at) {
    return bytes[at] | (std::uint32_t{bytes[at + 1]} << 8U);
}

std::uint32_t u32(Bytes bytes, std::size_t at) {
    return u16(bytes, at) | (u16(bytes, at + 2) << 16U);
}

struct DibHeader {
    Size size;
    bool top_down = false;
    unsigned bits = 0; ///< per pixel
    std::uint32_t compression = bi_rgb;
    std::size_t palette_at = 0;
    std::size_t palette_entries = 0;
    std::array<std::uint32_t, 3> masks{}; ///< red, green, blue; for 16 and 32 bits
};

bool is_known_kind(const DibHeader& header) {
    switch (header.bits) {
    case 1:
    case 4:
    case 8:
    case 24:
        return header.compression == bi_rgb;
    case 16:
    case 32:
        return header.compression == bi_rgb || header.compression == bi_bitfields;
    default:
        return false;
    }
}

std::optional<DibHeader> read_header(Bytes bytes) {
    if (bytes.size() < info_header_bytes) return std::nullopt;
    const std::size_t header_bytes = u32(bytes, 0);
    if (std::ranges::find(known_header_bytes, header_bytes) == known_header_bytes.end() ||
        header_bytes > bytes.size())
        return std::nullopt;

    DibHeader header;
    const auto width = static_cast<std::int32_t>(u32(bytes, 4));
    const auto height = static_cast<std::int32_t>(u32(bytes, 8));
    if (width <= 0 || height == 0 || height == std::numeric_limits<std::int32_t>::min())
        return std::nullopt;
    header.size = {width, height < 0 ? -height : height};
    header.top_down = height < 0;
    header.bits = u16(bytes, 14);
    header.compression = u32(bytes, 16);
    if (!is_known_kind(header)) return std::nullopt;

    header.palette_at = header_bytes;
    if (header.compression == bi_bitfields) {
        if (header_bytes == info_header_bytes) header.palette_at += masks_bytes;
        if (bytes.size() < masks_at + masks_bytes) return std::nullopt;
        for (std::size_t i = 0; i < 3; ++i) header.masks[i] = u32(bytes, masks_at + 4 * i);
    } else if (header.bits == 16) {
        header.masks = {0x7C00, 0x03E0, 0x001F};
    } else {
        header.masks = {0xFF0000, 0x00FF00, 0x0000FF};
    }
    const std::size_t colors_used = u32(bytes, 32);
    header.palette_entries = colors_used != 0   ? colors_used
                             : header.bits <= 8 ? std::size_t{1} << header.bits
                                                : 0;
    return header;
}

// The value that a mask selects, scaled to 0..255.
std::uint8_t channel(std::uint32_t pixel, std::uint32_t mask) {
    if (mask == 0) return 0;
    const int shift = std::countr_zero(mask);
    const std::uint64_t max = mask >> shift;
    const std::uint64_t value = (pixel & mask) >> shift;
    return static_cast<std::uint8_t>((value * 255 + max / 2) / max);
}

class RowReader {
public:
    RowReader(const DibHeader& header, Bytes palette) : header_(header), palette_(palette) {}

    void read(Bytes from, std::span<std::uint8_t> into) const {
        for (std::size_t x = 0; x * 4 < into.size(); ++x) {
            put(from, x, into.subspan(x * 4, 4));
            into[x * 4 + 3] = 255;
        }
    }

private:
    void put(Bytes from, std::size_t x, std::span<std::uint8_t> pixel) const {
        switch (header_.bits) {
        case 24:
            std::ranges::copy(from.subspan(x * 3, 3), pixel.begin());
            return;
        case 16:
            return put_masked(u16(from, x * 2), pixel);
        case 32:
            return put_masked(u32(from, x * 4), pixel);
        default:
            return put_indexed(from, x, pixel);
        }
    }
    void put_masked(std::uint32_t value, std::span<std::uint8_t> pixel) const {
        for (std::size_t i = 0; i < 3; ++i) pixel[2 - i] = channel(value, header_.masks[i]);
    }
    // The leftmost pixel has the highest bits of its byte. Indices past the palette's end are
    // black.
    void put_indexed(Bytes from, std::size_t x, std::span<std::uint8_t> pixel) const {
        const std::size_t bit = x * header_.bits;
        const unsigned shift = 8U - header_.bits - static_cast<unsigned>(bit % 8);
        const std::size_t index = (from[bit / 8] >> shift) & ((1U << header_.bits) - 1U);
        if (index >= palette_.size() / 4)
            std::ranges::fill(pixel, std::uint8_t{0});
        else
            std::ranges::copy(palette_.subspan(index * 4, 3), pixel.begin());
    }

    const DibHeader& header_;
    Bytes palette_;
};

void append(std::vector<std::uint8_t>& bytes, std::uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        bytes.push_back(static_cast<std::uint8_t>(value >> (8U * i)));
}

} // namespace

std::optional<Image> decode_dib(std::span<const std::uint8_t> bytes,
                                std::optional<std::size_t> pixels_at) {
    const auto header = read_header(bytes);
    if (!header) return std::nullopt;
    const Bytes behind_header = bytes.subspan(header->palette_at);
    if (header->palette_entries > behind_header.size() / 4) return std::nullopt;
    const Bytes palette = behind_header.first(header->palette_entries * 4);
    const std::size_t earliest = header->palette_at + palette.size();
    const std::size_t begin = pixels_at.value_or(earliest);
    if (begin < earliest || begin > bytes.size()) return std::nullopt;
    const Bytes rest = bytes.subspan(begin);

    // Rows are padded to 4 bytes. Compares by division, because the product may overflow.
    const std::uint64_t row_bits =
        std::uint64_t{header->bits} * static_cast<std::uint64_t>(header->size.width);
    const std::uint64_t stride = (row_bits + 31) / 32 * 4;
    const auto height = static_cast<std::uint64_t>(header->size.height);
    if (height > rest.size() / stride) return std::nullopt;

    Image image(header->size);
    const RowReader reader(*header, palette);
    for (int y = 0; y < image.height(); ++y) {
        const int stored = header->top_down ? y : image.height() - 1 - y;
        const auto row_bytes = static_cast<std::size_t>(stride);
        reader.read(rest.subspan(static_cast<std::size_t>(stored) * row_bytes, row_bytes),
                    image.row(y));
    }
    return image;
}

std::vector<std::uint8_t> encode_dib(const ImageView& image) {
    if (image.empty()) throw std::invalid_argument("an empty image cannot be a bitmap");
    const std::uint64_t row_bytes = std::uint64_t{4} * static_cast<std::uint64_t>(image.width());
    const auto height = static_cast<std::uint64_t>(image.height());
    if (height > (std::numeric_limits<std::uint32_t>::max() - info_header_bytes) / row_bytes)
        throw std::invalid_argument("an image this large does not fit into a bitmap");
    const std::uint64_t pixel_bytes = row_bytes * height;

    std::vector<std::uint8_t> bytes;
    bytes.reserve(static_cast<std::size_t>(info_header_bytes + pixel_bytes));
    append(bytes, info_header_bytes, 4);
    append(bytes, static_cast<std::uint32_t>(image.width()), 4);
    append(bytes, static_cast<std::uint32_t>(image.height()), 4); // positive: bottom-up
    append(bytes, 1, 2);                                          // planes
    append(bytes, 32, 2);                                         // bits per pixel
    append(bytes, bi_rgb, 4);
    append(bytes, static_cast<std::uint32_t>(pixel_bytes), 4);
    for (int unused = 0; unused < 4; ++unused) append(bytes, 0, 4); // resolution, colors used
    for (int y = image.height() - 1; y >= 0; --y) {
        const auto row = image.row(y);
        const std::size_t begin = bytes.size();
        bytes.insert(bytes.end(), row.begin(), row.end());
        for (std::size_t at = begin + 3; at < bytes.size(); at += 4) bytes[at] = 255;
    }
    return bytes;
}

} // namespace eyehand::winio
