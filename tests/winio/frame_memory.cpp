// A pipeline and a motion watch when memory runs out, and the peak memory of a pipeline. Replaces
// operator new, so these tests are a separate program.
#include "catch.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "motion.hpp"
#include "printing.hpp"
#include "random_image.hpp"
#include "screen_image.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr long unlimited = std::numeric_limits<long>::max();
std::atomic<long> allocations_left{unlimited};
std::atomic<std::size_t> bytes_now{0};
std::atomic<std::size_t> bytes_at_most{0};

void* allocate(std::size_t size) {
    if (allocations_left.load() != unlimited && --allocations_left < 0) throw std::bad_alloc();
    void* memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    const std::size_t now = bytes_now += malloc_usable_size(memory);
    std::size_t max = bytes_at_most;
    while (now > max && !bytes_at_most.compare_exchange_weak(max, now)) {
    }
    return memory;
}

void release(void* memory) noexcept {
    if (memory == nullptr) return;
    bytes_now -= malloc_usable_size(memory);
    std::free(memory);
}

} // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return allocate(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

using namespace eyehand::winio;

namespace {

Frame frame_of(const Image& pixels) {
    Frame frame;
    frame.pixels = pixels;
    return frame;
}

// Whether the frame can be processed if only this number of allocations succeeds.
bool process_with(long allocations, FramePipeline& pipeline, Frame frame) {
    allocations_left = allocations;
    try {
        (void)pipeline.process(std::move(frame));
        allocations_left = unlimited;
        return true;
    } catch (const std::bad_alloc&) {
        allocations_left = unlimited;
        return false;
    }
}

// Fails one allocation later in each iteration until none fails. In each iteration, the pipeline
// must continue as if it had never received the failed frame.
void fail_everywhere(const ScreenshotOptions& options) {
    std::mt19937 random(1);
    const Size size{60, 200};
    const Image first = screen_image::any_screen(random, size);
    Image failing = first;
    failing.fill({0, 10, 60, 150}, {50, 60, 70, 255});
    Image next = first;
    next.fill({10, 20, 9, 3}, {.red = 200});
    const auto expected = *FramePipeline(options).process(frame_of(next)).file;

    long failures = 0;
    for (bool failed = true; failed; ++failures) {
        FramePipeline pipeline(options);
        const Screenshot before = pipeline.process(frame_of(first));
        failed = !process_with(failures, pipeline, frame_of(failing));
        if (!failed) break;
        INFO("after " << failures << " allocations");
        REQUIRE((*pipeline.process(frame_of(first)).file == *before.file));
        const Screenshot after = pipeline.process(frame_of(next));
        REQUIRE((*after.file == expected)); // too long to print
        REQUIRE(after.changed == std::vector<Rect>{{0, 20, 32, 3}});
    }
    CHECK(failures > 10);
}

} // namespace

TEST_CASE(
    "after running out of memory, a pipeline processes the next frame as if nothing had happened") {
    fail_everywhere({.threads = 1});
    fail_everywhere({.size = ExactSize{{48, 160}}, .threads = 1});
    fail_everywhere({.format = JpegOptions{}, .threads = 1});
    fail_everywhere({.size = ExactSize{{48, 160}}, .format = JpegOptions{}, .threads = 1});
}

TEST_CASE("a pipeline passes on errors of its threads, and works afterwards") {
    fail_everywhere({.size = ExactSize{{48, 160}}, .threads = 3});
}

TEST_CASE("after running out of memory at the first frame, a pipeline encodes the whole next one") {
    std::mt19937 random(2);
    const Image screen = screen_image::any_screen(random, {60, 100});
    const auto expected = *FramePipeline().process(frame_of(screen)).file;
    for (const long allocations : {0L, 1L, 5L, 9L, 12L}) {
        FramePipeline pipeline;
        INFO("after " << allocations << " allocations");
        REQUIRE_FALSE(process_with(allocations, pipeline, frame_of(screen)));
        const Screenshot screenshot = pipeline.process(frame_of(screen));
        CHECK((*screenshot.file == expected));
        CHECK(screenshot.changed == std::vector<Rect>{{0, 0, 60, 100}});
    }
}

TEST_CASE("after running out of memory, a watch restarts with its old size and with the new one") {
    const Size sizes[] = {{64, 64}, {640, 480}};
    for (const Size next : sizes) {
        for (const long allocations : {0L, 1L}) {
            INFO(next.width << " pixels wide, after " << allocations << " allocations");
            Motion motion;
            motion.start(sizes[0]);
            allocations_left = allocations;
            bool failed = false;
            try {
                motion.start(sizes[1]);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            allocations_left = unlimited;
            REQUIRE(failed);
            motion.start(next);
            const Image before(next);
            Image after(next);
            after.fill({next.width - 8, next.height - 8, 8, 8}, {.red = 1});
            motion.note(before, after, Motion::Time{});
            CHECK(motion.changed(Toggling::counts) ==
                  std::vector<Rect>{{next.width - 8, next.height - 8, 8, 8}});
        }
    }
}

TEST_CASE(
    "a pipeline uses at most the memory of four captured frames, including the captured one") {
    // Noise gives the largest PNG.
    const Size size{1920, 1080};
    const ImageSize shown = GENERATE(FitWithin{{1536, 864}}, FitWithin{{1920, 1080}});
    const std::size_t frame_bytes = std::size_t{1920} * 1080 * 4;
    const Image screens[] = {random_image(size, 1), random_image(size, 2)};
    const std::size_t before = bytes_now;
    bytes_at_most = before;
    {
        FramePipeline pipeline({.size = shown, .threads = 2});
        Frame frame;
        for (int round = 0; round < 3; ++round) {
            frame.pixels = screens[round % 2]; // NOLINT: a capturer also refills it
            const Screenshot screenshot = pipeline.process(std::move(frame));
            REQUIRE(screenshot.file->size() > frame_bytes / 3);
        }
    }
    // zlib allocates its memory with malloc: 268 KB per stream (zconf.h), two streams per thread.
    constexpr std::size_t zlib_bytes = std::size_t{2} * 2 * 268 * 1024;
    CHECK(bytes_at_most - before + zlib_bytes <= 4 * frame_bytes);
}
