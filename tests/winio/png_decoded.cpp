// libpng judges what encode_png wrote.
#include "winio/png.hpp"

#include "catch.hpp"
#include "random_image.hpp"

#include <png.h>

#include <cstring>

using namespace winio;

namespace {

// The file's pixels as BGRA; whatever libpng objects to fails the test.
Image decoded(const std::vector<std::uint8_t>& file) {
    png_image reader{};
    reader.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&reader, file.data(), file.size()) != 0);
    REQUIRE(reader.format == PNG_FORMAT_RGB);
    reader.format = PNG_FORMAT_BGRA;
    Image image({static_cast<int>(reader.width), static_cast<int>(reader.height)});
    INFO(reader.message);
    REQUIRE(png_image_finish_read(&reader, nullptr, image.data(), 0, nullptr) != 0);
    REQUIRE(reader.warning_or_error == 0);
    return image;
}

bool same_colours_opaque(const ImageView& a, const Image& b) {
    if (a.size() != b.size()) return false;
    for (int y = 0; y < a.height(); ++y)
        for (std::size_t at = 0; at < a.row(y).size(); at += 4)
            if (std::memcmp(&a.row(y)[at], &b.view().row(y)[at], 3) != 0 ||
                b.view().row(y)[at + 3] != 255)
                return false;
    return true;
}

} // namespace

TEST_CASE("libpng reads back every pixel at any size, stride and level") {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        const Size whole{1 + static_cast<int>(random() % 300),
                         1 + static_cast<int>(random() % 300)};
        const Image image = random_image(whole, static_cast<unsigned>(round));
        const ImageView part = image.view().crop(
            {0, 0, 1 + static_cast<int>(random() % static_cast<unsigned>(whole.width)),
             1 + static_cast<int>(random() % static_cast<unsigned>(whole.height))});
        const PngOptions options{.level = static_cast<int>(random() % 10)};
        REQUIRE(same_colours_opaque(part, decoded(encode_png(part, options))));
    }
}

TEST_CASE("libpng reads back images around the height of a stripe") {
    for (const int height : {1, 63, 64, 65, 127, 128, 129}) {
        const Image image = random_image({5, height}, static_cast<unsigned>(height));
        CHECK(same_colours_opaque(image.view(), decoded(encode_png(image.view()))));
    }
}

TEST_CASE("libpng reads back flat colour, where deflate produces nothing for whole stripes") {
    Image image({1536, 864});
    image.fill({0, 0, 1536, 864}, {10, 20, 30, 255});
    CHECK(same_colours_opaque(image.view(), decoded(encode_png(image.view()))));
}
