#include "winio/frame_pipeline.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace winio;

namespace {

Frame frame_of(Size size, Point origin = {}) {
    Frame frame;
    frame.pixels = Image(size);
    frame.origin = origin;
    return frame;
}

PointerShape dot(Point at) {
    PointerShape shape;
    shape.position = at;
    shape.pixels = Image({1, 1});
    shape.pixels.fill({0, 0, 1, 1}, {255, 255, 255, 255});
    return shape;
}

} // namespace

TEST_CASE("an unchanged frame gives the previous bytes again") {
    FramePipeline pipeline;
    const Picture first = pipeline.process(frame_of({200, 100}));
    const Picture second = pipeline.process(frame_of({200, 100}));
    CHECK(second.png == first.png);
    CHECK(second.changed.empty());
    CHECK(second.size == first.size);
    CHECK(second.area == first.area);
    CHECK(second.encode_time.count() == 0);
}

TEST_CASE("the first frame has changed as a whole") {
    FramePipeline pipeline;
    const Picture picture = pipeline.process(frame_of({200, 100}, {-50, 7}));
    CHECK(picture.changed == std::vector<Rect>{{-50, 7, 200, 100}});
    CHECK(picture.area == Rect{-50, 7, 200, 100});
}

TEST_CASE("changes are told in desktop coordinates and the picture is new") {
    FramePipeline pipeline;
    const Picture first = pipeline.process(frame_of({200, 100}, {-200, 10}));
    Frame changed = frame_of({200, 100}, {-200, 10});
    changed.pixels.fill({0, 50, 1, 2}, {.red = 255});
    const Picture second = pipeline.process(std::move(changed));
    CHECK(second.changed == std::vector<Rect>{{-200, 60, 32, 2}});
    CHECK(*second.png != *first.png);
}

TEST_CASE("a moved pointer is a change and a pointer that stays is none") {
    FramePipeline pipeline;
    Frame frame = frame_of({64, 64});
    frame.pointer = dot({5, 5});
    const Picture first = pipeline.process(Frame(frame));
    CHECK(pipeline.process(Frame(frame)).png == first.png);
    frame.pointer = dot({40, 5});
    const Picture moved = pipeline.process(Frame(frame));
    CHECK(moved.changed == std::vector<Rect>{{0, 5, 64, 1}});
    CHECK(*moved.png != *first.png);
}

TEST_CASE("without pointer in the options its moves are no changes") {
    FramePipeline pipeline({.pointer = false});
    Frame frame = frame_of({64, 64});
    frame.pointer = dot({5, 5});
    const Picture first = pipeline.process(Frame(frame));
    frame.pointer = dot({40, 5});
    CHECK(pipeline.process(Frame(frame)).png == first.png);
    CHECK(*first.png == *FramePipeline().process(frame_of({64, 64})).png);
}

TEST_CASE("another size or origin makes the history invalid") {
    FramePipeline pipeline;
    const Picture first = pipeline.process(frame_of({64, 64}));
    const Picture moved = pipeline.process(frame_of({64, 64}, {64, 0}));
    CHECK(moved.changed == std::vector<Rect>{{64, 0, 64, 64}});
    const Picture smaller = pipeline.process(frame_of({64, 32}, {64, 0}));
    CHECK(smaller.changed == std::vector<Rect>{{64, 0, 64, 32}});
    CHECK(smaller.size == Size{64, 32});
}

TEST_CASE("the picture fits into its box with the aspect kept and is never enlarged") {
    CHECK(FramePipeline().process(frame_of({1920, 1080})).size == Size{1536, 864});
    CHECK(FramePipeline().process(frame_of({1920, 1200})).size == Size{1382, 864});
    CHECK(FramePipeline().process(frame_of({640, 480})).size == Size{640, 480});
}

TEST_CASE("an exact picture has the size of its box") {
    FramePipeline pipeline({.size = ExactSize{{300, 100}}});
    CHECK(pipeline.process(frame_of({64, 64})).size == Size{300, 100});
}

TEST_CASE("an empty frame and impossible options are refused") {
    FramePipeline pipeline;
    CHECK_THROWS_AS(pipeline.process(Frame{}), std::invalid_argument);
    CHECK_THROWS_AS(FramePipeline({.size = FitWithin{{0, 5}}}), std::invalid_argument);
    CHECK_THROWS_AS(FramePipeline({.png = {.level = 12}}), std::invalid_argument);
}
