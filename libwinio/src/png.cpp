// A PNG file is written stripe by stripe: the rows of a stripe are filtered, deflated and put into
// an IDAT chunk of their own. The first row of each stripe is filtered without looking at the row
// above, so that a stripe's filtered bytes depend on its pixels alone.
#include "winio/png.hpp"

#include "winio/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string_view>

namespace winio {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Rows a stripe: large enough that chunk headers and the odd first row cost nothing.
constexpr int stripe_rows = 64;

// PNG specification, "Filter types for filter method 0".
constexpr std::uint8_t filter_sub = 1;
constexpr std::uint8_t filter_up = 2;

void append_u32(Bytes& out, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void append_chunk(Bytes& out, std::string_view type, std::span<const std::uint8_t> data) {
    append_u32(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t checked_from = out.size();
    out.insert(out.end(), type.begin(), type.end());
    out.insert(out.end(), data.begin(), data.end());
    append_u32(out, static_cast<std::uint32_t>(
                        crc32_z(0, out.data() + checked_from, out.size() - checked_from)));
}

Bytes header(Size size) {
    Bytes data;
    append_u32(data, static_cast<std::uint32_t>(size.width));
    append_u32(data, static_cast<std::uint32_t>(size.height));
    // 8 bits a sample, RGB, deflate, the standard filters, not interlaced.
    data.insert(data.end(), {8, 2, 0, 0, 0});
    return data;
}

void to_rgb(std::span<const std::uint8_t> bgra, std::uint8_t* rgb) {
    for (std::size_t from = 0, to = 0; from < bgra.size(); from += 4, to += 3) {
        rgb[to] = bgra[from + 2];
        rgb[to + 1] = bgra[from + 1];
        rgb[to + 2] = bgra[from];
    }
}

// Turns rows into what PNG deflates: a filter byte and the differences to the row above, or in a
// stripe's first row to the pixel on the left.
class RowFilter {
public:
    explicit RowFilter(int width)
        : row_(static_cast<std::size_t>(width) * 3), above_(row_.size()) {}

    void append_stripe(const ImageView& rows, Bytes& out) {
        for (int y = 0; y < rows.height(); ++y) {
            to_rgb(rows.row(y), row_.data());
            const std::size_t begin = out.size();
            out.resize(begin + 1 + row_.size());
            out[begin] = y == 0 ? filter_sub : filter_up;
            std::uint8_t* filtered = out.data() + begin + 1;
            if (y == 0) {
                std::copy_n(row_.data(), 3, filtered);
                subtract(row_.data() + 3, row_.data(), row_.size() - 3, filtered + 3);
            } else {
                subtract(row_.data(), above_.data(), row_.size(), filtered);
            }
            std::swap(row_, above_);
        }
    }

private:
    static void subtract(const std::uint8_t* a, const std::uint8_t* b, std::size_t count,
                         std::uint8_t* out) {
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(a[i] - b[i]);
    }

    Bytes row_;
    Bytes above_;
};

// One zlib stream over all stripes.
class Deflater {
public:
    explicit Deflater(int level) {
        // 15 and 8 are zlib's own window and memory levels.
        if (deflateInit2(&stream_, level, Z_DEFLATED, 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw Error(errc::encode_failed, "zlib could not be started");
    }
    ~Deflater() { deflateEnd(&stream_); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    enum class Part { more, last };

    void append(Bytes& data, Part part, Bytes& out) {
        stream_.next_in = data.data();
        stream_.avail_in = static_cast<uInt>(data.size());
        std::array<std::uint8_t, 64 * 1024> buffer; // NOLINT: filled by deflate before it is read
        do {
            stream_.next_out = buffer.data();
            stream_.avail_out = static_cast<uInt>(buffer.size());
            if (deflate(&stream_, part == Part::last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                throw Error(errc::encode_failed, "zlib lost its state");
            out.insert(out.end(), buffer.begin(),
                       buffer.end() - static_cast<std::ptrdiff_t>(stream_.avail_out));
        } while (stream_.avail_out == 0);
    }

private:
    z_stream stream_{};
};

} // namespace

Bytes encode_png(const ImageView& image, const PngOptions& options) {
    if (image.empty()) throw std::invalid_argument("an empty image has no PNG");
    if (options.level < 0 || options.level > 9)
        throw std::invalid_argument("a PNG's level is 0 to 9");

    Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    append_chunk(file, "IHDR", header(image.size()));

    RowFilter filter(image.width());
    Deflater deflater(options.level);
    Bytes filtered;
    Bytes deflated;
    for (int y = 0; y < image.height(); y += stripe_rows) {
        const int rows = std::min(stripe_rows, image.height() - y);
        const bool last = y + rows == image.height();
        filtered.clear();
        filter.append_stripe(image.crop({0, y, image.width(), rows}), filtered);
        deflated.clear();
        deflater.append(filtered, last ? Deflater::Part::last : Deflater::Part::more, deflated);
        if (!deflated.empty()) append_chunk(file, "IDAT", deflated);
        if (last) break;
    }
    append_chunk(file, "IEND", {});
    return file;
}

} // namespace winio
