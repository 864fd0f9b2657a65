#include "win32/pointer_shape.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;
using win32::enlarged;
using win32::PointerEnlargement;
using win32::shape_of;

namespace {

constexpr Color white{255, 255, 255, 255};
constexpr Color black{0, 0, 0, 255};
constexpr Color transparent{0, 0, 0, 0};

Image column(std::vector<Color> colors) {
    Image image({1, static_cast<int>(colors.size())});
    for (std::size_t i = 0; i < colors.size(); ++i)
        image.fill({0, static_cast<int>(i), 1, 1}, colors[i]);
    return image;
}

} // namespace

TEST_CASE("a color pointer with alpha keeps its pixels and needs no mask") {
    const Color half{10, 20, 30, 128};
    const auto shape = shape_of({column({half, transparent}), column({black, black})});
    CHECK(shape.pixels.at(0, 0) == half);
    CHECK(shape.pixels.at(0, 1) == transparent);
    CHECK(shape.invert.empty());
}

TEST_CASE("a color pointer without alpha is opaque where its mask is clear") {
    const Color red{0, 0, 200, 0};
    const auto shape = shape_of({column({red, transparent}), column({black, white})});
    CHECK(shape.pixels.at(0, 0) == Color{0, 0, 200, 255});
    CHECK(shape.pixels.at(0, 1) == transparent);
    CHECK(shape.invert.empty());
}

TEST_CASE("color on transparent pixels inverts") {
    const auto shape = shape_of({column({Color{255, 255, 255, 0}}), column({white})});
    CHECK(shape.invert == std::vector<std::uint8_t>{1});
    CHECK(shape.pixels.at(0, 0) == transparent);
}

TEST_CASE("a monochrome pointer paints black and white, keeps and inverts pixels") {
    // AND mask 0 0 1 1 above XOR mask 0 1 0 1.
    const auto shape =
        shape_of({std::nullopt, column({black, black, white, white, black, white, black, white})});
    REQUIRE(shape.pixels.size() == Size{1, 4});
    CHECK(shape.pixels.at(0, 0) == black);
    CHECK(shape.pixels.at(0, 1) == white);
    CHECK(shape.pixels.at(0, 2) == transparent);
    CHECK(shape.invert == std::vector<std::uint8_t>{0, 0, 0, 1});
}

TEST_CASE("masks of a wrong size are refused") {
    CHECK_THROWS_AS(shape_of({std::nullopt, column({black})}), std::invalid_argument);
    CHECK_THROWS_AS(shape_of({column({Color{1, 1, 1, 0}}), column({black, black})}),
                    std::invalid_argument);
}

namespace {

PointerShape two_by_two() {
    PointerShape shape;
    shape.position = {-7, 9};
    shape.hotspot = {1, 0};
    shape.pixels = Image({2, 2});
    shape.pixels.fill({0, 0, 1, 1}, white);
    shape.pixels.fill({1, 1, 1, 1}, transparent);
    shape.invert = {0, 0, 0, 1};
    return shape;
}

} // namespace

TEST_CASE("a pointer of nominal size is not changed") {
    for (const PointerEnlargement by : {PointerEnlargement{32, 32}, PointerEnlargement{0, 48},
                                        PointerEnlargement{32, 0}, PointerEnlargement{}}) {
        const PointerShape shape = enlarged(two_by_two(), by);
        CHECK(shape.pixels.size() == Size{2, 2});
        CHECK(shape.hotspot == Point{1, 0});
    }
}

TEST_CASE("a pointer drawn at twice its nominal size has each pixel four times") {
    const PointerShape shape = enlarged(two_by_two(), {.nominal = 32, .drawn = 64});
    REQUIRE(shape.pixels.size() == Size{4, 4});
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
            CHECK(shape.pixels.at(x, y) == two_by_two().pixels.at(x / 2, y / 2));
    CHECK(shape.invert ==
          std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1});
    CHECK(shape.position == Point{-7, 9});
    CHECK(shape.hotspot == Point{2, 0});
}

TEST_CASE("size and hotspot of a pointer follow the display's DPI") {
    PointerShape nominal;
    nominal.pixels = Image({32, 32});
    nominal.hotspot = {10, 15};
    const auto at = [&](int drawn) { return enlarged(nominal, {.nominal = 32, .drawn = drawn}); };
    CHECK(at(40).pixels.size() == Size{40, 40}); // 120 DPI
    CHECK(at(40).hotspot == Point{13, 19});      // 12.5 and 18.75, rounded
    CHECK(at(48).pixels.size() == Size{48, 48}); // 144 DPI
    CHECK(at(48).hotspot == Point{15, 23});
    CHECK(at(64).pixels.size() == Size{64, 64}); // 192 DPI
    CHECK(at(64).hotspot == Point{20, 30});
    CHECK(at(64).invert.empty());
}

TEST_CASE("a pointer that does not have the nominal size is scaled by the same ratio") {
    PointerShape wide;
    wide.pixels = Image({48, 16});
    CHECK(enlarged(wide, {.nominal = 32, .drawn = 48}).pixels.size() == Size{72, 24});
}

TEST_CASE("a reduced pointer is never empty") {
    PointerShape dot;
    dot.pixels = Image({1, 1});
    dot.invert = {1};
    const PointerShape shape = enlarged(dot, {.nominal = 64, .drawn = 16});
    CHECK(shape.pixels.size() == Size{1, 1});
    CHECK(shape.invert == std::vector<std::uint8_t>{1});
}
