#include "test_window.hpp"

#include "win32/handles.hpp"
#include "win32/win32_desktop.hpp"
#include "winio/error.hpp"
#include "winio/frame_diff.hpp"
#include "winio/gesture.hpp"
#include "winio/hands.hpp"

using namespace winio;
using namespace std::chrono_literals;

namespace {

Color opaque(unsigned long colorref) {
    return {static_cast<std::uint8_t>(colorref >> 16U), static_cast<std::uint8_t>(colorref >> 8U),
            static_cast<std::uint8_t>(colorref), 255};
}

bool same_rgb(Color a, Color b) { return a.red == b.red && a.green == b.green && a.blue == b.blue; }

} // namespace

TEST_CASE("a capture shows what a window painted, pixel for pixel") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Rect area = rect_of(window.state().area);
    const auto capturer = desktop->open_capturer({.pointer = false});
    Frame frame;
    const auto painted = [&] {
        capturer->capture(area, frame);
        for (int y = 0; y < area.height; ++y)
            for (int x = 0; x < area.width; ++x) {
                const auto color = x < area.width / 2 ? area_left_color : area_right_color;
                if (!same_rgb(frame.pixels.at(x, y), opaque(color))) return false;
            }
        return true;
    };
    CHECK(eventually(painted, 5s));
}

TEST_CASE("a capture carries the pointer's place and shape") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Point at = centre_of(window.state().area);
    Hands hands(*desktop, choose_area(desktop->displays(), {}));
    REQUIRE(hands.carry_out(gesture::move(at)).complete());
    const auto capturer = desktop->open_capturer({});
    const Rect area = rect_of(window.state().area);
    Frame frame;
    CHECK(eventually(
        [&] {
            capturer->capture(area, frame);
            return frame.pointer && frame.pointer->position == at;
        },
        5s));
    REQUIRE(frame.pointer);
    CHECK_FALSE(frame.pointer->pixels.empty());
    const Image without = frame.pixels;
    draw_pointer(frame);
    int drawn = 0;
    for (int y = 0; y < area.height; ++y)
        for (int x = 0; x < area.width; ++x)
            drawn += !same_rgb(frame.pixels.at(x, y), without.at(x, y));
    CHECK(drawn > 20); // an arrow has more pixels than that
}

TEST_CASE("a capture across the desktop's edge is black beyond it") {
    const auto desktop = open_desktop();
    const Rect bounds = desktop->displays().front().bounds;
    Frame frame;
    frame.pixels = Image({30, 5});
    frame.pixels.fill({0, 0, 30, 5}, {255, 255, 255, 255}); // what must not shine through
    const auto capturer = desktop->open_capturer({.pointer = false});
    capturer->capture({bounds.right() - 10, bounds.y, 30, 5}, frame);
    for (int x = 10; x < 30; ++x) CHECK(same_rgb(frame.pixels.at(x, 2), {}));
}

TEST_CASE("no handle is left over after 200 captures") {
    const auto desktop = open_desktop();
    const auto capturer = desktop->open_capturer({});
    const Rect bounds = desktop->displays().front().bounds;
    Frame frame;
    capturer->capture(bounds, frame);
    const int open_before = win32::open_handles;
    const long acquired_before = win32::acquired_handles;
    for (int i = 0; i < 200; ++i) capturer->capture({bounds.x, bounds.y, 300 + i % 2, 200}, frame);
    CHECK(win32::open_handles == open_before);
    CHECK(win32::acquired_handles - acquired_before >= 400); // two DCs each: the count is alive
}

TEST_CASE("closing a capturer gives everything back") {
    const auto desktop = open_desktop();
    const int open_before = win32::open_handles;
    Frame frame;
    desktop->open_capturer({})->capture({0, 0, 50, 50}, frame);
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("a refused BitBlt is a temporary error that leaks nothing") {
    win32::SystemCalls system;
    bool locked = true;
    system.bit_blt = [&](HDC to, int x, int y, int width, int height, HDC from, int from_x,
                         int from_y, DWORD operation) -> BOOL {
        if (!locked) return BitBlt(to, x, y, width, height, from, from_x, from_y, operation);
        SetLastError(ERROR_ACCESS_DENIED);
        return FALSE;
    };
    win32::Win32Desktop desktop(system);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    const int open_before = win32::open_handles;
    for (int i = 0; i < 3; ++i) {
        try {
            capturer->capture({0, 0, 64, 64}, frame);
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::capture_unavailable);
            CHECK(temporary(error.code()));
        }
    }
    CHECK(win32::open_handles == open_before + 1); // the bitmap, kept for the next attempt
    locked = false;
    CHECK_NOTHROW(capturer->capture({0, 0, 64, 64}, frame));
}

TEST_CASE("a refused GetDC is a temporary error") {
    win32::SystemCalls system;
    system.get_dc = [](HWND) -> HDC { return nullptr; };
    win32::Win32Desktop desktop(system);
    Frame frame;
    try {
        desktop.open_capturer({})->capture({0, 0, 64, 64}, frame);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::capture_unavailable);
    }
}

TEST_CASE("without displays there is nothing to capture") {
    win32::SystemCalls system;
    system.monitors = [] { return std::vector<HMONITOR>(); };
    win32::Win32Desktop desktop(system);
    CHECK(desktop.displays().empty());
    Frame frame;
    try {
        desktop.open_capturer({})->capture({0, 0, 64, 64}, frame);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::no_display);
    }
}

TEST_CASE("a hidden or suppressed pointer is none") {
    for (const DWORD flags : {DWORD{0}, DWORD{2}}) { // 2: CURSOR_SUPPRESSED
        win32::SystemCalls system;
        system.get_cursor_info = [&](CURSORINFO* info) -> BOOL {
            GetCursorInfo(info);
            info->flags = flags;
            return TRUE;
        };
        win32::Win32Desktop desktop(system);
        Frame frame;
        desktop.open_capturer({})->capture({0, 0, 64, 64}, frame);
        CHECK_FALSE(frame.pointer.has_value());
    }
}

TEST_CASE("layered windows are captured by option only") {
    for (const bool layered : {false, true}) {
        win32::SystemCalls system;
        DWORD used = 0;
        system.bit_blt = [&](HDC to, int x, int y, int width, int height, HDC from, int from_x,
                             int from_y, DWORD operation) {
            used = operation;
            return BitBlt(to, x, y, width, height, from, from_x, from_y, operation);
        };
        win32::Win32Desktop desktop(system);
        Frame frame;
        desktop.open_capturer({.layered_windows = layered})->capture({0, 0, 64, 64}, frame);
        CHECK(((used & CAPTUREBLT) != 0) == layered);
    }
}

TEST_CASE("a new cursor with the handle of an old one is drawn as what it is") {
    HCURSOR real = LoadCursorW(nullptr, IDC_ARROW);
    win32::SystemCalls system;
    system.get_cursor_info = [](CURSORINFO* info) -> BOOL {
        *info = {sizeof *info, CURSOR_SHOWING, LoadCursorW(nullptr, IDC_WAIT), {20, 20}};
        return TRUE;
    };
    system.get_icon_info = [&](HICON, ICONINFO* info) { return GetIconInfo(real, info); };
    win32::Win32Desktop desktop(system);
    const auto capturer = desktop.open_capturer({});
    const auto shape = [&] {
        Frame frame;
        capturer->capture({0, 0, 64, 64}, frame);
        REQUIRE(frame.pointer);
        return frame.pointer->pixels;
    };
    const Image arrow = shape();
    real = LoadCursorW(nullptr, IDC_IBEAM);
    CHECK_FALSE(same_pixels(shape().view(), arrow.view()));
}
