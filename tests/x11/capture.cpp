#include "x11/screen_capturer.hpp"

#include "eyehand/winio/error.hpp"
#include "x11/displays.hpp"
#include "x11/unpremultiplied.hpp"
#include "x11/x11_desktop.hpp"

#include "desktop_contract.hpp"
#include "test_window.hpp"

using namespace eyehand::winio;
using namespace eyehand::winio::x11;
using x11_tests::TestWindow;

TEST_CASE("a capture shows the screen with both transports") {
    X11Desktop desktop;
    const TestWindow window(desktop, "Blue", {.color = "3366cc"});
    const Point at = window.center();
    for (const Transfer transfer : {Transfer::shared_memory, Transfer::connection}) {
        ScreenCapturer capturer(desktop.connection(), {}, transfer);
        Frame frame;
        const auto is_blue = [&] {
            capturer.capture({at.x - 5, at.y - 5, 10, 10}, frame);
            const Color color = frame.pixels.at(9, 9);
            return color.red == 0x33 && color.green == 0x66 && color.blue == 0xCC;
        };
        CHECK(desktop_contract::eventually(is_blue, x11_tests::patience));
        CHECK(capturer.transfer() == transfer);
    }
}

TEST_CASE("both transports give the same pixels, inside the screen and across its edges") {
    X11Desktop desktop;
    const TestWindow window(desktop, "Something to see");
    ScreenCapturer shared(desktop.connection(), {.pointer = false}, Transfer::shared_memory);
    ScreenCapturer sent(desktop.connection(), {.pointer = false}, Transfer::connection);
    for (const Rect& area : {Rect{0, 0, 1920, 1080}, Rect{-30, -20, 100, 60},
                             Rect{1900, 1070, 50, 50}, Rect{701, 333, 1, 1}}) {
        Frame a;
        Frame b;
        const auto same = [&] { // a window may not be painted yet
            shared.capture(area, a);
            sent.capture(area, b);
            const std::size_t bytes = a.pixels.stride() * static_cast<std::size_t>(area.height);
            return std::equal(a.pixels.data(), a.pixels.data() + bytes, b.pixels.data());
        };
        CHECK(desktop_contract::eventually(same, x11_tests::patience));
    }
}

TEST_CASE("thousands of captures use at most one segment of memory") {
    X11Desktop desktop;
    {
        const auto capturer = desktop.open_capturer({});
        Frame frame;
        capturer->capture({0, 0, 64, 64}, frame);
        const int held = open_segments;
        const long acquired = acquired_segments;
        for (int i = 0; i < 10'000; ++i) capturer->capture({i % 500, i % 300, 16, 16}, frame);
        CHECK(open_segments == held);
        CHECK(held == 1);
        CHECK(acquired_segments == acquired);
    }
    CHECK(open_segments == 0);
}

TEST_CASE("a segment grows when a larger area is captured, and only then") {
    X11Desktop desktop;
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    capturer->capture({0, 0, 64, 64}, frame);
    const long acquired = acquired_segments;
    capturer->capture({0, 0, 640, 64}, frame);
    CHECK(acquired_segments == acquired + 1);
    capturer->capture({0, 0, 64, 64}, frame);
    CHECK(acquired_segments == acquired + 1);
    CHECK(open_segments == 1);
}

TEST_CASE("a capture contains the pointer with its hotspot at its position") {
    X11Desktop desktop;
    const InputEvent move = PointerMove{{640, 480}};
    REQUIRE(desktop.send({&move, 1}).complete());
    Frame frame;
    desktop.open_capturer({})->capture({600, 400, 100, 100}, frame);
    REQUIRE(frame.pointer.has_value());
    CHECK(frame.pointer->position == Point{640, 480});
    CHECK_FALSE(frame.pointer->pixels.empty());
    CHECK(Rect{0, 0, frame.pointer->pixels.width(), frame.pointer->pixels.height()}.contains(
        frame.pointer->hotspot));
}

TEST_CASE("the colors of a captured pointer are not premultiplied with alpha") {
    STATIC_REQUIRE(unpremultiplied(0xFF102030) == Color{0x30, 0x20, 0x10, 0xFF});
    STATIC_REQUIRE(unpremultiplied(0x80800040) == Color{0x80, 0, 0xFF, 0x80});
    STATIC_REQUIRE(unpremultiplied(0x00FFFFFF) == Color{0, 0, 0, 0});
    STATIC_REQUIRE(unpremultiplied(0x10FFFFFF) ==
                   Color{255, 255, 255, 0x10}); // invalid, but occurs in practice
}

TEST_CASE("the DPI is the user's setting or else the display's, but at least 96") {
    CHECK(dpi_of_resources("Xcursor.size:\t24\nXft.dpi:\t144\nXft.hinting:\t1\n") == 144);
    CHECK(dpi_of_resources("Xft.dpi: 120") == 120);
    CHECK(dpi_of_resources("XXft.dpi: 120\nXft.dpix: 3\n") == 0);
    CHECK(dpi_of_resources("Xft.dpi: fine") == 0);
    CHECK(dpi_of_resources("") == 0);
    CHECK(dpi_of_size(3840, 600) == 163);
    CHECK(dpi_of_size(1920, 1600) == 96);
    CHECK(dpi_of_size(1920, 0) == 96);
}
