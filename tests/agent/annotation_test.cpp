// Checks annotations on a screenshot against the formulas in agent/annotation.hpp.
#include "eyehand/agent/annotation.hpp"

#include "catch.hpp"

#include <cmath>

using namespace eyehand;

namespace {

using namespace agent;
using winio::Color;
using winio::Image;

constexpr winio::Size size{201, 101};

Image gray() {
    Image image(size);
    image.fill({0, 0, size.width, size.height}, {80, 80, 80, 255});
    return image;
}

Image drawn(const Annotation& annotation, const ExecutedHeat& heat, const BboxHeat& boxes) {
    Image image = gray();
    winio::Canvas canvas(image);
    make_overlay(annotation, heat, boxes, size)->draw(canvas);
    return image;
}

ExecutedHeat plain_heat() {
    ExecutedHeat heat;
    heat.enabled = true;
    heat.radius_scale = 10.0 / 201;
    heat.stops = {{0, {255, 140, 0, 0.8}}, {1, {255, 140, 0, 0.8}}};
    heat.trail_turns = 4;
    heat.trail_shrink = 0.5;
    return heat;
}

BboxHeat no_boxes() {
    BboxHeat boxes;
    boxes.enabled = false;
    return boxes;
}

bool near(Color is, double red, double green, double blue) {
    return std::abs(is.red - red) <= 1 && std::abs(is.green - green) <= 1 &&
           std::abs(is.blue - blue) <= 1;
}

bool untouched(Color is) { return is == Color{80, 80, 80, 255}; }

/// Whether a disc of this color and radius exists, measured along the row through its middle.
int reach_left(const Image& image, int x, int y) {
    int reach = 0;
    while (x - reach - 1 >= 0 && !untouched(image.at(x - reach - 1, y))) ++reach;
    return reach;
}

} // namespace

TEST_CASE("annotation: heat is at the pixel of the action, with a radius that depends on its age") {
    const Annotation annotation{
        {{{1, {500, 500}, {}}}, {{1, {250, 500}, {}}}, {{1, {100, 500}, {}}}}, {}};
    const Image image = drawn(annotation, plain_heat(), no_boxes());
    // 10, 5 and 2.5 pixels; opacity 1, 3/4 and 1/2 of 0.8.
    CHECK(reach_left(image, 100, 50) == 10);
    CHECK(reach_left(image, 50, 50) == 5);
    CHECK(reach_left(image, 20, 50) == 2);
    CHECK(near(image.at(100, 50), 80 + 175 * 0.8, 80 + 60 * 0.8, 80 - 80 * 0.8));
    CHECK(near(image.at(50, 50), 80 + 175 * 0.6, 80 + 60 * 0.6, 80 - 80 * 0.6));
    CHECK(near(image.at(20, 50), 80 + 175 * 0.4, 80 + 60 * 0.4, 80 - 80 * 0.4));
}

TEST_CASE("annotation: the two ends of a drag move together with age") {
    const Annotation annotation{{{}, {{1, {100, 500}, winio::NormPoint{900, 500}}}}, {}};
    const Image image = drawn(annotation, plain_heat(), no_boxes());
    // Ends at 20 and 180; a turn later halfway to the middle, 100: at 60 and 140.
    CHECK_FALSE(untouched(image.at(60, 50)));
    CHECK_FALSE(untouched(image.at(140, 50)));
    CHECK(reach_left(image, 60, 50) == 5);
    CHECK(untouched(image.at(20, 50)));
    CHECK(untouched(image.at(180, 50)));
    CHECK(untouched(image.at(100, 50)));
}

TEST_CASE("annotation: a trail of one turn shows only this turn, and without shrinking all radii "
          "are equal") {
    const Annotation annotation{{{{1, {500, 500}, {}}}, {{1, {250, 500}, {}}}}, {}};
    ExecutedHeat heat = plain_heat();
    heat.trail_turns = 1;
    CHECK(untouched(drawn(annotation, heat, no_boxes()).at(50, 50)));
    CHECK_FALSE(untouched(drawn(annotation, heat, no_boxes()).at(100, 50)));
    heat.trail_turns = 2;
    heat.trail_shrink = 1;
    CHECK(reach_left(drawn(annotation, heat, no_boxes()), 50, 50) == 10);
}

TEST_CASE("annotation: a box has a border inside and is filled from its middle") {
    BboxHeat boxes;
    boxes.border = {0, 0, 255, 1};
    boxes.border_width = 2;
    boxes.fill_stops = {{0, {0, 0, 255, 0.5}}, {1, {0, 0, 255, 0}}};
    const Image image = drawn({{}, {{100, 400, 500, 800}}}, {}, boxes); // 20,40 to 100,80
    for (const winio::Point at : {winio::Point{20, 60}, winio::Point{21, 60}, winio::Point{100, 60},
                                  winio::Point{60, 40}, winio::Point{60, 80}, winio::Point{99, 79}})
        CHECK(image.at(at.x, at.y) == Color{255, 0, 0, 255});
    CHECK(near(image.at(60, 60), 40, 40, 167.5));
    CHECK(near(image.at(40, 60), 80 - 80 * 0.253, 80 - 80 * 0.253, 80 + 175 * 0.253)); // 20 of 40.5
    CHECK(untouched(image.at(101, 60)));
    CHECK(untouched(image.at(60, 81)));
}

TEST_CASE("annotation: labels stay within the image, and only enabled parts have labels") {
    const Annotation corner{{{{3, {1000, 1000}, {}}}}, {}};
    const Image image = drawn(corner, plain_heat(), no_boxes());
    int white = 0;
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            if (near(image.at(x, y), 255, 255, 255)) ++white;
    CHECK(white > 60); // "3 (1000,1000)"
    ExecutedHeat off = plain_heat();
    off.enabled = false;
    const Image nothing = drawn({{{{3, {500, 500}, {}}}}, {{1, 2, 3, 4}}}, off, no_boxes());
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) REQUIRE(untouched(nothing.at(x, y)));
}

TEST_CASE("annotation: nothing is drawn outside the rows that it names") {
    const Annotation annotation{{{{1, {500, 300}, winio::NormPoint{900, 950}}}, {{1, {0, 0}, {}}}},
                                {{300, 300, 400, 600}}};
    ExecutedHeat heat = plain_heat();
    const auto overlay = make_overlay(annotation, heat, {}, size);
    std::vector<bool> named(static_cast<std::size_t>(size.height), false);
    for (const winio::RowRange& range : overlay->rows())
        for (int y = std::max(0, range.first); y < std::min(size.height, range.end()); ++y)
            named[static_cast<std::size_t>(y)] = true;
    const Image image = drawn(annotation, heat, {});
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            if (!named[static_cast<std::size_t>(y)]) REQUIRE(untouched(image.at(x, y)));
}
