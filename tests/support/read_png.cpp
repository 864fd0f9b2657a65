#include "read_png.hpp"

#include <png.h>

#include <stdexcept>

using namespace eyehand;

winio::Image read_png(const std::filesystem::path& file) {
    png_image reader{};
    reader.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&reader, file.string().c_str()) == 0)
        throw std::runtime_error(file.string() + ": " + reader.message);
    reader.format = PNG_FORMAT_BGRA;
    winio::Image image({static_cast<int>(reader.width), static_cast<int>(reader.height)});
    if (png_image_finish_read(&reader, nullptr, image.data(), 0, nullptr) == 0)
        throw std::runtime_error(file.string() + ": " + reader.message);
    return image;
}
