#include "bmp.hpp"

#include "dib.hpp"

namespace winio {
namespace {

// BITMAPFILEHEADER of wingdi.h: "BM", the file's size, four bytes of nothing, where the pixels are.
constexpr std::size_t file_header_size = 14;
constexpr std::size_t info_header_size = 40;

void append(std::vector<std::uint8_t>& bytes, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

} // namespace

// Where the pixels begin follows from the bitmap's own header: the file's word for it is not needed.
std::optional<Image> decode_bmp(std::span<const std::uint8_t> file) {
    if (file.size() < file_header_size || file[0] != 'B' || file[1] != 'M') return std::nullopt;
    return decode_dib(file.subspan(file_header_size));
}

std::vector<std::uint8_t> encode_bmp(const ImageView& image) {
    const std::vector<std::uint8_t> dib = encode_dib(image);
    std::vector<std::uint8_t> file{'B', 'M'};
    file.reserve(file_header_size + dib.size());
    append(file, static_cast<std::uint32_t>(file_header_size + dib.size()));
    append(file, 0);
    append(file, file_header_size + info_header_size);
    file.insert(file.end(), dib.begin(), dib.end());
    return file;
}

} // namespace winio
