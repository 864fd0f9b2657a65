#include "bmp.hpp"

#include "dib.hpp"

namespace eyehand::winio {
namespace {

// BITMAPFILEHEADER of wingdi.h: "BM", the size of the file, 4 reserved bytes, the offset of the
// pixels.
constexpr std::size_t file_header_bytes = 14;
constexpr std::size_t pixels_at_field = 10;
constexpr std::uint32_t dib_header_bytes = 40; // encode_dib writes them before the pixels

std::uint32_t little_endian_u32(std::span<const std::uint8_t> bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i > 0; --i) value = value << 8U | bytes[at + i - 1];
    return value;
}

void append_little_endian(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
    for (const unsigned shift : {0U, 8U, 16U, 24U})
        bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

} // namespace

std::optional<Image> decode_bmp(std::span<const std::uint8_t> file) {
    if (file.size() < file_header_bytes || file[0] != 'B' || file[1] != 'M') return std::nullopt;
    const std::size_t pixels_at = little_endian_u32(file, pixels_at_field);
    if (pixels_at < file_header_bytes) return std::nullopt;
    return decode_dib(file.subspan(file_header_bytes), pixels_at - file_header_bytes);
}

std::vector<std::uint8_t> encode_bmp(const ImageView& image) {
    const std::vector<std::uint8_t> dib = encode_dib(image);
    std::vector<std::uint8_t> file{'B', 'M'};
    file.reserve(file_header_bytes + dib.size());
    append_little_endian(file, static_cast<std::uint32_t>(file_header_bytes + dib.size()));
    append_little_endian(file, 0); // reserved
    append_little_endian(file, file_header_bytes + dib_header_bytes);
    file.insert(file.end(), dib.begin(), dib.end());
    return file;
}

} // namespace eyehand::winio
