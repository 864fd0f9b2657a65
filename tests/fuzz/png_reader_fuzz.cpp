// Any input is either rejected as a PNG file, or read as an image within the limits that stays the
// same when it is written and read again. Because wrong checksums would stop most inputs at the
// first chunk, each input is also read with corrected checksums.
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

using namespace eyehand;

namespace {

constexpr winio::ImageLimits limits{.size = {300, 300}, .pixels = 40000};

std::vector<std::uint8_t> with_checksums(const std::uint8_t* data, std::size_t size) {
    std::vector<std::uint8_t> file(data, data + size);
    for (std::size_t at = 8; at + 12 <= file.size();) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8U | file[at + i];
        if (length > file.size() - at - 12) break;
        auto sum = static_cast<std::uint32_t>(crc32_z(0, &file[at + 4], length + 4));
        for (std::size_t i = 4; i > 0; --i, sum >>= 8U)
            file[at + 7 + length + i] = static_cast<std::uint8_t>(sum);
        at += length + 12;
    }
    return file;
}

void read(std::span<const std::uint8_t> file) {
    winio::Image image;
    try {
        image = winio::decode_png(file, limits);
    } catch (const winio::Error& error) {
        if (error.code() != winio::errc::decode_failed) std::abort();
        return;
    }
    if (image.empty() || image.width() > 300 || image.height() > 300) std::abort();
    const winio::Image again = winio::decode_png(winio::encode_png(image.view()));
    if (again.size() != image.size()) std::abort();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            winio::Color opaque = image.at(x, y);
            opaque.alpha = 255;
            if (again.at(x, y) != opaque) std::abort();
        }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    read({data, size});
    read(with_checksums(data, size));
    return 0;
}
