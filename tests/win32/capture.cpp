#include "test_window.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/frame_diff.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "win32/handles.hpp"
#include "win32/win32_desktop.hpp"

#include <array>
#include <limits>

using namespace eyehand::winio;

namespace {

Color opaque(unsigned long colorref) {
    return {static_cast<std::uint8_t>(colorref >> 16U), static_cast<std::uint8_t>(colorref >> 8U),
            static_cast<std::uint8_t>(colorref), 255};
}

bool same_rgb(Color a, Color b) { return a.red == b.red && a.green == b.green && a.blue == b.blue; }

// The error text of a capture that fails with `code`.
std::string problem_of(Capturer& capturer, errc code) {
    Frame frame;
    try {
        capturer.capture({0, 0, 64, 64}, frame);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == code);
        return error.what();
    }
    return {};
}

// A simulated virtual desktop. Each row has its own color.
struct FakeScreen {
    Rect desktop;
    std::vector<Rect> copies; // of the desktop, in the order of the requests

    static std::uint8_t red_of_row(int y) { return static_cast<std::uint8_t>(y * 7 + 1); }

    win32::SystemCalls system() {
        win32::SystemCalls calls;
        calls.monitors = [this] {
            return std::vector<HMONITOR>(desktop.empty() ? 0 : 1, HMONITOR{});
        };
        calls.get_system_metrics = [this](int index) {
            switch (index) {
            case SM_XVIRTUALSCREEN:
                return desktop.x;
            case SM_YVIRTUALSCREEN:
                return desktop.y;
            case SM_CXVIRTUALSCREEN:
                return desktop.width;
            case SM_CYVIRTUALSCREEN:
                return desktop.height;
            default:
                return GetSystemMetrics(index);
            }
        };
        calls.bit_blt = [this](HDC to, int x, int y, int width, int height, HDC, int from_x,
                               int from_y, DWORD) -> BOOL {
            copies.push_back({from_x, from_y, width, height});
            for (int row = 0; row < height; ++row) {
                SetDCBrushColor(to, red_of_row(from_y + row)); // a COLORREF's lowest byte is red
                const RECT line{x, y + row, x + width, y + row + 1};
                FillRect(to, &line, static_cast<HBRUSH>(GetStockObject(DC_BRUSH)));
            }
            return TRUE;
        };
        return calls;
    }
};

// A pointer at (20, 20) with the shape of `cursor`.
win32::SystemCalls with_cursor(HCURSOR cursor) {
    win32::SystemCalls system;
    system.get_cursor_info = [cursor](CURSORINFO* info) -> BOOL {
        *info = {sizeof *info, CURSOR_SHOWING, cursor, {20, 20}};
        return TRUE;
    };
    return system;
}

PointerShape pointer_of(const win32::SystemCalls& system) {
    win32::Win32Desktop desktop(system);
    Frame frame;
    desktop.open_capturer({})->capture({0, 0, 64, 64}, frame);
    REQUIRE(frame.pointer);
    return *frame.pointer;
}

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
    CHECK(eventually(painted));
}

TEST_CASE("a capture contains the pointer's position and shape") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Point at = center_of(window.state().area);
    InputExecutor executor(*desktop, choose_area(desktop->displays(), {}));
    REQUIRE(executor.execute(gesture::move(at)).complete());
    const auto capturer = desktop->open_capturer({});
    const Rect area = rect_of(window.state().area);
    Frame frame;
    CHECK(eventually([&] {
        capturer->capture(area, frame);
        return frame.pointer && frame.pointer->position == at;
    }));
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
    frame.pixels.fill({0, 0, 30, 5}, {255, 255, 255, 255}); // old content, which must disappear
    const auto capturer = desktop->open_capturer({.pointer = false});
    capturer->capture({bounds.right() - 10, bounds.y, 30, 5}, frame);
    for (int x = 10; x < 30; ++x) CHECK(same_rgb(frame.pixels.at(x, 2), {}));
}

