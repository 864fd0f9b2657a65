#include "bmp.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace winio;

namespace {

Image colourful(Size size) {
    Image image(size);
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            image.fill({x, y, 1, 1},
                       {static_cast<std::uint8_t>(x * 40), static_cast<std::uint8_t>(y * 50),
                        static_cast<std::uint8_t>(x + y), 255});
    return image;
}

void check_same(const std::optional<Image>& decoded, const Image& image) {
    REQUIRE(decoded.has_value());
    REQUIRE(decoded->size() == image.size());
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) REQUIRE(decoded->at(x, y) == image.at(x, y));
}

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

constexpr std::size_t width_at = 4;
constexpr std::size_t height_at = 8;
constexpr std::size_t bits_at = 14;
constexpr std::size_t compression_at = 16;

} // namespace

TEST_CASE("bitmaps keep every pixel, at any width") {
    for (int width = 1; width <= 6; ++width) {
        const Image image = colourful({width, 3});
        check_same(decode_dib(encode_dib(image.view())), image);
        check_same(decode_bmp(encode_bmp(image.view())), image);
    }
}

TEST_CASE("a part of a larger image becomes a bitmap of its own") {
    const Image image = colourful({6, 5});
    const ImageView part = image.view().crop({1, 2, 3, 2});
    check_same(decode_bmp(encode_bmp(part)), Image(part));
    check_same(decode_dib(encode_dib(part)), Image(part));
}

TEST_CASE("a bitmap file is laid out as its format says") {
    Image image({1, 2});
    image.fill({0, 0, 1, 1}, {1, 2, 3, 255});
    image.fill({0, 1, 1, 1}, {4, 5, 6, 255});
    const auto file = encode_bmp(image.view());
    REQUIRE(file.size() == 14 + 40 + 8);
    CHECK(file[0] == 'B');
    CHECK(file[1] == 'M');
    CHECK(file[2] == file.size());
    CHECK(file[10] == 54);
    CHECK(file[14 + bits_at] == 24);
    // The bottom row first, each row filled up to four bytes.
    CHECK(std::vector(file.end() - 8, file.end()) ==
          std::vector<std::uint8_t>{4, 5, 6, 0, 1, 2, 3, 0});
}

TEST_CASE("a bitmap with the top row first is read too") {
    const Image image = colourful({2, 1});
    auto dib = encode_dib(image.view());
    put(dib, height_at, static_cast<std::uint32_t>(-1));
    check_same(decode_dib(dib), image);
}

TEST_CASE("masks say where the colours of a bitmap are") {
    Image image({1, 1});
    image.fill({0, 0, 1, 1}, {30, 20, 10, 255});
    auto dib = encode_dib(image.view());
    put(dib, compression_at, 3);
    const std::vector<std::uint8_t> masks{0xFF, 0, 0, 0, 0, 0xFF, 0, 0, 0, 0, 0xFF, 0};
    dib.insert(dib.begin() + 40, masks.begin(), masks.end());
    const auto decoded = decode_dib(dib); // red in the first byte, blue in the third
    REQUIRE(decoded.has_value());
    CHECK(decoded->at(0, 0) == Color{10, 20, 30, 255});
    dib[40] = 0xFE; // seven bits of red
    CHECK_FALSE(decode_dib(dib).has_value());
}

TEST_CASE("what is no such bitmap is none") {
    const auto dib = encode_dib(colourful({3, 3}).view());
    for (std::size_t length = 0; length < dib.size(); ++length)
        CHECK_FALSE(decode_dib(std::span(dib).first(length)).has_value());
    const auto changed = [&](std::size_t at, std::uint32_t value) {
        auto bytes = dib;
        put(bytes, at, value);
        return decode_dib(bytes).has_value();
    };
    CHECK_FALSE(changed(0, 12));         // OS/2's header
    CHECK_FALSE(changed(0, 0xFFFFFFFF)); // a header longer than everything
    CHECK_FALSE(changed(width_at, 0));
    CHECK_FALSE(changed(width_at, 0x7FFFFFFF));
    CHECK_FALSE(changed(height_at, 0x80000000));
    CHECK_FALSE(changed(height_at, 4)); // more rows than there are
    CHECK_FALSE(changed(compression_at, 1));
    CHECK_FALSE(changed(bits_at, 8));
    auto file = encode_bmp(colourful({3, 3}).view());
    put(file, 10, 13); // pixels within the header
    CHECK_FALSE(decode_bmp(file).has_value());
    put(file, 10, 0xFFFFFFF0);
    CHECK_FALSE(decode_bmp(file).has_value());
}

TEST_CASE("an empty image is no bitmap") {
    CHECK_THROWS_AS(encode_dib({}), std::invalid_argument);
    CHECK_THROWS_AS(encode_bmp({}), std::invalid_argument);
}
