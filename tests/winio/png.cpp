#include "winio/png.hpp"

#include "catch.hpp"
#include "random_image.hpp"

#include <algorithm>
#include <string_view>

using namespace winio;

namespace {

std::uint32_t u32(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
           std::uint32_t{bytes[at + 2]} << 8U | bytes[at + 3];
}

std::vector<std::string> chunk_types(const std::vector<std::uint8_t>& png) {
    std::vector<std::string> types;
    for (std::size_t at = 8; at < png.size(); at += 12 + u32(png, at))
        types.emplace_back(png.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                           png.begin() + static_cast<std::ptrdiff_t>(at) + 8);
    return types;
}

} // namespace

TEST_CASE("a PNG file is a signature, a header, image data and an end, nothing else") {
    const auto png = encode_png(random_image({300, 200}, 1).view());
    const std::vector<std::uint8_t> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    REQUIRE(std::equal(signature.begin(), signature.end(), png.begin()));
    CHECK(u32(png, 16) == 300);
    CHECK(u32(png, 20) == 200);
    auto types = chunk_types(png);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    CHECK(types == std::vector<std::string>{"IHDR", "IDAT", "IEND"});
}

TEST_CASE("the same pixels give the same bytes whatever their stride and alpha") {
    const Image image = random_image({40, 90}, 2);
    Image wider({60, 90});
    for (int y = 0; y < 90; ++y) std::ranges::copy(image.view().row(y), wider.row(y).begin());
    for (int y = 0; y < 90; ++y)
        for (std::size_t x = 0; x < 40; ++x) wider.row(y)[x * 4 + 3] ^= 0xFF;
    CHECK(encode_png(image.view()) == encode_png(wider.view().crop({0, 0, 40, 90})));
}

TEST_CASE("higher levels make a file of repeated content smaller") {
    Image image({200, 200});
    for (int y = 0; y < 200; y += 7) image.fill({y, y / 2, 60, 3}, {.green = 90});
    const auto stored = encode_png(image.view(), {.level = 0}).size();
    const auto fast = encode_png(image.view(), {.level = 1}).size();
    const auto best = encode_png(image.view(), {.level = 9}).size();
    CHECK(fast < stored);
    CHECK(best <= fast);
}

TEST_CASE("an empty image and a level out of range are refused") {
    CHECK_THROWS_AS(encode_png(ImageView()), std::invalid_argument);
    CHECK_THROWS_AS(encode_png(Image({1, 1}).view(), {.level = 10}), std::invalid_argument);
    CHECK_THROWS_AS(encode_png(Image({1, 1}).view(), {.level = -1}), std::invalid_argument);
}