TEST_CASE("10,000 captures of screen and pointer leak no handle") {
    const auto desktop = open_desktop();
    const auto capturer = desktop->open_capturer({});
    const Point at = desktop->displays().front().bounds.origin();
    Frame frame;
    capturer->capture({at.x, at.y, 16, 16}, frame);
    REQUIRE(frame.pointer);
    const int open_before = win32::open_handles;
    const long acquired_before = win32::acquired_handles;
    for (int i = 0; i < 10'000; ++i) capturer->capture({at.x, at.y, 16 + i % 2, 16}, frame);
    CHECK(win32::open_handles == open_before);
    // Each capture needs three DCs, the bitmap of the screen and at least one of the pointer, so
    // the counter works.
    CHECK(win32::acquired_handles - acquired_before >= 50'000);
}

TEST_CASE("closing a capturer releases all handles") {
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

TEST_CASE("a refused GetDC is a temporary error, after which the next capture works") {
    win32::SystemCalls system;
    bool locked = true;
    system.get_dc = [&](HWND window) { return locked ? nullptr : GetDC(window); };
    win32::Win32Desktop desktop(system);
    const auto capturer = desktop.open_capturer({});
    CHECK_THAT(problem_of(*capturer, errc::capture_unavailable), ContainsSubstring("GetDC"));
    locked = false;
    Frame frame;
    CHECK_NOTHROW(capturer->capture({0, 0, 64, 64}, frame));
    CHECK(frame.pointer.has_value());
}

TEST_CASE("a refused SelectObject is a temporary error that leaks nothing") {
    win32::SystemCalls system;
    system.select_object = [](HDC, HGDIOBJ) -> HGDIOBJ { return nullptr; };
    win32::Win32Desktop desktop(system);
    const int open_before = win32::open_handles;
    CHECK_THAT(problem_of(*desktop.open_capturer({}), errc::capture_unavailable),
               ContainsSubstring("SelectObject"));
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("the previous object is selected into a DC again, also after a refused BitBlt") {
    for (const bool refused : {false, true}) {
        win32::SystemCalls system;
        std::vector<HGDIOBJ> selected;
        std::vector<HGDIOBJ> replaced;
        system.select_object = [&](HDC dc, HGDIOBJ object) {
            selected.push_back(object);
            replaced.push_back(SelectObject(dc, object));
            return replaced.back();
        };
        system.bit_blt = [&](HDC, int, int, int, int, HDC, int, int, DWORD) -> BOOL {
            return refused ? FALSE : TRUE;
        };
        win32::Win32Desktop desktop(system);
        Frame frame;
        try {
            desktop.open_capturer({})->capture({0, 0, 64, 64}, frame);
            CHECK_FALSE(refused);
        } catch (const Error&) {
            CHECK(refused);
        }
        REQUIRE(selected.size() == 2);
        CHECK(selected[1] == replaced[0]);
        CHECK(replaced[1] == selected[0]);
    }
}

TEST_CASE("a refusal reports the secure desktop if it is shown") {
    win32::SystemCalls system;
    DWORD error = ERROR_SUCCESS;
    system.bit_blt = [](HDC, int, int, int, int, HDC, int, int, DWORD) -> BOOL { return FALSE; };
    system.open_input_desktop = [&](DWORD, BOOL, ACCESS_MASK) -> HDESK {
        SetLastError(error);
        return nullptr;
    };
    win32::Win32Desktop desktop(system);
    const auto problem = [&] {
        return problem_of(*desktop.open_capturer({}), errc::capture_unavailable);
    };
    error = ERROR_ACCESS_DENIED;
    CHECK_THAT(problem(), ContainsSubstring("the lock screen") && ContainsSubstring("wait"));
    error = ERROR_INVALID_FUNCTION; // a disconnected session
    CHECK_THAT(problem(),
               !ContainsSubstring("the lock screen") && ContainsSubstring("disconnected"));
    system.open_input_desktop = ::OpenInputDesktop; // an ordinary desktop is not secure
    win32::Win32Desktop ordinary(system);
    const int open_before = win32::open_handles;
    CHECK_THAT(problem_of(*ordinary.open_capturer({}), errc::capture_unavailable),
               ContainsSubstring("disconnected"));
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("an area too large for memory is refused before anything is read") {
    constexpr int max = std::numeric_limits<int>::max();
    const auto desktop = open_desktop();
    const auto capturer = desktop->open_capturer({});
    Frame frame;
    CHECK_THROWS_AS(capturer->capture({0, 0, max, max}, frame), std::invalid_argument);
    CHECK_THROWS_AS(capturer->capture({-max, -max, max, max}, frame), std::invalid_argument);
}

TEST_CASE("a desktop too large for a bitmap is a permanent error") {
    FakeScreen screen;
    screen.desktop = {0, 0, 40'000, 40'000}; // 6.4 GB
    win32::Win32Desktop desktop(screen.system());
    Frame frame;
    try {
        desktop.open_capturer({})->capture(screen.desktop, frame);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::capture_failed);
        CHECK_FALSE(temporary(error.code()));
    }
    CHECK(screen.copies.empty());
}

TEST_CASE("an area at the far end of all coordinates is black") {
    const auto desktop = open_desktop();
    Frame frame;
    desktop->open_capturer({})->capture({std::numeric_limits<int>::max() - 5, 0, 100, 2}, frame);
    CHECK(same_rgb(frame.pixels.at(99, 1), {}));
}

TEST_CASE("left of and above the primary display the screen is read at negative coordinates") {
    FakeScreen screen;
    screen.desktop = {-1280, -300, 3200, 1380};
    win32::Win32Desktop desktop(screen.system());
    Frame frame;
    desktop.open_capturer({.pointer = false})->capture({-1300, -310, 60, 30}, frame);
    CHECK(screen.copies == std::vector<Rect>{{-1280, -300, 40, 20}});
    CHECK(frame.origin == Point{-1300, -310});
    CHECK(same_rgb(frame.pixels.at(19, 29), {})); // beyond the edge
    CHECK(same_rgb(frame.pixels.at(59, 9), {}));
    CHECK(frame.pixels.at(20, 10).red == FakeScreen::red_of_row(-300));
    CHECK(frame.pixels.at(59, 29).red == FakeScreen::red_of_row(-281));
}

TEST_CASE("displays that appear and disappear between captures are detected") {
    FakeScreen screen;
    screen.desktop = {0, 0, 100, 100};
    win32::Win32Desktop desktop(screen.system());
    const auto capturer = desktop.open_capturer({.pointer = false});
    Frame frame;
    const Rect area{50, 0, 100, 10};
    capturer->capture(area, frame);
    CHECK(same_rgb(frame.pixels.at(60, 5), {}));
    screen.desktop.width = 200; // another display to the right
    capturer->capture(area, frame);
    CHECK(frame.pixels.at(60, 5).red == FakeScreen::red_of_row(5));
    screen.desktop = {}; // all unplugged
    CHECK(problem_of(*capturer, errc::no_display) == "this session has no display");
    screen.desktop = {0, 0, 100, 100};
    capturer->capture(area, frame);
    CHECK(same_rgb(frame.pixels.at(60, 5), {}));
    CHECK(screen.copies == std::vector<Rect>{{50, 0, 50, 10}, area, {50, 0, 50, 10}});
}

TEST_CASE(
    "the screen is copied at once on Windows and in pieces under Wine, with the same result") {
    const Rect area{0, 0, 1920, 300};
    FakeScreen screen;
    screen.desktop = area;
    auto system = screen.system();
    system.runs_under_wine = [] { return false; };
    win32::Win32Desktop windows(system);
    Frame at_once;
    windows.open_capturer({.pointer = false})->capture(area, at_once);
    CHECK(screen.copies == std::vector<Rect>{area});

    screen.copies.clear();
    system.runs_under_wine = [] { return true; };
    win32::Win32Desktop wine(system);
    Frame in_pieces;
    wine.open_capturer({.pointer = false})->capture(area, in_pieces);
    CHECK(screen.copies.size() > 1);
    CHECK(same_pixels(in_pieces.pixels.view(), at_once.pixels.view()));
    for (int y = 0; y < area.height; ++y)
        REQUIRE(at_once.pixels.at(1919, y).red == FakeScreen::red_of_row(y));
}

TEST_CASE("without displays there is nothing to capture") {
    win32::SystemCalls system;
    system.monitors = [] { return std::vector<HMONITOR>(); };
    win32::Win32Desktop desktop(system);
    CHECK(desktop.displays().empty());
    CHECK(problem_of(*desktop.open_capturer({}), errc::no_display) ==
          "this session has no display");
}

TEST_CASE("a hidden or suppressed pointer is not captured") {
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

TEST_CASE("a new cursor with the handle of an old one is drawn with its own shape") {
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

TEST_CASE("a monochrome cursor paints, keeps and inverts pixels") {
    // 32x32, one bit per pixel: the first row has black, white, kept and inverted pixels; all
    // others are kept.
    std::array<BYTE, 128> keep{};
    std::array<BYTE, 128> flip{};
    keep.fill(0xFF);
    keep[0] = 0x3F;
    flip[0] = 0x50;
    const HCURSOR cursor = CreateCursor(nullptr, 3, 5, 32, 32, keep.data(), flip.data());
    REQUIRE(cursor != nullptr);
    const PointerShape shape = pointer_of(with_cursor(cursor));
    DestroyCursor(cursor);
    REQUIRE(shape.pixels.size() == Size{32, 32});
    CHECK(shape.hotspot == Point{3, 5});
    CHECK(shape.pixels.at(0, 0) == Color{0, 0, 0, 255});
    CHECK(shape.pixels.at(1, 0) == Color{255, 255, 255, 255});
    CHECK(shape.pixels.at(2, 0).alpha == 0);
    REQUIRE(shape.invert.size() == std::size_t{32} * 32);
    CHECK(shape.invert[2] == 0);
    CHECK(shape.invert[3] != 0);
    CHECK(shape.pixels.at(31, 31).alpha == 0);
}

TEST_CASE("a color cursor without alpha is opaque where its mask is clear") {
    std::array<BYTE, 128> mask{};
    mask.fill(0xFF);
    mask[0] = 0x7F;                          // the first pixel paints
    std::vector<std::uint32_t> colors(1024); // no pixel has alpha
    colors[0] = 0x00C80A14;                  // red 200, green 10, blue 20
    const win32::Bitmap mask_bitmap(CreateBitmap(32, 32, 1, 1, mask.data()));
    const win32::Bitmap color_bitmap(CreateBitmap(32, 32, 1, 32, colors.data()));
    ICONINFO info{FALSE, 1, 2, mask_bitmap.get(), color_bitmap.get()};
    const HCURSOR cursor = CreateIconIndirect(&info);
    REQUIRE(cursor != nullptr);
    const PointerShape shape = pointer_of(with_cursor(cursor));
    DestroyCursor(cursor);
    CHECK(shape.hotspot == Point{1, 2});
    CHECK(shape.pixels.at(0, 0) == Color{20, 10, 200, 255});
    CHECK(shape.pixels.at(1, 0).alpha == 0);
    CHECK(shape.invert.empty());
}

TEST_CASE("on a display with another DPI the pointer has the size at which it is drawn") {
    const PointerShape nominal = pointer_of(with_cursor(LoadCursorW(nullptr, IDC_CROSS)));
    for (const int dpi : {96, 120, 144, 192}) {
        auto system = with_cursor(LoadCursorW(nullptr, IDC_CROSS));
        system.monitor_from_point = [](POINT at, DWORD) {
            CHECK(at.x == 20);
            return MonitorFromPoint(at, MONITOR_DEFAULTTOPRIMARY);
        };
        system.dpi_of_monitor = [dpi](HMONITOR) { return dpi; };
        system.get_system_metrics = [](int index) {
            return index == SM_CXCURSOR ? 32 : GetSystemMetrics(index);
        };
        system.get_system_metrics_for_dpi = [](int index, UINT of) {
            CHECK(index == SM_CXCURSOR);
            return static_cast<int>(of) / 3; // 32 at 96 DPI
        };
        const PointerShape shape = pointer_of(system);
        CHECK(shape.pixels.width() == nominal.pixels.width() * dpi / 96);
        CHECK(shape.pixels.height() == nominal.pixels.height() * dpi / 96);
        CHECK(shape.hotspot.x == (nominal.hotspot.x * dpi + 48) / 96);
        CHECK(shape.position == Point{20, 20});
    }
}

TEST_CASE("a pointer on no display at all keeps its size") {
    auto system = with_cursor(LoadCursorW(nullptr, IDC_CROSS));
    const Size nominal = pointer_of(system).pixels.size();
    system.monitor_from_point = [](POINT, DWORD) -> HMONITOR { return nullptr; };
    system.get_system_metrics_for_dpi = [](int, UINT) { return 777; };
    CHECK(pointer_of(system).pixels.size() == nominal);
}

TEST_CASE("a capture uses physical pixels and restores the DPI awareness of its thread") {
    const auto chosen = SetThreadDpiAwarenessContext(DPI_AWARENESS_CONTEXT_UNAWARE);
    const auto before = GetThreadDpiAwarenessContext();
    win32::SystemCalls system;
    DPI_AWARENESS during = DPI_AWARENESS_INVALID;
    system.bit_blt = [&](HDC, int, int, int, int, HDC, int, int, DWORD) -> BOOL {
        during = GetAwarenessFromDpiAwarenessContext(GetThreadDpiAwarenessContext());
        return FALSE;
    };
    win32::Win32Desktop desktop(system);
    (void)problem_of(*desktop.open_capturer({}), errc::capture_unavailable);
    const bool restored = AreDpiAwarenessContextsEqual(GetThreadDpiAwarenessContext(), before) != 0;
    SetThreadDpiAwarenessContext(chosen);
    CHECK(during == DPI_AWARENESS_PER_MONITOR_AWARE);
    CHECK(restored);
}
