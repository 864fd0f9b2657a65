#include "eyehand/winio/geometry.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <cmath>
#include <limits>

using namespace eyehand::winio;

TEST_CASE("0 and 1000 are the first and the last pixel of the work area") {
    const WorkArea area({-1920, 100, 1920, 1080});
    CHECK(area.to_pixel({0, 0}) == Point{-1920, 100});
    CHECK(area.to_pixel({1000, 1000}) == Point{-1, 1179});
}

TEST_CASE("a normalized point is rounded to the nearest pixel") {
    const WorkArea area({0, 0, 1001, 11});
    CHECK(area.to_pixel({500.4, 0}) == Point{500, 0});
    CHECK(area.to_pixel({500.6, 0}) == Point{501, 0});
    CHECK(area.to_pixel({0, 249}).y == 2);
    CHECK(area.to_pixel({0, 251}).y == 3);
}

TEST_CASE("points outside 0..1000 are clamped into the work area and NaN becomes 0") {
    const WorkArea area({10, 20, 100, 100});
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(area.to_pixel({-5, 1200}) == Point{10, 119});
    CHECK(area.to_pixel({inf, -inf}) == Point{109, 20});
    CHECK(area.to_pixel({std::nan(""), std::nan("")}) == Point{10, 20});
}

TEST_CASE("every pixel of a work area survives a round trip through 0..1000") {
    for (const int width : {1, 2, 7, 1000, 1001, 1920, 2560, 3840}) {
        const WorkArea area({-300, 50, width, 3});
        for (int x = area.bounds().x; x < area.bounds().right(); ++x)
            REQUIRE(area.to_pixel(area.to_norm({x, 51})) == Point{x, 51});
    }
}

TEST_CASE("a pixel outside the work area maps to its nearest edge") {
    const WorkArea area({0, 0, 100, 100});
    CHECK(area.to_norm({-50, 500}) == NormPoint{0, 1000});
}

TEST_CASE("an empty work area is refused") {
    CHECK_THROWS_AS(WorkArea({0, 0, 0, 10}), std::invalid_argument);
    CHECK_THROWS_AS(WorkArea({0, 0, 10, -1}), std::invalid_argument);
}

TEST_CASE("the intersection is the common part, or empty without one") {
    CHECK(intersection({0, 0, 10, 10}, {5, -5, 10, 10}) == Rect{5, 0, 5, 5});
    CHECK(intersection({0, 0, 10, 10}, {10, 0, 5, 5}).empty());
    CHECK(intersection({0, 0, 10, 10}, {}).empty());
}

TEST_CASE("intersections at the limits of int do not overflow") {
    const int max = std::numeric_limits<int>::max();
    CHECK(intersection({max - 5, 0, max, 10}, {0, 0, max, 10}) == Rect{max - 5, 0, 5, 10});
}

TEST_CASE("a bounding rectangle covers both and ignores an empty one") {
    CHECK(bounding_rect({0, 0, 10, 10}, {-20, 5, 5, 20}) == Rect{-20, 0, 30, 25});
    CHECK(bounding_rect({}, {1, 2, 3, 4}) == Rect{1, 2, 3, 4});
    CHECK(bounding_rect({1, 2, 3, 4}, {9, 9, 0, 5}) == Rect{1, 2, 3, 4});
    CHECK(bounding_rect({}, {}).empty());
}

TEST_CASE("the inverted corners of a box are swapped and clamped") {
    CHECK(normalized({900, 800, 100, -5}) == NormBox{100, 0, 900, 800});
    CHECK(normalized({std::nan(""), 0, 2000, 10}) == NormBox{0, 0, 1000, 10});
}

TEST_CASE("fitting keeps the aspect ratio and never enlarges") {
    CHECK(fit_within({1920, 1080}, {1536, 864}) == Size{1536, 864});
    CHECK(fit_within({1920, 1200}, {1536, 864}) == Size{1382, 864});
    CHECK(fit_within({3840, 1080}, {1536, 864}) == Size{1536, 432});
    CHECK(fit_within({800, 600}, {1536, 864}) == Size{800, 600});
    CHECK(fit_within({10000, 1}, {100, 100}) == Size{100, 1});
    CHECK_THROWS_AS(fit_within({0, 1}, {100, 100}), std::invalid_argument);
}

TEST_CASE("sizes are parsed and nonsense is not") {
    CHECK(parse_size("1536x864") == Size{1536, 864});
    CHECK(parse_size("1X1") == Size{1, 1});
    for (const char* bad :
         {"", "x", "1x", "x1", "0x5", "-1x5", "1x5 ", "1536", "100000x1", "1x2x3"})
        CHECK_FALSE(parse_size(bad));
}
