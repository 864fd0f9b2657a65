#include "coordinates.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace stand_in;

namespace {

constexpr Size full_hd{1920, 1080};

Coordinates in(std::string_view convention) { return {convention_of(convention), {}, 0}; }

// A box of one pixel has the same position for its corners and its middle.
Position pixel(int x, int y, const Coordinates& coordinates, Size image = full_hd,
               std::size_t number = 0) {
    const Area area = stated({x, y, 1, 1}, image, coordinates, number);
    CHECK(area.first == area.last);
    CHECK(area.first == area.middle);
    return area.middle;
}

Size resized_28(Size image) { return resized(image, convention_of("model_pixels:28")); }
Size resized_32(Size image) { return resized(image, convention_of("model_pixels:32")); }

} // namespace

TEST_CASE("The first pixel is 0, and the last one is the maximum of the convention") {
    const std::vector<std::pair<std::string, Position>> maxima{
        {"norm1000", {1000, 1000}},        {"norm999", {999, 999}},
        {"norm1000_yx", {1000, 1000}},     {"unit", {1, 1}},
        {"percent", {100, 100}},           {"image_pixels", {1919, 1079}},
        {"model_pixels:28", {1931, 1091}}, {"model_pixels:32", {1919, 1087}},
    };
    for (const auto& [word, maximum] : maxima) {
        CAPTURE(word);
        CHECK(pixel(0, 0, in(word)) == Position{0, 0});
        CHECK(pixel(1919, 1079, in(word)) == maximum);
    }
}

TEST_CASE("Positions are rounded to what the convention can write") {
    CHECK(pixel(311, 204, in("norm1000")) == Position{162, 189});
    CHECK(pixel(311, 204, in("norm999")) == Position{162, 189});
    CHECK(pixel(311, 204, in("unit")) == Position{0.1621, 0.1891});
    CHECK(pixel(311, 204, in("percent")) == Position{16.21, 18.91});
    CHECK(pixel(311, 204, in("image_pixels")) == Position{311, 204});
    CHECK(pixel(311, 204, in("model_pixels:28")) == Position{313, 206});
    CHECK(pixel(311, 204, in("model_pixels:32")) == Position{311, 206});
}

TEST_CASE(
    "A box has its last pixels as its end, and its middle is not computed from rounded ends") {
    const Area area = stated({100, 50, 60, 20}, {2001, 2001}, in("norm1000"), 0);
    CHECK(area.first == Position{50, 25});
    CHECK(area.last == Position{80, 35});   // pixels 159 and 69: 79.5 and 34.5
    CHECK(area.middle == Position{65, 30}); // pixels 129.5 and 59.5: 64.75 and 29.75
    CHECK_FALSE(area.y_first);
}

TEST_CASE("Only norm1000_yx has y first, and its numbers are those of norm1000") {
    const Area swapped = stated({100, 50, 60, 20}, full_hd, in("norm1000_yx"), 0);
    const Area usual = stated({100, 50, 60, 20}, full_hd, in("norm1000"), 0);
    CHECK(swapped.y_first);
    CHECK(swapped.first == usual.first);
    CHECK(swapped.last == usual.last);
    CHECK(swapped.middle == usual.middle);
}

TEST_CASE("A side of one pixel has only the position 0") {
    for (const char* word : {"norm1000", "unit", "image_pixels", "model_pixels:28"})
        CHECK(pixel(0, 0, in(word), {1, 1}) == Position{0, 0});
}

TEST_CASE("The middle of an image is one pixel or the two pixels on both sides of it") {
    CHECK(middle_of({1001, 1080}) == Box{500, 539, 1, 2});
    CHECK(stated(middle_of(full_hd), full_hd, in("unit"), 0).middle == Position{0.5, 0.5});
}

TEST_CASE("A processor rounds each side to a multiple, half to even") {
    CHECK(resized_28({1280, 720}) == Size{1288, 728});
    CHECK(resized_32({1280, 720}) == Size{1280, 704});   // 22.5
    CHECK(resized_28({1918, 1078}) == Size{1904, 1064}); // 68.5 and 38.5
    CHECK(resized_28({1974, 1078}) == Size{1960, 1064}); // 70.5 and 38.5
    CHECK(resized_28({1946, 1050}) == Size{1960, 1064}); // 69.5 and 37.5
    CHECK(resized_28({1000, 5}) == Size{1008, 28});
}

