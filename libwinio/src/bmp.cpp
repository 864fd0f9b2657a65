#include "bmp.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace winio {
namespace {

using Bytes = std::span<const std::uint8_t>;

// BITMAPINFOHEADER and BITMAPFILEHEADER of wingdi.h: sizes, and where their members are.
constexpr std::size_t info_size = 40;
constexpr std::size_t file_header_size = 14;
constexpr std::size_t masks_size = 12;
constexpr std::uint32_t plain = 0;      // BI_RGB
constexpr std::uint32_t with_masks = 3; // BI_BITFIELDS
constexpr int most_pixels = 16384;      // in a direction
constexpr int pixels_a_metre = 3780;    // 96 an inch

std::uint32_t number(Bytes bytes, std::size_t at, int length) {
    std::uint32_t value = 0;
    for (int i = length - 1; i >= 0; --i)
        value = value << 8U | bytes[at + static_cast<std::size_t>(i)];
    return value;
}

std::uint32_t number32(Bytes bytes, std::size_t at) { return number(bytes, at, 4); }
std::uint32_t number16(Bytes bytes, std::size_t at) { return number(bytes, at, 2); }

void append(std::vector<std::uint8_t>& bytes, std::uint32_t value, int length) {
    for (int i = 0; i < length; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::size_t stride_of(int width, int bits) {
    return (static_cast<std::size_t>(width) * static_cast<std::size_t>(bits) + 31) / 32 * 4;
}

// Where in a pixel's bytes each colour is.
struct Channels {
    std::size_t blue = 0;
    std::size_t green = 1;
    std::size_t red = 2;
};

struct Header {
    Size size{};
    bool bottom_up = true;
    int bits = 0;
    Channels channels{};
    std::size_t pixels_at = 0; ///< where the pixels begin unless the file says otherwise
};

// A mask that takes just one whole byte of four.
std::optional<std::size_t> byte_of_mask(std::uint32_t mask) {
    const int shift = std::countr_zero(mask);
    if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xFF) return std::nullopt;
    return static_cast<std::size_t>(shift / 8);
}

std::optional<Channels> channels_of_masks(Bytes bytes) {
    if (bytes.size() < info_size + masks_size) return std::nullopt;
    const auto red = byte_of_mask(number32(bytes, info_size));
    const auto green = byte_of_mask(number32(bytes, info_size + 4));
    const auto blue = byte_of_mask(number32(bytes, info_size + 8));
    if (!red || !green || !blue) return std::nullopt;
    return Channels{*blue, *green, *red};
}

std::optional<Header> header_of(Bytes bytes) {
    if (bytes.size() < info_size) return std::nullopt;
    const std::uint32_t header_size = number32(bytes, 0); // later versions are longer
    const auto width = static_cast<std::int32_t>(number32(bytes, 4));
    const auto height = static_cast<std::int32_t>(number32(bytes, 8));
    Header header;
    header.bits = static_cast<int>(number16(bytes, 14));
    const std::uint32_t compression = number32(bytes, 16);
    if (header_size < info_size || header_size > bytes.size()) return std::nullopt;
    if (width < 1 || width > most_pixels || height < -most_pixels || height > most_pixels ||
        height == 0)
        return std::nullopt;
    header.size = {width, height < 0 ? -height : height};
    header.bottom_up = height > 0;
    header.pixels_at = header_size;
    if (compression == plain && (header.bits == 24 || header.bits == 32)) return header;
    if (compression != with_masks || header.bits != 32) return std::nullopt;
    const auto channels = channels_of_masks(bytes);
    if (!channels) return std::nullopt;
    header.channels = *channels;
    // The first version has its masks behind the header, later ones within.
    if (header_size == info_size) header.pixels_at += masks_size;
    return header;
}

std::optional<Image> image_of(const Header& header, Bytes pixels) {
    const auto [width, height] = header.size;
    const std::size_t stride = stride_of(width, header.bits);
    const auto step = static_cast<std::size_t>(header.bits / 8);
    if (pixels.size() / stride < static_cast<std::size_t>(height)) return std::nullopt;
    Image image(header.size);
    for (int y = 0; y < height; ++y) {
        const int source_row = header.bottom_up ? height - 1 - y : y;
        const std::uint8_t* from = pixels.data() + static_cast<std::size_t>(source_row) * stride;
        std::uint8_t* to = image.row(y).data();
        for (int x = 0; x < width; ++x, from += step, to += 4) {
            to[0] = from[header.channels.blue];
            to[1] = from[header.channels.green];
            to[2] = from[header.channels.red];
        }
    }
    return image;
}

std::vector<std::uint8_t> encode(const ImageView& image, int bits) {
    if (image.empty()) throw std::invalid_argument("an empty image is no bitmap");
    const std::size_t stride = stride_of(image.width(), bits);
    const std::size_t pixels = stride * static_cast<std::size_t>(image.height());
    std::vector<std::uint8_t> bytes;
    bytes.reserve(info_size + pixels);
    append(bytes, info_size, 4);
    append(bytes, static_cast<std::uint32_t>(image.width()), 4);
    append(bytes, static_cast<std::uint32_t>(image.height()), 4);
    append(bytes, 1, 2); // planes
    append(bytes, static_cast<std::uint32_t>(bits), 2);
    append(bytes, plain, 4);
    append(bytes, static_cast<std::uint32_t>(pixels), 4);
    append(bytes, pixels_a_metre, 4);
    append(bytes, pixels_a_metre, 4);
    append(bytes, 0, 4); // colours in the palette
    append(bytes, 0, 4); // and how many matter
    bytes.resize(info_size + pixels);
    const auto step = static_cast<std::size_t>(bits / 8);
    std::uint8_t* row_begin = bytes.data() + info_size;
    for (int y = image.height() - 1; y >= 0; --y, row_begin += stride) {
        std::uint8_t* to = row_begin;
        const auto row = image.row(y);
        for (std::size_t at = 0; at < row.size(); at += 4, to += step)
            std::copy_n(row.data() + at, 3, to);
    }
    return bytes;
}

} // namespace

std::optional<Image> decode_dib(Bytes bytes) {
    const auto header = header_of(bytes);
    if (!header || header->pixels_at > bytes.size()) return std::nullopt;
    return image_of(*header, bytes.subspan(header->pixels_at));
}

std::vector<std::uint8_t> encode_dib(const ImageView& image) { return encode(image, 32); }

std::optional<Image> decode_bmp(Bytes file) {
    if (file.size() < file_header_size || file[0] != 'B' || file[1] != 'M') return std::nullopt;
    const auto header = header_of(file.subspan(file_header_size));
    const std::size_t pixels_at = number32(file, 10);
    if (!header || pixels_at < file_header_size + header->pixels_at || pixels_at > file.size())
        return std::nullopt;
    return image_of(*header, file.subspan(pixels_at));
}

std::vector<std::uint8_t> encode_bmp(const ImageView& image) {
    const std::vector<std::uint8_t> dib = encode(image, 24);
    std::vector<std::uint8_t> file{'B', 'M'};
    file.reserve(file_header_size + dib.size());
    append(file, static_cast<std::uint32_t>(file_header_size + dib.size()), 4);
    append(file, 0, 4); // reserved
    append(file, static_cast<std::uint32_t>(file_header_size + info_size), 4);
    file.insert(file.end(), dib.begin(), dib.end());
    return file;
}

} // namespace winio
