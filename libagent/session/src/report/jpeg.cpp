#include "report/jpeg.hpp"

// Static functions: the application may contain the same library.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function" // it writes other formats, too
#endif
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <stdexcept>

namespace eyehand::session {

std::vector<std::uint8_t> encode_jpeg(const winio::ImageView& image, int quality) {
    if (image.empty() || image.width() > 0xffff || image.height() > 0xffff)
        throw std::invalid_argument("a JPEG has 1 to 65535 pixels per side");
    if (quality < 1 || quality > 100)
        throw std::invalid_argument("the quality of a JPEG must be 1 to 100");
    std::vector<std::uint8_t> rgb;
    rgb.reserve(static_cast<std::size_t>(image.width()) * static_cast<std::size_t>(image.height()) *
                3);
    for (int y = 0; y < image.height(); ++y) {
        const auto row = image.row(y);
        for (std::size_t at = 0; at + 3 < row.size(); at += 4)
            rgb.insert(rgb.end(), {row[at + 2], row[at + 1], row[at]});
    }
    std::vector<std::uint8_t> file;
    const auto append = [](void* context, void* data, int size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        auto& into = *static_cast<std::vector<std::uint8_t>*>(context);
        into.insert(into.end(), bytes, bytes + size);
    };
    if (stbi_write_jpg_to_func(append, &file, image.width(), image.height(), 3, rgb.data(),
                               quality) == 0)
        throw std::runtime_error("the JPEG cannot be encoded");
    return file;
}

} // namespace eyehand::session
