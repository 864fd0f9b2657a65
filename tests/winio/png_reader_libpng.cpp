// Reads files that libpng writes with decode_png.
#include "eyehand/winio/png.hpp"
#include "random_image.hpp"
#include "screen_image.hpp"

#include "catch.hpp"

#include <png.h>

using namespace eyehand::winio;

namespace {

struct PngReaderLibpngKind {
    int color = PNG_COLOR_TYPE_RGB;
    int filters = PNG_ALL_FILTERS;
};

void collect(png_structp writer, png_bytep data, png_size_t size) {
    auto& file = *static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(writer));
    file.insert(file.end(), data, data + size);
}
void flushed(png_structp) {}

/// `image` as libpng writes it, with chunks that a browser's canvas and other programs add.
std::vector<std::uint8_t> written(const Image& image, const PngReaderLibpngKind& kind) {
    std::vector<std::uint8_t> file;
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(writer);
    png_set_write_fn(writer, &file, collect, flushed);
    png_set_IHDR(writer, info, static_cast<png_uint_32>(image.width()),
                 static_cast<png_uint_32>(image.height()), 8, kind.color, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(writer, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_pHYs(writer, info, 2835, 2835, PNG_RESOLUTION_METER);
    png_set_filter(writer, PNG_FILTER_TYPE_BASE, kind.filters);
    png_write_info(writer, info);
    png_set_bgr(writer);
    if (kind.color == PNG_COLOR_TYPE_RGB) png_set_filler(writer, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < image.height(); ++y) png_write_row(writer, image.view().row(y).data());
    png_write_end(writer, info);
    png_destroy_write_struct(&writer, &info);
    return file;
}

bool equal(const Image& read, const Image& image, const PngReaderLibpngKind& kind) {
    if (read.size() != image.size()) return false;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) {
            Color expected = image.at(x, y);
            if (kind.color == PNG_COLOR_TYPE_RGB) expected.alpha = 255;
            if (read.at(x, y) != expected) return false;
        }
    return true;
}

} // namespace

TEST_CASE("files that libpng writes with each filter are read pixel for pixel") {
    for (const int color : {PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA})
        for (const int filters : {PNG_FILTER_NONE, PNG_FILTER_SUB, PNG_FILTER_UP, PNG_FILTER_AVG,
                                  PNG_FILTER_PAETH, PNG_ALL_FILTERS}) {
            const PngReaderLibpngKind kind{color, filters};
            INFO("color type " << color << ", filters " << filters);
            for (const Size size : {Size{1, 1}, {1, 50}, {50, 1}, {120, 90}}) {
                const Image noise = random_image(size, 4);
                CHECK(equal(decode_png(written(noise, kind)), noise, kind));
                std::mt19937 random(7);
                const Image screen = screen_image::any_screen(random, size);
                CHECK(equal(decode_png(written(screen, kind)), screen, kind));
            }
        }
}

TEST_CASE("a large file that libpng writes in many chunks is read pixel for pixel") {
    const Image noise = random_image({700, 300}, 8);
    const PngReaderLibpngKind kind{PNG_COLOR_TYPE_RGB_ALPHA, PNG_ALL_FILTERS};
    CHECK(equal(decode_png(written(noise, kind)), noise, kind));
}
