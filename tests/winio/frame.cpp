#include "eyehand/winio/frame.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;

namespace {

constexpr Color gray{100, 100, 100, 255};

Frame gray_frame(Size size, Point origin = {}) {
    Frame frame;
    frame.pixels = Image(size);
    frame.pixels.fill({0, 0, size.width, size.height}, gray);
    frame.origin = origin;
    return frame;
}

PointerShape square(Size size, Color color) {
    PointerShape shape;
    shape.pixels = Image(size);
    shape.pixels.fill({0, 0, size.width, size.height}, color);
    return shape;
}

} // namespace

TEST_CASE("the pointer is drawn with its hotspot at its position and then removed from the frame") {
    Frame frame = gray_frame({10, 10}, {-5, 100});
    frame.pointer = square({2, 2}, {.red = 255});
    frame.pointer->position = {0, 105};
    frame.pointer->hotspot = {1, 1};
    draw_pointer(frame);
    CHECK(frame.pixels.at(4, 4) == Color{0, 0, 255, 255});
    CHECK(frame.pixels.at(5, 5) == Color{0, 0, 255, 255});
    CHECK(frame.pixels.at(3, 4) == gray);
    CHECK(frame.pixels.at(6, 5) == gray);
    CHECK_FALSE(frame.pointer.has_value());
}

TEST_CASE("half transparent pointer pixels are blended without premultiplication") {
    Frame frame = gray_frame({1, 1});
    frame.pointer = square({1, 1}, {.blue = 200, .green = 0, .red = 100, .alpha = 128});
    draw_pointer(frame);
    // 200 * 128/255 + 100 * 127/255 = 150.2; 49.8; 100
    CHECK(frame.pixels.at(0, 0) == Color{150, 50, 100, 255});
}

TEST_CASE("inverting pointer pixels invert the pixels below") {
    Frame frame = gray_frame({2, 1});
    frame.pointer = square({2, 1}, {.alpha = 0});
    frame.pointer->invert = {1, 0};
    draw_pointer(frame);
    CHECK(frame.pixels.at(0, 0) == Color{155, 155, 155, 255});
    CHECK(frame.pixels.at(1, 0) == gray);
}

TEST_CASE("a pointer at an edge is clipped on every side") {
    for (const Point at : {Point{-1, -1}, Point{9, -1}, Point{-1, 9}, Point{9, 9}}) {
        Frame frame = gray_frame({10, 10});
        frame.pointer = square({2, 2}, {.red = 255});
        frame.pointer->position = at;
        draw_pointer(frame);
        int drawn = 0;
        for (int y = 0; y < 10; ++y)
            for (int x = 0; x < 10; ++x) drawn += frame.pixels.at(x, y) != gray;
        CHECK(drawn == 1);
    }
}

TEST_CASE("a pointer outside the frame draws nothing") {
    Frame frame = gray_frame({4, 4});
    frame.pointer = square({2, 2}, {.red = 255});
    frame.pointer->position = {-50, 2};
    draw_pointer(frame);
    CHECK(frame.pixels.at(0, 2) == gray);
}

TEST_CASE("a frame without a pointer is not changed") {
    Frame frame = gray_frame({2, 2});
    draw_pointer(frame);
    CHECK(frame.pixels.at(1, 1) == gray);
}

TEST_CASE("an invert mask of the wrong size is refused") {
    Frame frame = gray_frame({4, 4});
    frame.pointer = square({2, 2}, {});
    frame.pointer->invert = {1};
    CHECK_THROWS_AS(draw_pointer(frame), std::invalid_argument);
}