TEST_CASE("A processor shrinks large images and enlarges small ones") {
    CHECK(resized_28({7680, 4320}) == Size{4760, 2688});
    CHECK(resized_32({7680, 4320}) == Size{5440, 3072});
    CHECK(resized_28({40, 30}) == Size{84, 56});
    CHECK(resized_32({100, 100}) == Size{256, 256});
    CHECK(resized_32({200, 100}) == Size{384, 192});
}

TEST_CASE("Other conventions do not resize the image") {
    for (const char* word : {"norm1000", "unit", "percent", "image_pixels"})
        CHECK(resized({123, 45}, convention_of(word)) == Size{123, 45});
}

TEST_CASE("An unknown word is an error that lists the words") {
    for (const char* word : {"", "pixels", "NORM1000", "model_pixels", "model_pixels:14"}) {
        CHECK_THROWS_WITH(convention_of(word),
                          ContainsSubstring("norm1000, norm999, norm1000_yx, unit, percent, "
                                            "image_pixels, model_pixels:28, model_pixels:32"));
    }
}

TEST_CASE("The bias is added in thousandths of the image") {
    Coordinates coordinates = in("norm1000");
    coordinates.bias = {20, -5};
    CHECK(pixel(500, 300, coordinates, {1001, 1001}) == Position{520, 295});
    coordinates.convention = convention_of("image_pixels");
    CHECK(pixel(500, 300, coordinates, {2001, 1001}) == Position{540, 295});
}

TEST_CASE("Positions with an error stay in the image") {
    Coordinates coordinates = in("image_pixels");
    coordinates.bias = {-100, 100};
    CHECK(pixel(50, 1000, coordinates) == Position{0, 1079});
    coordinates.bias = {1e9, -1e9};
    CHECK(pixel(50, 1000, coordinates) == Position{1919, 0});
}

TEST_CASE("The noise is spread over its whole range on each axis, and depends only on the number") {
    Coordinates coordinates = in("image_pixels");
    coordinates.noise = 50;
    constexpr Size image{10'001, 10'001};
    constexpr std::size_t count = 1000;
    std::vector<int> across(10);
    std::vector<int> down(10);
    int same_on_both_axes = 0;
    for (std::size_t number = 0; number < count; ++number) {
        const Position at = pixel(5000, 5000, coordinates, image, number);
        CHECK(at == pixel(5000, 5000, coordinates, image, number));
        REQUIRE(std::abs(at.x - 5000) <= 500);
        REQUIRE(std::abs(at.y - 5000) <= 500);
        const auto tenth = [](double value) {
            return std::min(std::size_t{9}, static_cast<std::size_t>((value - 4500) / 100));
        };
        ++across[tenth(at.x)];
        ++down[tenth(at.y)];
        if (tenth(at.x) == tenth(at.y)) ++same_on_both_axes;
    }
    for (const auto& tenths : {across, down})
        for (const int hits : tenths) CHECK((hits > 50 && hits < 150));
    CHECK((same_on_both_axes > 50 && same_on_both_axes < 150));
}

TEST_CASE("A box keeps its size with an error") {
    Coordinates coordinates = in("image_pixels");
    coordinates.bias = {10, 10};
    coordinates.noise = 30;
    for (std::size_t number = 0; number < 20; ++number) {
        const Area area = stated({900, 500, 101, 51}, {2001, 1001}, coordinates, number);
        CHECK(std::abs(area.last.x - area.first.x - 100) <= 1);
        CHECK(std::abs(area.last.y - area.first.y - 50) <= 1);
    }
}

TEST_CASE("A bias is two numbers, and a noise is one that is not negative") {
    CHECK(parse_bias("-5,2.5") == Position{-5, 2.5});
    CHECK(parse_bias("0,0") == Position{});
    CHECK(parse_noise("0") == 0);
    CHECK(parse_noise("7.5") == 7.5);
    for (const char* text : {"", "5", "5,", ",5", "1,2,3", "a,b", "1, 2", "nan,0", "0,inf"})
        CHECK_THROWS_AS(parse_bias(text), std::invalid_argument);
    for (const char* text : {"", "-1", "x", "1,2", "nan", "inf", "1 "})
        CHECK_THROWS_AS(parse_noise(text), std::invalid_argument);
}
