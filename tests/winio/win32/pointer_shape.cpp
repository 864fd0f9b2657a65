#include "win32/pointer_shape.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace winio;
using win32::CursorBitmaps;
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

TEST_CASE("a colour pointer with alpha keeps its pixels and needs no mask") {
    const Color half{10, 20, 30, 128};
    const auto shape = shape_of({column({half, transparent}), column({black, black})});
    CHECK(shape.pixels.at(0, 0) == half);
    CHECK(shape.pixels.at(0, 1) == transparent);
    CHECK(shape.invert.empty());
}

TEST_CASE("a colour pointer without any alpha is opaque where its mask is clear") {
    const Color red{0, 0, 200, 0};
    const auto shape = shape_of({column({red, transparent}), column({black, white})});
    CHECK(shape.pixels.at(0, 0) == Color{0, 0, 200, 255});
    CHECK(shape.pixels.at(0, 1) == transparent);
    CHECK(shape.invert.empty());
}

TEST_CASE("colour on transparent ground inverts") {
    const auto shape = shape_of({column({Color{255, 255, 255, 0}}), column({white})});
    CHECK(shape.invert == std::vector<std::uint8_t>{1});
    CHECK(shape.pixels.at(0, 0) == transparent);
}

TEST_CASE("a monochrome pointer paints black and white, keeps and inverts") {
    // AND mask 0 0 1 1 above XOR mask 0 1 0 1.
    const auto shape =
        shape_of({std::nullopt, column({black, black, white, white, black, white, black, white})});
    REQUIRE(shape.pixels.size() == Size{1, 4});
    CHECK(shape.pixels.at(0, 0) == black);
    CHECK(shape.pixels.at(0, 1) == white);
    CHECK(shape.pixels.at(0, 2) == transparent);
    CHECK(shape.invert == std::vector<std::uint8_t>{0, 0, 0, 1});
}

TEST_CASE("masks that do not fit are refused") {
    CHECK_THROWS_AS(shape_of({std::nullopt, column({black})}), std::invalid_argument);
    CHECK_THROWS_AS(shape_of({column({Color{1, 1, 1, 0}}), column({black, black})}),
                    std::invalid_argument);
}
