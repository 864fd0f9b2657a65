#include "eyehand/winio/frame_pipeline.hpp"

#include "bar.hpp"
#include "catch.hpp"
#include "eyehand/winio/scale.hpp"
#include "printing.hpp"
#include "screen_image.hpp"

using namespace eyehand::winio;
using namespace screen_image;

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

Frame frame_of(const Image& pixels) {
    Frame frame;
    frame.pixels = pixels;
    return frame;
}

// Sizes that scale with a short period, with a long one, not at all, down, up, and both.
ImageSize any_image_size(std::mt19937& random, Size source) {
    switch (random() % 4) {
    case 0:
        return ExactSize{source};
    case 1:
        return ExactSize{{source.width, std::max(1, source.height * 4 / 5)}};
    case 2:
        return ExactSize{{source.width * 2, source.height * 3 / 2 + 1}};
    default:
        return ExactSize{{1 + below(random, 100), 1 + below(random, 200)}};
    }
}

} // namespace

TEST_CASE("an unchanged frame gives the previous bytes again") {
    FramePipeline pipeline;
    const Screenshot first = pipeline.process(frame_of({200, 100}));
    const Screenshot second = pipeline.process(frame_of({200, 100}));
    CHECK(second.file == first.file);
    CHECK(second.changed.empty());
    CHECK(second.size == first.size);
    CHECK(second.area == first.area);
    CHECK(second.encode_time.count() == 0);
}

TEST_CASE("the whole first frame counts as changed") {
    FramePipeline pipeline;
    const Screenshot screenshot = pipeline.process(frame_of({200, 100}, {-50, 7}));
    CHECK(screenshot.changed == std::vector<Rect>{{-50, 7, 200, 100}});
    CHECK(screenshot.area == Rect{-50, 7, 200, 100});
}

TEST_CASE("changes are reported in desktop coordinates, and the screenshot is new") {
    FramePipeline pipeline;
    const Screenshot first = pipeline.process(frame_of({200, 100}, {-200, 10}));
    Frame changed = frame_of({200, 100}, {-200, 10});
    changed.pixels.fill({0, 50, 1, 2}, {.red = 255});
    const Screenshot second = pipeline.process(std::move(changed));
    CHECK(second.changed == std::vector<Rect>{{-200, 60, 32, 2}});
    CHECK(*second.file != *first.file);
}

TEST_CASE("a moved pointer is a change, a pointer at the same position is not") {
    FramePipeline pipeline;
    Frame frame = frame_of({64, 64});
    frame.pointer = dot({5, 5});
    const Screenshot first = pipeline.process(Frame(frame));
    CHECK(pipeline.process(Frame(frame)).file == first.file);
    frame.pointer = dot({40, 5});
    const Screenshot moved = pipeline.process(Frame(frame));
    CHECK(moved.changed == std::vector<Rect>{{0, 5, 64, 1}});
    CHECK(*moved.file != *first.file);
}

TEST_CASE("without the pointer in the options, its moves are not changes") {
    FramePipeline pipeline({.pointer = false});
    Frame frame = frame_of({64, 64});
    frame.pointer = dot({5, 5});
    const Screenshot first = pipeline.process(Frame(frame));
    frame.pointer = dot({40, 5});
    CHECK(pipeline.process(Frame(frame)).file == first.file);
    CHECK(*first.file == *FramePipeline().process(frame_of({64, 64})).file);
}

TEST_CASE("another size or origin invalidates the history") {
    FramePipeline pipeline;
    const Screenshot first = pipeline.process(frame_of({64, 64}));
    const Screenshot moved = pipeline.process(frame_of({64, 64}, {64, 0}));
    CHECK(moved.changed == std::vector<Rect>{{64, 0, 64, 64}});
    const Screenshot smaller = pipeline.process(frame_of({64, 32}, {64, 0}));
    CHECK(smaller.changed == std::vector<Rect>{{64, 0, 64, 32}});
    CHECK(smaller.size == Size{64, 32});
}

TEST_CASE("the screenshot fits into its box, keeps the aspect ratio and is never enlarged") {
    CHECK(FramePipeline().process(frame_of({1920, 1080})).size == Size{1536, 864});
    CHECK(FramePipeline().process(frame_of({1920, 1200})).size == Size{1382, 864});
    CHECK(FramePipeline().process(frame_of({640, 480})).size == Size{640, 480});
}

TEST_CASE("an exact screenshot has the requested size") {
    FramePipeline pipeline({.size = ExactSize{{300, 100}}});
    CHECK(pipeline.process(frame_of({64, 64})).size == Size{300, 100});
}

TEST_CASE("an empty frame and options out of range are refused") {
    FramePipeline pipeline;
    CHECK_THROWS_AS(pipeline.process(Frame{}), std::invalid_argument);
    CHECK_THROWS_AS(FramePipeline({.size = FitWithin{{0, 5}}}), std::invalid_argument);
    CHECK_THROWS_AS(FramePipeline({.format = PngOptions{.level = 12}}), std::invalid_argument);
}

TEST_CASE("a pipeline's screenshot is the scaled frame as a PNG of stripes") {
    std::mt19937 random(3);
    const Image screen = any_screen(random, {120, 225});
    Image scaled;
    scale(screen.view(), {96, 180}, scaled); // a period of four rows: stripes of 32
    FramePipeline pipeline({.size = ExactSize{{96, 180}}});
    CHECK(*pipeline.process(frame_of(screen)).file == encode_png(scaled.view()));
}

