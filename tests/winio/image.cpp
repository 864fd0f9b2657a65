#include "eyehand/winio/image.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <limits>
#include <type_traits>
#include <vector>

using namespace eyehand::winio;

TEST_CASE("a new image is black and opaque") {
    const Image image({3, 2});
    CHECK(image.at(2, 1) == Color{0, 0, 0, 255});
    CHECK(image.stride() == 12);
}

TEST_CASE("filling is clipped to the image") {
    Image image({4, 4});
    image.fill({2, -1, 10, 3}, {.red = 200});
    CHECK(image.at(2, 0).red == 200);
    CHECK(image.at(3, 1).red == 200);
    CHECK(image.at(1, 0).red == 0);
    CHECK(image.at(2, 2).red == 0);
}

TEST_CASE("a copied image is clipped to the image that receives it") {
    const std::uint8_t padded[] = {1,  0,  0, 255, 2, 0,   0, 255, 99, 99,
                                   99, 99, 3, 0,   0, 255, 4, 0,   0,  255};
    const ImageView source(padded, {2, 2}, 12);
    const auto blue = [](const Image& image) {
        std::vector<int> all;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) all.push_back(image.at(x, y).blue);
        return all;
    };
    const auto after = [&](Point at) {
        Image image({3, 2});
        image.copy_from(source, at);
        return blue(image);
    };
    CHECK(after({0, 0}) == std::vector{1, 2, 0, 3, 4, 0});
    CHECK(after({1, 0}) == std::vector{0, 1, 2, 0, 3, 4});
    CHECK(after({2, 1}) == std::vector{0, 0, 0, 0, 0, 1});
    CHECK(after({-1, -1}) == std::vector{4, 0, 0, 0, 0, 0});
    CHECK(after({3, 0}) == std::vector<int>(6));
    CHECK(after({std::numeric_limits<int>::max(), 0}) == std::vector<int>(6));
}

TEST_CASE("a crop shares its image's pixels and is clipped to it") {
    Image image({4, 4});
    image.fill({3, 3, 1, 1}, {.blue = 9});
    const ImageView crop = image.view().crop({2, 2, 10, 10});
    REQUIRE(crop.size() == Size{2, 2});
    CHECK(crop.row(1)[4] == 9);
    CHECK(image.view().crop({4, 0, 1, 1}).empty());
}

TEST_CASE("rows of an image that cannot be changed can be read") {
    Image image({2, 2});
    image.fill({1, 1, 1, 1}, {.blue = 9});
    const Image& unchanged = image;
    static_assert(std::is_same_v<decltype(unchanged.row(0)), std::span<const std::uint8_t>>);
    CHECK(unchanged.row(1).size() == 8);
    CHECK(unchanged.row(1)[4] == 9);
}

TEST_CASE("a copy of a view with padding has no padding") {
    const std::uint8_t padded[] = {1, 2, 3, 4, 99, 99, 99, 99, 5, 6, 7, 8};
    const Image image(ImageView(padded, {1, 2}, 8));
    CHECK(image.stride() == 4);
    CHECK(image.at(0, 1) == Color{5, 6, 7, 8});
}

TEST_CASE("a view without pixels or with rows that overlap is refused") {
    const std::uint8_t pixel[4] = {};
    CHECK_THROWS_AS(ImageView(pixel, {2, 1}, 4), std::invalid_argument);
    CHECK_THROWS_AS(ImageView(pixel, {0, 1}, 4), std::invalid_argument);
    CHECK_THROWS_AS(ImageView(nullptr, {1, 1}, 4), std::invalid_argument);
}

TEST_CASE("an image that exceeds the address space is refused instead of overflowing") {
    const int max = std::numeric_limits<int>::max();
    CHECK_THROWS_AS(Image({max, max}), std::invalid_argument);
    CHECK_THROWS_AS(Image({-1, 5}), std::invalid_argument);
    Image image;
    CHECK_THROWS_AS(image.resize({max, max}), std::invalid_argument);
}

TEST_CASE("shrinking an image keeps its memory") {
    Image image({100, 100});
    const auto* before = image.data();
    image.resize({10, 10});
    image.resize({100, 100});
    CHECK(image.data() == before);
}

TEST_CASE("an empty image has an empty view") {
    CHECK(Image().view().empty());
    CHECK(Image({0, 0}).view().empty());
}
