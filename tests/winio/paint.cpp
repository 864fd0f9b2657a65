#include "eyehand/winio/paint.hpp"

#include "catch.hpp"
#include "eyehand/winio/bitmap_font.hpp"
#include "printing.hpp"
#include "random_image.hpp"

#include <cmath>
#include <cstdlib>

using namespace eyehand::winio;

namespace {

const Rgba clear{0, 0, 0, 0};

Image gray(Size size) {
    Image image(size);
    image.fill({0, 0, size.width, size.height}, {100, 100, 100, 255});
    return image;
}

/// The result of source-over for a pixel, by the formula.
std::array<double, 3> over(const Rgba& color, const Color& under) {
    const auto mix = [&](double painted, double old) {
        return painted * color.alpha + old * (1 - color.alpha);
    };
    return {mix(color.red, under.red), mix(color.green, under.green), mix(color.blue, under.blue)};
}

/// The largest difference from the formula, in levels; -1 if `expected` is not painted.
double distance(const Image& painted, const Image& before,
                const std::function<std::optional<Rgba>(int x, int y)>& expected) {
    double max = 0;
    for (int y = 0; y < painted.height(); ++y)
        for (int x = 0; x < painted.width(); ++x) {
            const auto color = expected(x, y).value_or(clear);
            const auto wanted = over(color, before.at(x, y));
            const Color is = painted.at(x, y);
            max = std::max({max, std::abs(is.red - wanted[0]), std::abs(is.green - wanted[1]),
                            std::abs(is.blue - wanted[2])});
        }
    return max;
}

/// An image's pixels as text: "#" for each pixel that is not black.
std::string drawn(const Image& image) {
    std::string all;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) all += image.at(x, y) == Color{} ? '.' : '#';
        all += '\n';
    }
    return all;
}

} // namespace

TEST_CASE("colors are parsed in the notation of CSS") {
    struct Row {
        const char* text;
        Rgba color;
    };
    const Row row = GENERATE(Row{"rgba(255,140,0,0.5)", {255, 140, 0, 0.5}},
                             Row{" rgba( 255 , 140, 0 ,0.25 ) ", {255, 140, 0, 0.25}},
                             Row{"rgb(1,2,3)", {1, 2, 3, 1}}, Row{"#0a1BfF", {10, 27, 255, 1}},
                             Row{"#ff000000", {255, 0, 0, 0}}, Row{"rgba(0,0,0,1)", {0, 0, 0, 1}});
    REQUIRE(parse_rgba(row.text));
    CHECK(*parse_rgba(row.text) == row.color);
    CHECK(parse_rgba(to_string(row.color)) == row.color);
}

TEST_CASE("text that is not a color is refused") {
    const char* text =
        GENERATE("", "orange", "rgba(255,140,0)", "rgb(1,2,3,0.5)", "rgba(256,0,0,1)",
                 "rgba(-1,0,0,1)", "rgba(0,0,0,1.01)", "rgba(0,0,0,nan)", "rgba(0,0,0,0.5",
                 "rgba(0,,0,1)", "#fff", "#ff00zz", "#+f0000", "rgba(1,2,3,4,5)", "rgb()");
    CHECK_FALSE(parse_rgba(text));
}

TEST_CASE("between two stops, color and alpha are interpolated without premultiplying") {
    const Gradient gradient({{0.25, {200, 100, 0, 0.8}}, {0.75, {0, 0, 100, 0}}});
    CHECK(gradient.at(0) == Rgba{200, 100, 0, 0.8});
    CHECK(gradient.at(0.25) == Rgba{200, 100, 0, 0.8});
    CHECK(gradient.at(0.5) == Rgba{100, 50, 50, 0.4});
    CHECK(gradient.at(0.75) == Rgba{0, 0, 100, 0});
    CHECK(gradient.at(1) == Rgba{0, 0, 100, 0});
}

TEST_CASE("stops may be in any order, and two at one place form an edge") {
    const Gradient gradient({{1, {9, 9, 9, 1}}, {0.5, {1, 1, 1, 1}}, {0.5, {5, 5, 5, 1}}});
    CHECK(gradient.at(0.49) == Rgba{1, 1, 1, 1});
    CHECK(gradient.at(0.5) == Rgba{5, 5, 5, 1});
    CHECK(gradient.at(0.75) == Rgba{7, 7, 7, 1});
    CHECK(Gradient(std::span<const GradientStop>()).at(0.5) == clear);
    CHECK(Gradient({{0, {1, 1, 1, 1}}}, 0.25).at(0.5) == Rgba{1, 1, 1, 0.25});
}

TEST_CASE("stops and opacities out of range are refused") {
    CHECK_THROWS_AS(Gradient({{1.1, {}}}), std::invalid_argument);
    CHECK_THROWS_AS(Gradient({{std::nan(""), {}}}), std::invalid_argument);
    CHECK_THROWS_AS(Gradient({{0, {256, 0, 0, 1}}}), std::invalid_argument);
    CHECK_THROWS_AS(Gradient({{0, {}}}, 1.5), std::invalid_argument);
}

TEST_CASE("a color is painted over the existing pixels") {
    Image image = gray({4, 3});
    Canvas(image).fill({1, 1, 2, 9}, {255, 0, 0, 0.5});
    CHECK(image.at(0, 0) == Color{100, 100, 100, 255});
    CHECK(image.at(1, 1) == Color{50, 50, 178, 255}); // 177.5 is rounded up
    CHECK(image.at(2, 2) == Color{50, 50, 178, 255});
    CHECK(image.at(3, 2) == Color{100, 100, 100, 255});
}

