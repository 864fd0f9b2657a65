#include "jpeg.hpp"

#include "eyehand/winio/error.hpp"
#include "image_limits.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

// Static functions: the application may contain the same libraries. Failures need no texts of stb,
// which it would keep in a variable of each thread.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_FAILURE_STRINGS
#define STBI_NO_THREAD_LOCALS
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" // they have other functions, too
#endif
#include <stb_image.h>
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace eyehand::winio {
namespace {

constexpr int max_side = 65535;

struct Freed {
    void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

[[noreturn]] void refuse(const std::string& why) {
    throw Error(errc::decode_failed, "the JPEG file cannot be read: " + why);
}

int length_of(std::span<const std::uint8_t> file) {
    constexpr std::size_t max = std::numeric_limits<int>::max();
    if (file.size() > max) refuse("it is too large");
    return static_cast<int>(file.size());
}

// Places in the header that `encode_jpeg` writes: JFIF, two quantization tables, the frame, the
// Huffman tables, the scan.
constexpr std::size_t size_at = 159;     // height, width
constexpr std::size_t sampling_at = 165; // of the first component
constexpr bool varies(std::size_t at) {
    return (at >= 25 && at < 89) || (at >= 90 && at < 154) || // quantization tables
           (at >= size_at && at < size_at + 4) || at == sampling_at;
}

/// The header of any image.
const std::vector<std::uint8_t>& header() {
    static const std::vector<std::uint8_t> bytes = [] {
        const std::vector<std::uint8_t> file = encode_jpeg(Image({1, 1}).view(), {});
        constexpr auto scan = std::to_array<std::uint8_t>({0xFF, 0xDA, 0, 12});
        const auto at = std::search(file.begin(), file.end(), scan.begin(), scan.end());
        return std::vector<std::uint8_t>(file.begin(), at + 14);
    }();
    return bytes;
}

/// Refuses files of other forms than `encode_jpeg` writes. stb_image 2.27, of Debian 12, reads outside
/// its memory if a file has damaged Huffman tables (such as CVE-2022-28042), or uses tables that it
/// does not define.
void check_form(std::span<const std::uint8_t> file) {
    const std::vector<std::uint8_t>& expected = header();
    if (file.size() < expected.size() + 2) refuse("it is truncated");
    for (std::size_t at = 0; at < expected.size(); ++at)
        if (!varies(at) && file[at] != expected[at])
            refuse("it is damaged, or another program has written it");
    if (file[sampling_at] != 0x11 && file[sampling_at] != 0x22)
        refuse("it is damaged, or another program has written it");
    const auto data = file.subspan(expected.size(), file.size() - expected.size() - 2);
    for (std::size_t at = 0; at < data.size(); ++at) {
        if (data[at] != 0xFF) continue;
        if (at + 1 >= data.size() || data[at + 1] != 0) refuse("it has an unexpected marker");
    }
    if (file[file.size() - 2] != 0xFF || file[file.size() - 1] != 0xD9) refuse("it is truncated");
}

} // namespace

std::vector<std::uint8_t> encode_jpeg(const ImageView& image, const JpegOptions& options) {
    if (image.width() > max_side || image.height() > max_side)
        throw Error(errc::encode_failed, "a JPEG file has at most 65535 pixels per side: choose "
                                         "smaller screenshots, or PNG");
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(image.width()) *
                                  static_cast<std::size_t>(image.height()) * 3);
    std::uint8_t* to = rgb.data();
    for (int y = 0; y < image.height(); ++y) {
        const auto row = image.row(y);
        for (std::size_t at = 0; at < row.size(); at += 4) {
            *to++ = row[at + 2];
            *to++ = row[at + 1];
            *to++ = row[at];
        }
    }
    std::vector<std::uint8_t> file;
    const auto append = [](void* context, void* data, int size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        auto& into = *static_cast<std::vector<std::uint8_t>*>(context);
        into.insert(into.end(), bytes, bytes + size);
    };
    if (stbi_write_jpg_to_func(append, &file, image.width(), image.height(), 3, rgb.data(),
                               options.quality) == 0)
        throw Error(errc::encode_failed, "the screenshot cannot be encoded as JPEG");
    return file;
}

Size jpeg_size(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    check_form(file);
    const auto number = [&](std::size_t at) { return int{file[at]} << 8 | int{file[at + 1]}; };
    const Size size{number(size_at + 2), number(size_at)};
    check_limits(size, limits, "JPEG");
    return size;
}

Image decode_jpeg(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    Size size = jpeg_size(file, limits);
    int components = 0;
    const std::unique_ptr<stbi_uc, Freed> pixels(stbi_load_from_memory(
        file.data(), length_of(file), &size.width, &size.height, &components, 4));
    if (!pixels) refuse("it is damaged");
    Image image(size);
    const std::uint8_t* from = pixels.get();
    for (int y = 0; y < size.height; ++y) {
        const auto row = image.row(y);
        for (std::size_t at = 0; at < row.size(); at += 4, from += 4) {
            row[at] = from[2];
            row[at + 1] = from[1];
            row[at + 2] = from[0];
            row[at + 3] = 255;
        }
    }
    return image;
}

} // namespace eyehand::winio
