#include "bmp.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;

namespace {

Image colorful(Size size) {
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

constexpr std::size_t pixels_at_field = 10;
constexpr std::uint8_t headers_bytes = 14 + 40;

} // namespace

TEST_CASE("a bitmap file preserves every pixel, also of a part of a larger image") {
    for (int width = 1; width <= 6; ++width) {
        const Image image = colorful({width, 3});
        check_same(decode_bmp(encode_bmp(image.view())), image);
    }
    const Image image = colorful({6, 5});
    const ImageView part = image.view().crop({1, 2, 3, 2});
    check_same(decode_bmp(encode_bmp(part)), Image(part));
}

TEST_CASE("a bitmap file has the layout of its format") {
    Image image({1, 2});
    image.fill({0, 0, 1, 1}, {1, 2, 3, 255});
    image.fill({0, 1, 1, 1}, {4, 5, 6, 255});
    const auto file = encode_bmp(image.view());
    REQUIRE(file.size() == headers_bytes + 8);
    CHECK(std::string(file.begin(), file.begin() + 2) == "BM");
    CHECK(file[2] == file.size());
    CHECK(file[pixels_at_field] == headers_bytes);
    CHECK(std::vector<std::uint8_t>(file.begin() + headers_bytes, file.end()) ==
          std::vector<std::uint8_t>{4, 5, 6, 255, 1, 2, 3, 255}); // the bottom row first
}

TEST_CASE("a bitmap file's pixels may begin after a gap behind the header") {
    const Image image = colorful({3, 3});
    auto file = encode_bmp(image.view());
    file.insert(file.begin() + headers_bytes, 6, 0xEE);
    file[pixels_at_field] += 6;
    check_same(decode_bmp(file), image);
}

TEST_CASE("an invalid or truncated bitmap file contains no image") {
    const auto file = encode_bmp(colorful({3, 3}).view());
    for (std::size_t length = 0; length < file.size(); ++length)
        CHECK_FALSE(decode_bmp(std::span(file).first(length)).has_value());
    auto other = file;
    other[0] = 'b';
    CHECK_FALSE(decode_bmp(other).has_value());
    for (const int begin : {0, 13, headers_bytes - 1, 255}) {
        other = file;
        other[pixels_at_field] = static_cast<std::uint8_t>(begin);
        CHECK_FALSE(decode_bmp(other).has_value());
    }
}

TEST_CASE("an empty image cannot be a bitmap file") {
    CHECK_THROWS_AS(encode_bmp({}), std::invalid_argument);
}