TEST_CASE("a disc follows the formula, pixel for pixel") {
    const Gradient gradient(
        {{0, {255, 140, 0, 0.9}}, {0.4, {255, 90, 0, 0.5}}, {1, {255, 60, 0, 0}}}, 0.75);
    const double radius = GENERATE(0.4, 1.0, 3.5, 7.0, 40.0);
    const Point center = GENERATE(Point{10, 8}, Point{0, 0}, Point{-3, 18});
    const Image before = random_image({21, 17}, 7);
    Image image = before;
    Canvas(image).fill_disc(center, radius, gradient);
    CHECK(distance(image, before, [&](int x, int y) -> std::optional<Rgba> {
              const double away = std::hypot(x - center.x, y - center.y);
              if (away > radius) return std::nullopt;
              return gradient.at(away / radius);
          }) <= 1);
}

TEST_CASE("a box is filled from its center, and after the last stop with its color") {
    const Gradient gradient({{0, {0, 0, 255, 0.6}}, {0.5, {0, 120, 255, 0.3}}});
    const Rect box =
        GENERATE(Rect{2, 3, 9, 5}, Rect{0, 0, 20, 12}, Rect{-5, 4, 12, 2}, Rect{6, 6, 1, 1});
    const Image before = random_image({20, 12}, 8);
    Image image = before;
    Canvas(image).fill_radially(box, gradient);
    CHECK(distance(image, before, [&](int x, int y) -> std::optional<Rgba> {
              if (!box.contains({x, y})) return std::nullopt;
              const double away = std::hypot(x + 0.5 - (box.x + box.width / 2.0),
                                             y + 0.5 - (box.y + box.height / 2.0));
              return gradient.at(away / (std::max(box.width, box.height) / 2.0));
          }) <= 1);
}

TEST_CASE("a disc smaller than a pixel does not damage the image") {
    Image image = gray({5, 5});
    const Gradient gradient({{0, {255, 0, 0, 1}}, {1, {255, 0, 0, 0}}});
    for (const double radius : {1e-3, 1e-36, 1e-40, 1e-300}) {
        Canvas(image).fill_disc({2, 2}, radius, gradient);
        CHECK(image.at(1, 2) == Color{100, 100, 100, 255});
    }
}

TEST_CASE("a frame is four bars that do not overlap") {
    Image image({7, 6});
    Canvas(image).frame({1, 1, 5, 4}, 1, {255, 255, 255, 0.5});
    CHECK(drawn(image) == ".......\n"
                          ".#####.\n"
                          ".#...#.\n"
                          ".#...#.\n"
                          ".#####.\n"
                          ".......\n");
    for (int x = 1; x < 6; ++x) CHECK(image.at(x, 1).red == 128);
    Image small({4, 4});
    Canvas(small).frame({1, 1, 2, 3}, 9, {255, 255, 255, 0.5}); // wider than the area
    CHECK(drawn(small) == "....\n.##.\n.##.\n.##.\n");
    CHECK(small.at(1, 2).red == 128);
}

TEST_CASE("a text is drawn with its glyphs") {
    Image image({14, 9});
    Canvas(image).write({1, 1}, "1,", 1, {255, 255, 255});
    CHECK(drawn(image) == "..............\n"
                          "...#..........\n"
                          "..##..........\n"
                          "...#..........\n"
                          "...#..........\n"
                          "...#....##....\n"
                          "...#.....#....\n"
                          "..###...#.....\n"
                          "..............\n");
    CHECK(text_size("1,", 1) == Size{11, 7});
    CHECK(text_size("1,", 3) == Size{33, 21});
    CHECK(text_size("", 2) == Size{0, 14});
}

TEST_CASE("each pixel of a large text is a square, and an unknown character is a box") {
    Image image({12, 15});
    Canvas(image).write({0, 0}, "\xC3", 2, {255, 255, 255});
    CHECK(image.at(0, 0).red == 255);
    CHECK(image.at(9, 13).red == 255);
    CHECK(image.at(2, 2).red == 0);
    CHECK(image.at(10, 0).red == 0);
    CHECK(glyph_of('\xC3').rows == glyphs.back().rows);
}

TEST_CASE("an image painted in parts equals the image painted at once") {
    const Gradient gradient({{0, {255, 140, 0, 0.9}}, {1, {255, 60, 0, 0.1}}});
    const auto paint = [&](Canvas canvas) {
        canvas.fill_disc({15, 12}, 9.5, gradient);
        canvas.fill_radially({3, 3, 20, 14}, gradient);
        canvas.frame({3, 3, 20, 14}, 2, {0, 0, 255, 0.7});
        canvas.write({2, 5}, "#1 (7,9)", 2, {255, 255, 255, 0.8});
        canvas.fill({20, 0, 4, 30}, {1, 2, 3, 0.5});
    };
    const Image before = random_image({30, 24}, 9);
    Image whole = before;
    paint(Canvas(whole));
    for (int first = 0; first < 24; first += 5) {
        const int count = std::min(5, 24 - first);
        Image rows(before.view().crop({0, first, 30, count}));
        paint(Canvas(rows, first));
        for (int y = 0; y < count; ++y)
            for (int x = 0; x < 30; ++x) REQUIRE(rows.at(x, y) == whole.at(x, first + y));
    }
}
