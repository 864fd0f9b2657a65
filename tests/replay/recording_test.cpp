// The parts of a recording: frames, and what a desktop answers.
#include "replay/desktop_recording.hpp"
#include "replay/frame_codec.hpp"

#include "eyehand/winio/frame_diff.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace agent;

namespace {

winio::Frame frame(winio::Size size) {
    winio::Frame it;
    it.pixels = winio::Image(size);
    it.origin = {3, 4};
    return it;
}

winio::PointerShape arrow(winio::Point at, std::uint8_t color) {
    winio::PointerShape shape{at, {1, 1}, winio::Image({4, 4}), {}};
    shape.pixels.fill({0, 0, 4, 4}, {.red = color, .alpha = 77});
    return shape;
}

} // namespace

TEST_CASE("frames are the same after their recording") {
    FrameEncoder encoder;
    FrameDecoder decoder;
    winio::Frame it = frame({200, 100});
    it.pixels.fill({10, 10, 50, 50}, {.green = 9});
    it.pointer = arrow({5, 6}, 1);
    const auto check = [&](bool stored, bool shape) {
        const json::object record = encoder.encode(it);
        CHECK(record.contains("png") == stored);
        if (it.pointer) CHECK(record.at("pointer").as_object().contains("shape") == shape);
        const winio::Frame& read = decoder.decode(record);
        CHECK(read.origin == it.origin);
        CHECK(winio::same_pixels(read.pixels.view(), it.pixels.view()));
        REQUIRE(read.pointer.has_value() == it.pointer.has_value());
        if (!it.pointer) return;
        CHECK(read.pointer->position == it.pointer->position);
        CHECK(read.pointer->hotspot == it.pointer->hotspot);
        CHECK(read.pointer->pixels.at(2, 2) == it.pointer->pixels.at(2, 2));
    };
    check(true, true);
    check(false, false); // nothing has changed
    it.pixels.fill({150, 90, 50, 10}, {.red = 1});
    it.pointer->position = {50, 60};
    check(true, false);
    it.pointer = arrow({7, 8}, 2);
    check(false, true);
    it.pointer.reset();
    check(false, false);
    it = frame({40, 40}); // another area
    check(true, false);
}

TEST_CASE("a part of a frame costs less than the frame") {
    FrameEncoder encoder;
    winio::Frame it = frame({500, 500});
    for (int y = 0; y < 500; ++y)
        for (int x = 0; x < 500; ++x)
            it.pixels.fill({x, y, 1, 1}, {.blue = static_cast<std::uint8_t>(x * y),
                                          .red = static_cast<std::uint8_t>(x ^ y)});
    const std::size_t whole = to_text(encoder.encode(it)).size();
    it.pixels.fill({100, 100, 20, 20}, {});
    CHECK(to_text(encoder.encode(it)).size() * 20 < whole);
}