TEST_CASE("a pipeline gives a frame the same bytes regardless of the frames before it") {
    for (unsigned seed = 0; seed < 80; ++seed) {
        std::mt19937 random(seed);
        const Size size{1 + below(random, 80), 1 + below(random, 200)};
        const ScreenshotOptions options{.size = any_image_size(random, size), .threads = 1};
        FramePipeline pipeline(options);
        Image screen = any_screen(random, size);
        for (int edit = 0; edit < 8; ++edit) {
            const int y = below(random, size.height);
            paint(screen, {below(random, size.width), y, size.width, 1 + below(random, 9)}, random);
            INFO("seed " << seed << ", edit " << edit);
            REQUIRE(*pipeline.process(frame_of(screen)).file ==
                    *FramePipeline(options).process(frame_of(screen)).file);
        }
    }
}

TEST_CASE("a pipeline gives the same bytes with any number of threads") {
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const Size size{100 + below(random, 100), 200 + below(random, 200)};
        const ImageSize wanted = any_image_size(random, size);
        FramePipeline one({.size = wanted, .threads = 1});
        std::vector<FramePipeline> several;
        for (const int threads : {0, 2, 3, 8})
            several.emplace_back(ScreenshotOptions{.size = wanted, .threads = threads});
        Image screen = any_screen(random, size);
        for (int edit = 0; edit < 3; ++edit) {
            paint(screen, any_part(random, size), random);
            const Screenshot expected = one.process(frame_of(screen));
            for (FramePipeline& pipeline : several) {
                INFO("seed " << seed << ", edit " << edit);
                const Screenshot screenshot = pipeline.process(frame_of(screen));
                REQUIRE(*screenshot.file == *expected.file);
                REQUIRE(screenshot.changed == expected.changed);
            }
        }
    }
}

TEST_CASE("a change only in alpha is not a change for a pipeline") {
    std::mt19937 random(4);
    const Image screen = any_screen(random, {70, 50});
    Image other = screen;
    for (std::size_t x = 3; x < 280; x += 4) other.row(20)[x] ^= 0x55;
    FramePipeline pipeline;
    const Screenshot first = pipeline.process(frame_of(screen));
    const Screenshot second = pipeline.process(frame_of(other));
    CHECK(second.file == first.file);
    CHECK(second.changed.empty());
}

TEST_CASE("a pipeline leaves memory for the next capture in the frame") {
    FramePipeline pipeline;
    Frame frame = frame_of(Image({64, 64}));
    pipeline.process(std::move(frame));
    frame.pixels = Image({64, 64}); // NOLINT: documented
    frame.pixels.fill({3, 3, 9, 9}, {.red = 9});
    pipeline.process(std::move(frame));
    CHECK(frame.pixels.size() == Size{64, 64}); // NOLINT: documented
    frame.pixels.fill({0, 0, 64, 64}, {});
    frame.pixels.fill({3, 3, 9, 9}, {.red = 9});
    const std::uint8_t* memory = frame.pixels.data();
    pipeline.process(std::move(frame));
    CHECK(frame.pixels.data() == memory); // NOLINT: because nothing changed
}

TEST_CASE("a pipeline refuses a negative number of threads") {
    CHECK_THROWS_AS(FramePipeline({.threads = -1}), std::invalid_argument);
}

TEST_CASE("an overlay is drawn on a copy of the screenshot") {
    std::mt19937 random(10);
    const Image screen = any_screen(random, {90, 100});
    FramePipeline pipeline;
    const Screenshot screenshot = pipeline.process(frame_of(screen));
    const Bar bar({30, 40});
    Image expected = screen;
    Canvas canvas(expected);
    bar.draw(canvas);
    CHECK(*pipeline.annotate(bar) == encode_png(expected.view()));
    CHECK(*screenshot.file == encode_png(screen.view()));
    CHECK(pipeline.process(frame_of(screen)).file == screenshot.file); // the same object
}

TEST_CASE("an annotated screenshot depends on the frame and the overlay, not on the history") {
    std::mt19937 random(11);
    for (int round = 0; round < 12; ++round) {
        const Size source{40 + below(random, 80), 40 + below(random, 200)};
        ScreenshotOptions options;
        options.size = any_image_size(random, source);
        options.threads = 1 + below(random, 3);
        FramePipeline pipeline(options);
        Image screen = any_screen(random, source);
        for (int step = 0; step < 5; ++step) {
            const Screenshot screenshot = pipeline.process(frame_of(screen));
            // Sometimes partly outside.
            const Bar bar({below(random, screenshot.size.height + 20) - 10, below(random, 40)});
            FramePipeline fresh(options);
            const Screenshot again = fresh.process(frame_of(screen));
            CHECK(*again.file == *screenshot.file);
            CHECK(*pipeline.annotate(bar) == *fresh.annotate(bar));
            if (step % 2 == 0) paint(screen, any_part(random, source), random);
        }
    }
}

TEST_CASE("annotating before the first screenshot is an error") {
    FramePipeline pipeline;
    CHECK_THROWS_AS(pipeline.annotate(Bar({0, 1})), std::logic_error);
}
