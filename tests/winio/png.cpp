#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "random_image.hpp"
#include "screen_image.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <thread>

using namespace eyehand::winio;

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

std::vector<std::string> chunks(const std::vector<std::uint8_t>& png) {
    std::vector<std::string> all;
    for (std::size_t at = 8, size = 0; at < png.size(); at += size) {
        size = 12 + u32(png, at);
        const auto begin = png.begin() + static_cast<std::ptrdiff_t>(at);
        all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
    }
    return all;
}

ImageView rows_of(const Image& image, const RowRange& rows) {
    return image.view().crop({0, rows.first, image.width(), rows.count});
}

} // namespace

TEST_CASE("a PNG file contains only a signature, a header, image data and an end") {
    const auto png = encode_png(random_image({300, 200}, 1).view());
    const std::vector<std::uint8_t> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    REQUIRE(std::equal(signature.begin(), signature.end(), png.begin()));
    CHECK(u32(png, 16) == 300);
    CHECK(u32(png, 20) == 200);
    auto types = chunk_types(png);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    CHECK(types == std::vector<std::string>{"IHDR", "IDAT", "IEND"});
}

TEST_CASE("the same pixels give the same bytes for any stride and alpha") {
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

TEST_CASE(
    "stripes divide an image without gaps or overlaps, and the last one has the remaining rows") {
    const StripedPng png({10, 70}, {}, 32);
    REQUIRE(png.stripes() == 3);
    CHECK(png.size() == Size{10, 70});
    CHECK(png.stripe(0) == RowRange{0, 32});
    CHECK(png.stripe(1) == RowRange{32, 32});
    CHECK(png.stripe(2) == RowRange{64, 6});
    CHECK_THROWS_AS(png.stripe(3), std::invalid_argument);
    CHECK_THROWS_AS(png.stripe(-1), std::invalid_argument);
}

TEST_CASE("an image smaller than a stripe is one stripe") {
    const StripedPng png({10, 7}, {}, 1'000'000'000);
    REQUIRE(png.stripes() == 1);
    CHECK(png.stripe(0) == RowRange{0, 7});
}

TEST_CASE("a striped file depends only on the pixels, not on the order or history of its stripes") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const Size size{1 + screen_image::below(random, 80), 1 + screen_image::below(random, 80)};
        const int height = 1 + screen_image::below(random, 20);
        const Image before = screen_image::any_screen(random, size);
        const Image after = screen_image::any_screen(random, size);
        StripedPng png(size, {}, height);
        std::vector<int> order(static_cast<std::size_t>(png.stripes()));
        std::iota(order.begin(), order.end(), 0);
        std::ranges::shuffle(order, random);
        for (const int index : order) png.encode(index, rows_of(before, png.stripe(index)));
        std::ranges::shuffle(order, random);
        for (const int index : order) png.encode(index, rows_of(after, png.stripe(index)));
        INFO("seed " << seed);
        REQUIRE(png.file() == encode_png(after.view(), {}, height));
    }
}

TEST_CASE("a change of one stripe does not change the chunks of the others") {
    Image image = random_image({50, 96}, 3);
    const auto before = chunks(encode_png(image.view()));
    image.fill({20, 40, 5, 5}, {1, 2, 3, 255}); // in the second of three stripes
    const auto after = chunks(encode_png(image.view()));
    REQUIRE(before.size() == 6); // IHDR, three stripes, the final IDAT, IEND
    REQUIRE(after.size() == 6);
    for (const std::size_t same : {0U, 1U, 3U, 5U}) CHECK(before[same] == after[same]);
    CHECK(before[2] != after[2]);
    CHECK(before[4] != after[4]);
}

TEST_CASE("a change only in alpha does not change a PNG") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        std::mt19937 random(seed);
        const Image image = screen_image::any_screen(random, {60, 40});
        Image other = image;
        for (int y = 0; y < 40; ++y)
            for (std::size_t x = 0; x < 60; ++x)
                other.row(y)[x * 4 + 3] = static_cast<std::uint8_t>(random());
        INFO("seed " << seed);
        REQUIRE(encode_png(image.view()) == encode_png(other.view()));
    }
}

TEST_CASE("a striped file is refused until every stripe is encoded") {
    const Image image({10, 40});
    StripedPng png(image.size());
    CHECK_THROWS_AS(png.file(), std::logic_error);
    png.encode(0, rows_of(image, png.stripe(0)));
    CHECK_THROWS_AS(png.file(), std::logic_error);
    png.encode(1, rows_of(image, png.stripe(1)));
    CHECK_NOTHROW(png.file());
}

TEST_CASE("rows that do not have the size of their stripe are refused") {
    StripedPng png({10, 40});
    CHECK_THROWS_AS(png.encode(0, Image({10, 31}).view()), std::invalid_argument);
    CHECK_THROWS_AS(png.encode(0, Image({9, 32}).view()), std::invalid_argument);
    CHECK_THROWS_AS(png.encode(1, Image({10, 32}).view()), std::invalid_argument);
    CHECK_THROWS_AS(png.encode(2, Image({10, 8}).view()), std::invalid_argument);
}

TEST_CASE("a striped PNG with invalid parameters is refused") {
    CHECK_THROWS_AS(StripedPng({0, 4}), std::invalid_argument);
    CHECK_THROWS_AS(StripedPng({4, 4}, {}, 0), std::invalid_argument);
    CHECK_THROWS_AS(StripedPng({4, 4}, {.level = 10}), std::invalid_argument);
    CHECK_THROWS_AS(StripedPng({200'000'000, 32}), std::invalid_argument);
}

TEST_CASE("several threads may encode different stripes at the same time") {
    std::mt19937 random(11);
    const Image image = screen_image::any_screen(random, {300, 400});
    StripedPng png(image.size(), {}, 10);
    {
        std::vector<std::jthread> threads;
        for (int first = 0; first < 4; ++first)
            threads.emplace_back([&png, &image, first] {
                for (int index = first; index < png.stripes(); index += 4)
                    png.encode(index, rows_of(image, png.stripe(index)));
            });
    }
    CHECK(png.file() == encode_png(image.view(), {}, 10));
}
