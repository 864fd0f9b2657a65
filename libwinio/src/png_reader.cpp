// Reads PNG files by the PNG specification (W3C, third edition): chunks in order, each with a
// checksum. The IDAT chunks together are one zlib stream of rows, each preceded by a byte that
// names its filter. Allocates no pixels before the file has shown that it can contain them.
#include "eyehand/winio/png.hpp"

#include "eyehand/winio/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace eyehand::winio {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr auto signature =
    std::to_array<std::uint8_t>({0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
constexpr std::size_t min_chunk_bytes = 12; // length, type, checksum
constexpr std::size_t header_bytes = 13;
constexpr std::uint32_t max_field = 0x7fffffff; // maximum length of a chunk, width and height
// Deflate encodes at most 258 bytes in two bits.
constexpr std::uint64_t max_bytes_per_byte = 1032;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(errc::decode_failed, "the PNG file cannot be read: " + why);
}

std::uint32_t big_endian_u32(Bytes bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8U | bytes[at + i];
    return value;
}

struct Chunk {
    std::string_view type;
    Bytes data;

    /// A reader may skip an unknown chunk if the first letter of its type is lowercase.
    [[nodiscard]] bool ancillary() const { return type[0] >= 'a'; }
};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

/// Takes the chunk at the front of `rest`.
Chunk take_chunk(Bytes& rest) {
    if (rest.size() < min_chunk_bytes) refuse("it is truncated");
    const std::uint32_t length = big_endian_u32(rest, 0);
    if (length > max_field) refuse("a chunk has an invalid length");
    if (length > rest.size() - min_chunk_bytes) refuse("it is truncated");
    const Bytes checked = rest.subspan(4, std::size_t{length} + 4);
    const Chunk chunk{{reinterpret_cast<const char*>(checked.data()), 4}, checked.subspan(4)};
    if (!std::all_of(chunk.type.begin(), chunk.type.end(), is_letter))
        refuse("a chunk has an invalid type");
    if (crc32_z(0, checked.data(), checked.size()) != big_endian_u32(rest, 8 + std::size_t{length}))
        refuse("the checksum of its chunk " + std::string(chunk.type) + " is wrong");
    rest = rest.subspan(min_chunk_bytes + length);
    return chunk;
}

struct Header {
    Size size;
    std::size_t pixel_bytes = 3; ///< 3: RGB, 4: RGBA

    [[nodiscard]] std::size_t row_bytes() const {
        return static_cast<std::size_t>(size.width) * pixel_bytes + 1; // including the filter byte
    }
};

Header read_header(const Chunk& chunk, const ImageLimits& limits) {
    if (chunk.type != "IHDR" || chunk.data.size() != header_bytes) refuse("it has no valid header");
    const std::uint32_t width = big_endian_u32(chunk.data, 0);
    const std::uint32_t height = big_endian_u32(chunk.data, 4);
    if (width == 0 || height == 0 || width > max_field || height > max_field)
        refuse("its size is invalid");
    const auto exceeds = [](std::uint32_t side, int limit) {
        return limit < 1 || side > static_cast<std::uint32_t>(limit);
    };
    if (exceeds(width, limits.size.width) || exceeds(height, limits.size.height) ||
        std::int64_t{width} * std::int64_t{height} > limits.pixels)
        refuse("its size of " + std::to_string(width) + "x" + std::to_string(height) +
               " pixels is too large");
    const std::uint8_t depth = chunk.data[8];
    const std::uint8_t color = chunk.data[9];
    if (depth != 8 || (color != 2 && color != 6)) refuse("only 8-bit RGB and RGBA are supported");
    if (chunk.data[10] != 0 || chunk.data[11] != 0)
        refuse("its compression or filter method is unknown");
    if (chunk.data[12] != 0) refuse("it is interlaced");
    return {{static_cast<int>(width), static_cast<int>(height)}, color == 6 ? 4U : 3U};
}

/// The parts of the compressed stream. Checks all chunks.
struct Chunks {
    Header header;
    std::vector<Bytes> compressed;
};

Chunks read_chunks(Bytes file, const ImageLimits& limits) {
    if (file.size() < signature.size() ||
        !std::equal(signature.begin(), signature.end(), file.begin()))
        refuse("it does not have a PNG signature");
    Bytes rest = file.subspan(signature.size());
    Chunks chunks{read_header(take_chunk(rest), limits), {}};
    bool pixels_over = false; // another chunk came after an IDAT
    while (true) {
        const Chunk chunk = take_chunk(rest);
        if (chunk.type == "IDAT") {
            if (pixels_over) refuse("its IDAT chunks are not consecutive");
            chunks.compressed.push_back(chunk.data);
            continue;
        }
        pixels_over = !chunks.compressed.empty();
        if (chunk.type == "IEND") {
            if (!chunk.data.empty()) refuse("its IEND chunk is not empty");
            if (!pixels_over) refuse("it has no pixels");
            if (!rest.empty()) refuse("it has data after its end");
            return chunks;
        }
        // For RGB pixels, a palette is only a suggestion.
        const bool suggestion = chunk.type == "PLTE" && !pixels_over;
        if (!suggestion && !chunk.ancillary())
            refuse("its chunk " + std::string(chunk.type) + " is unknown or misplaced");
    }
}

/// The zlib stream of all IDAT chunks, read row by row.
class Inflater {
public:
    explicit Inflater(const std::vector<Bytes>& parts) : parts_(parts) {
        if (inflateInit(&stream_) != Z_OK)
            throw Error(errc::decode_failed, "zlib ran out of memory");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    void read(std::span<std::uint8_t> row) {
        stream_.next_out = row.data();
        stream_.avail_out = static_cast<uInt>(row.size());
        while (stream_.avail_out > 0) {
            if (ended_) refuse("it has too few pixels");
            step();
        }
    }

    /// Checks that the stream ends here, with the correct checksum and no data after it.
    void finish() {
        std::uint8_t more = 0;
        stream_.next_out = &more;
        stream_.avail_out = 1;
        while (!ended_) {
            step();
            if (stream_.avail_out == 0) refuse("it has too many pixels");
        }
        stream_.next_out = nullptr; // `more` ends with this function
        const bool read_whole = stream_.avail_in == 0 &&
                                std::all_of(parts_.begin() + static_cast<std::ptrdiff_t>(next_),
                                            parts_.end(), [](Bytes it) { return it.empty(); });
        if (!read_whole) refuse("it has data after its pixels");
    }

private:
    void step() {
        while (stream_.avail_in == 0) {
            if (next_ == parts_.size()) refuse("it has too few pixels");
            const Bytes part = parts_[next_++];
            stream_.next_in = const_cast<Bytef*>(part.data()); // NOLINT: zlib only reads
            stream_.avail_in = static_cast<uInt>(part.size());
        }
        const int result = inflate(&stream_, Z_NO_FLUSH);
        ended_ = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR) throw Error(errc::decode_failed, "zlib ran out of memory");
        if (!ended_ && result != Z_OK) refuse("its pixels are damaged");
    }

    const std::vector<Bytes>& parts_;
    std::size_t next_ = 0;
    z_stream stream_{};
    bool ended_ = false;
};

std::uint8_t paeth(int left, int above, int above_left) {
    const int estimate = left + above - above_left;
    const int to_left = std::abs(estimate - left);
    const int to_above = std::abs(estimate - above);
    const int to_above_left = std::abs(estimate - above_left);
    if (to_left <= to_above && to_left <= to_above_left) return static_cast<std::uint8_t>(left);
    return static_cast<std::uint8_t>(to_above <= to_above_left ? above : above_left);
}

/// Reverts a row's filter. `row` and `above` begin with `pixel_bytes` zeros, which represent the
/// pixel left of the first one.
void unfilter(std::uint8_t filter, std::span<std::uint8_t> row, std::span<const std::uint8_t> above,
              std::size_t pixel_bytes) {
    const auto add = [&](auto guess) {
        for (std::size_t at = pixel_bytes; at < row.size(); ++at)
            row[at] = static_cast<std::uint8_t>(row[at] + guess(at));
    };
    switch (filter) {
    case 0:
        return;
    case 1:
        return add([&](std::size_t at) { return row[at - pixel_bytes]; });
    case 2:
        return add([&](std::size_t at) { return above[at]; });
    case 3:
        return add([&](std::size_t at) { return (row[at - pixel_bytes] + above[at]) / 2; });
    case 4:
        return add([&](std::size_t at) {
            return paeth(row[at - pixel_bytes], above[at], above[at - pixel_bytes]);
        });
    default:
        refuse("a row has an unknown filter");
    }
}

void to_bgra(std::span<const std::uint8_t> samples, std::size_t pixel_bytes,
             std::span<std::uint8_t> into) {
    for (std::size_t from = 0, to = 0; to < into.size(); from += pixel_bytes, to += 4) {
        into[to] = samples[from + 2];
        into[to + 1] = samples[from + 1];
        into[to + 2] = samples[from];
        into[to + 3] = pixel_bytes == 4 ? samples[from + 3] : std::uint8_t{255};
    }
}

} // namespace

Image decode_png(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    const Chunks chunks = read_chunks(file, limits);
    const Header& header = chunks.header;
    std::uint64_t compressed = 0;
    for (const Bytes part : chunks.compressed) compressed += part.size();
    if (compressed * max_bytes_per_byte <
        std::uint64_t{header.row_bytes()} * static_cast<std::uint64_t>(header.size.height))
        refuse("it has too few pixels");

    Image image(header.size);
    Inflater inflater(chunks.compressed);
    // The filter byte is read into the last of the zeros on the left, and is reset to 0 after its
    // value is saved.
    std::vector<std::uint8_t> row(header.pixel_bytes - 1 + header.row_bytes());
    std::vector<std::uint8_t> above(row.size());
    for (int y = 0; y < header.size.height; ++y) {
        inflater.read(std::span(row).subspan(header.pixel_bytes - 1));
        const std::uint8_t filter = std::exchange(row[header.pixel_bytes - 1], std::uint8_t{0});
        unfilter(filter, row, above, header.pixel_bytes);
        to_bgra(std::span(row).subspan(header.pixel_bytes), header.pixel_bytes, image.row(y));
        std::swap(row, above);
    }
    inflater.finish();
    return image;
}

} // namespace eyehand::winio
