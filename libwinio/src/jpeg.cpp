#include "jpeg.hpp"

#include "eyehand/winio/error.hpp"
#include "image_limits.hpp"

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

int length_of(std::span<const std::uint8_t> file) {
    constexpr std::size_t max = std::numeric_limits<int>::max();
    if (file.size() > max) throw Error(errc::decode_failed, "the JPEG file is too large");
    return static_cast<int>(file.size());
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
    Size size;
    int components = 0;
    if (stbi_info_from_memory(file.data(), length_of(file), &size.width, &size.height,
                              &components) == 0)
        throw Error(errc::decode_failed,
                    "the JPEG file cannot be read: its header is damaged or of an unusual kind");
    check_limits(size, limits, "JPEG");
    return size;
}

Image decode_jpeg(std::span<const std::uint8_t> file, const ImageLimits& limits) {
    Size size = jpeg_size(file, limits);
    int components = 0;
    const std::unique_ptr<stbi_uc, Freed> pixels(stbi_load_from_memory(
        file.data(), length_of(file), &size.width, &size.height, &components, 4));
    if (!pixels)
        throw Error(errc::decode_failed,
                    "the JPEG file cannot be read: it is damaged or of an unusual kind");
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
