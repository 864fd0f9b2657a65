#include "motion.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <functional>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

constexpr Size screen_size{1920, 1080};
constexpr Rect caret{96, 48, 2, 16};
constexpr Rect around_caret{96, 48, 8, 16};
constexpr Rect spinner{400, 400, 48, 48};
constexpr Rect button_area{200, 200, 40, 16};

Color shade(int n) {
    return {.blue = static_cast<std::uint8_t>(n), .green = static_cast<std::uint8_t>(n >> 8U)};
}

// A screen that is captured at equal intervals of a simulated clock.
class Watch {
public:
    explicit Watch(Size size = screen_size) : before_(size), now_(size) { motion.start(size); }

    // `paint` receives the screen and the number of the capture.
    void look(int times, std::chrono::milliseconds interval,
              const std::function<void(Image&, int)>& paint) {
        for (int i = 0; i < times; ++i) {
            time_ += interval;
            paint(now_, i);
            motion.note(before_, now_, time_);
            before_ = now_;
        }
    }
    void again() { motion.start(now_.size()); }
    // The time since the last change that counts.
    std::chrono::milliseconds quiet() const {
        const auto latest = motion.latest_change(Toggling::is_ignored);
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            time_ - latest.value_or(Motion::Time{}));
    }

    Motion motion;

private:
    Image before_;
    Image now_;
    Motion::Time time_{1h};
};

void still(Image&, int) {}
void blink(Image& screen, int n) { screen.fill(caret, shade(n % 2 == 0 ? 200 : 0)); }
void spin(Image& screen, int n) { screen.fill(spinner, shade(n + 1)); } // never the same look twice

} // namespace

TEST_CASE("a still screen has no latest change") {
    Watch watch;
    watch.look(5, 25ms, still);
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.changed(Toggling::is_ignored).empty());
    CHECK(watch.motion.toggling().empty());
}

TEST_CASE("changes are reported as cells clipped to the image, merged to rectangles") {
    Watch watch({99, 50});
    watch.look(1, 25ms, [](Image& screen, int) {
        screen.fill({9, 9, 20, 12}, shade(1));
        screen.fill({97, 47, 2, 3}, shade(1));
    });
    CHECK(watch.motion.changed(Toggling::is_ignored) ==
          std::vector<Rect>{{8, 8, 24, 16}, {96, 40, 3, 10}});
}

TEST_CASE("rectangles of changes do not overlap and contain every changed cell") {
    Watch watch({64, 64});
    watch.look(1, 25ms, [](Image& screen, int) { // an L and a hole
        screen.fill({0, 0, 8, 64}, shade(1));
        screen.fill({0, 40, 64, 24}, shade(1));
        screen.fill({24, 48, 8, 8}, shade(0));
    });
    int pixels = 0;
    const auto rects = watch.motion.changed(Toggling::counts);
    for (const Rect& rect : rects) {
        pixels += rect.width * rect.height;
        for (const Rect& other : rects)
            CHECK((&rect == &other || intersection(rect, other).empty()));
    }
    CHECK(pixels == 8 * 64 + 64 * 24 - 8 * 24 - 8 * 8);
}

TEST_CASE("a change only in alpha does not count as a change") {
    Watch watch({64, 64});
    watch.look(1, 25ms, [](Image& screen, int) { screen.fill({0, 0, 64, 64}, {.alpha = 7}); });
    CHECK_FALSE(watch.motion.latest_change(Toggling::counts));
}

TEST_CASE("a cell with its first look has not changed, regardless of changes in between") {
    Watch watch;
    watch.look(2, 25ms, [](Image& screen, int n) { screen.fill(spinner, shade(1 - n)); });
    CHECK(watch.motion.changed(Toggling::counts).empty());
    CHECK(watch.motion.latest_change(Toggling::counts));
}

TEST_CASE("a blinking caret is ignored once it continues after two returns") {
    Watch watch;
    watch.look(6, 100ms, blink); // the third change is the proof, and the maximum pause is three
                                 // gaps
    CHECK(watch.quiet() == 0ms);
    CHECK(watch.motion.toggling().empty());
    CHECK(watch.motion.changed(Toggling::is_ignored).empty()); // it currently has its first look
    watch.look(2, 100ms, blink);
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.latest_change(Toggling::counts));
    CHECK(watch.motion.toggling() == std::vector{around_caret});
    CHECK(watch.motion.changed(Toggling::is_ignored).empty());
}

TEST_CASE("a proof needs time: a cell that returned twice and stops has changed") {
    Watch watch;
    watch.look(3, 50ms, blink); // shown, hidden, shown
    for (int n = 0; n < 6; ++n) {
        CHECK(watch.quiet() == n * 25ms);
        CHECK(watch.motion.toggling().empty());
        CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{around_caret});
        watch.look(1, 25ms, still);
    }
}

TEST_CASE("a button that is hovered, pressed and released has changed") {
    for (const int clicks : {1, 2}) {
        Watch watch;
        watch.look(1, 25ms, still);
        watch.look(1, 40ms, [](Image& screen, int) { screen.fill(button_area, shade(10)); });
        watch.look(2 * clicks, 40ms, [](Image& screen, int n) {
            screen.fill(button_area, shade(n % 2 == 0 ? 20 : 10));
        });
        for (int n = 0; n < 8; ++n) {
            CHECK(watch.quiet() == n * 25ms);
            CHECK(watch.motion.toggling().empty());
            CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{button_area});
            watch.look(1, 25ms, still);
        }
    }
}

TEST_CASE("a button that fades to another look has changed") {
    Watch watch;
    watch.look(24, 25ms, [](Image& screen, int n) { screen.fill(button_area, shade(n + 1)); });
    for (int n = 0; n < 6; ++n) {
        CHECK(watch.quiet() == n * 25ms);
        CHECK(watch.motion.toggling().empty());
        CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{button_area});
        watch.look(1, 25ms, still);
    }
}

TEST_CASE("a cell that returned once and then keeps a new look has changed") {
    Watch watch;
    watch.look(2, 25ms, blink);
    watch.look(1, 25ms, [](Image& screen, int) { screen.fill(caret, shade(9)); });
    for (int n = 0; n < 6; ++n) {
        CHECK(watch.quiet() == n * 25ms);
        CHECK(watch.motion.toggling().empty());
        CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{around_caret});
        watch.look(1, 25ms, still);
    }
}

TEST_CASE("a new look of a cell that blinked for long is a change, and so are later looks") {
    Watch watch;
    watch.look(40, 25ms, blink);
    REQUIRE(watch.motion.toggling() == std::vector{around_caret});
    watch.look(2, 25ms, [](Image& screen, int n) { screen.fill(caret, shade(8 + n)); });
    for (int n = 0; n < 6; ++n) {
        CHECK(watch.quiet() == n * 25ms);
        CHECK(watch.motion.toggling().empty());
        CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{around_caret});
        watch.look(1, 25ms, still);
    }
}

TEST_CASE("a caret between two blinks still toggles, a caret that stopped is a change") {
    Watch watch;
    watch.look(5, 100ms, blink);
    watch.look(1, 290ms, still);
    CHECK(watch.motion.toggling() == std::vector{around_caret});
    watch.look(1, 290ms, still);
    CHECK(watch.motion.toggling().empty());
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{around_caret});
    CHECK(watch.quiet() == 580ms);
}

TEST_CASE("a spinner that never looks the same is recognized by its many changes") {
    Watch watch;
    watch.look(29, 25ms, spin);
    CHECK(watch.quiet() == 0ms);
    watch.look(6, 25ms, [](Image& screen, int n) { spin(screen, 100 + n); });
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.toggling() == std::vector{spinner});
}

TEST_CASE("a spinner of a few images is recognized by its returns to them") {
    Watch watch;
    watch.look(20, 50ms, [](Image& screen, int n) { screen.fill(spinner, shade((n + 1) % 4)); });
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.toggling() == std::vector{spinner});
    CHECK(watch.motion.changed(Toggling::is_ignored).empty());
}

TEST_CASE("a clock that shows tenths of a second does not block until the timeout") {
    Watch watch;
    const auto tick = [](Image& screen, int n) {
        screen.fill({600, 600, 8, 16}, shade((n / 4 + 1) % 10)); // every fourth capture
    };
    watch.look(4 * 18, 25ms, tick);
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.toggling() == std::vector<Rect>{{600, 600, 8, 16}});
}

TEST_CASE("a spinner that uncovers its background is recognized within four turns") {
    // Eight dots on a ring, one of them lit.
    Watch watch;
    const auto turn = [](Image& screen, int n) {
        constexpr Point ring[] = {{16, 0},  {28, 4}, {32, 16}, {28, 28},
                                  {16, 32}, {4, 28}, {0, 16},  {4, 4}};
        screen.fill(spinner, shade(0));
        screen.fill({spinner.x + ring[n % 8].x, spinner.y + ring[n % 8].y, 8, 8}, shade(255));
    };
    watch.look(28, 60ms, turn);
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    for (const Rect& rect : watch.motion.toggling()) CHECK(intersection(rect, spinner) == rect);
}

TEST_CASE("a real change beside a spinner counts, and so does one around a caret") {
    Watch watch;
    watch.look(40, 25ms, [](Image& screen, int n) {
        spin(screen, n);
        blink(screen, n);
    });
    REQUIRE_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    watch.look(1, 25ms, [](Image& screen, int) {
        spin(screen, 1000);
        screen.fill({80, 40, 64, 40}, shade(77)); // a window opens over the caret
    });
    CHECK(watch.quiet() == 0ms);
    CHECK_FALSE(watch.motion.changed(Toggling::is_ignored).empty());
    for (const Rect& rect : watch.motion.changed(Toggling::is_ignored))
        CHECK(intersection(rect, spinner).empty());
}

TEST_CASE("text that streams in never counts as toggling, nor does its caret") {
    // A caret precedes the text and blinks at random; two lines of the text share a cell.
    Watch watch;
    bool ever_quiet = false;
    watch.look(1, 25ms, still);
    for (int n = 0; n < 240; ++n) {
        watch.look(1, 25ms, [&](Image& screen, int) {
            const int column = n % 120;
            const int line = n / 120;
            const Rect glyph{100 + column * 7, 100 + line * 12, 6, 10};
            screen.fill(glyph, shade(90 + n % 7));
            screen.fill({glyph.right() + 1, glyph.y, 6, 10}, shade(n % 3 == 0 ? 0 : 255));
        });
        ever_quiet = ever_quiet || watch.quiet() >= 100ms;
    }
    CHECK_FALSE(ever_quiet);
    CHECK(watch.motion.toggling().empty());
}

TEST_CASE("a bar that fills is waited for at all common speeds") {
    for (const int pixels_per_look : {1, 2, 3, 9}) {
        Watch watch;
        bool ever_quiet = false;
        watch.look(1, 35ms, still);
        for (int n = 1; n * pixels_per_look < 400; ++n) {
            watch.look(1, 35ms, [&](Image& screen, int) {
                screen.fill({200, 500, n * pixels_per_look, 20}, shade(222));
            });
            ever_quiet = ever_quiet || watch.quiet() >= 100ms;
        }
        CHECK_FALSE(ever_quiet);
        CHECK(watch.motion.toggling().empty());
    }
}

TEST_CASE("a video over half of the screen is too large to be ignored") {
    Watch watch;
    watch.look(40, 25ms, [](Image& screen, int n) {
        screen.fill({0, 0, 960, 1080}, shade(n + 1));
    });
    CHECK(watch.quiet() == 0ms);
    CHECK(watch.motion.toggling().empty());
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector<Rect>{{0, 0, 960, 1080}});
}

TEST_CASE("the limit is a hundredth of the area, at least 64x64 pixels, at most a quarter") {
    const auto is_left_out = [](Size screen, Size moving) {
        Watch watch(screen);
        watch.look(15, 25ms, [&](Image& pixels, int n) {
            pixels.fill({0, 0, moving.width, moving.height}, shade(n % 2));
        });
        return !watch.motion.toggling().empty();
    };
    CHECK(is_left_out({1600, 1600}, {160, 160}));
    CHECK_FALSE(is_left_out({1600, 1600}, {168, 160}));
    CHECK(is_left_out({320, 240}, {64, 64}));
    CHECK_FALSE(is_left_out({320, 240}, {72, 64}));
    CHECK(is_left_out({64, 64}, {32, 32}));
    CHECK_FALSE(is_left_out({64, 64}, {40, 32}));
}

TEST_CASE("a window that paints itself with flicker has changed") {
    Watch watch;
    watch.look(5, 25ms, [](Image& screen, int n) { // erased, drawn, erased, drawn, and completed
        screen.fill({304, 304, 96, 96}, n % 2 == 0 ? shade(255) : shade(0));
    });
    watch.look(1, 25ms, [](Image& screen, int) { screen.fill({304, 304, 96, 96}, shade(9)); });
    watch.look(6, 25ms, still);
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector<Rect>{{304, 304, 96, 96}});
}

TEST_CASE("a region that toggled until the end of a watch is known at the start of the next") {
    Watch watch;
    watch.look(40, 25ms, spin);
    watch.again();
    watch.look(1, 25ms, [](Image& screen, int) { spin(screen, 500); });
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    watch.look(1, 25ms, [](Image& screen, int) { spin(screen, 501); });
    CHECK(watch.motion.toggling() == std::vector{spinner});
    CHECK(watch.motion.changed(Toggling::is_ignored).empty());
}

TEST_CASE("a spinner that an image replaces in the next watch has changed") {
    Watch watch;
    watch.look(40, 25ms, spin);
    watch.again();
    watch.look(1, 25ms, [](Image& screen, int) { spin(screen, 500); });
    watch.look(1, 25ms, still);
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{spinner});
    CHECK(watch.motion.toggling().empty());
}

TEST_CASE("a region that did not change for a whole watch no longer counts as toggling") {
    Watch watch;
    watch.look(40, 25ms, spin);
    watch.again();
    watch.look(5, 25ms, still);
    watch.again();
    watch.look(1, 25ms, [](Image& screen, int) { spin(screen, 500); });
    CHECK(watch.quiet() == 0ms);
}

TEST_CASE("a change too large to toggle does not hide progress inside it in the next watch") {
    Watch watch;
    watch.look(40, 25ms, [](Image& screen, int n) {
        screen.fill({0, 0, 960, 1080}, shade(n % 2 + 1));
    });
    watch.again();
    for (int n = 0; n < 40; ++n) {
        watch.look(1, 25ms, [&](Image& screen, int) { // two steps per letter
            screen.fill({100 + n / 2 * 8, 100, n % 2 == 0 ? 4 : 8, 16}, shade(200 + n));
        });
        CHECK(watch.quiet() == 0ms);
        CHECK(watch.motion.toggling().empty());
    }
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector<Rect>{{96, 96, 168, 24}});
}

TEST_CASE("a new look of a region that blinked in the previous watch is a change") {
    Watch watch;
    watch.look(40, 25ms, blink);
    watch.again();
    watch.look(2, 25ms, [](Image& screen, int n) { screen.fill(caret, shade(50 + n)); });
    CHECK(watch.quiet() == 0ms);
    CHECK(watch.motion.toggling().empty());
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{around_caret});
}

TEST_CASE("a region that toggled before and pauses for longer than usual has changed") {
    Watch watch;
    watch.look(40, 25ms, spin);
    watch.again();
    watch.look(3, 25ms, [](Image& screen, int n) { spin(screen, 500 + n); });
    REQUIRE(watch.motion.toggling() == std::vector{spinner});
    watch.look(4, 25ms, still);
    CHECK(watch.quiet() == 100ms);
    CHECK(watch.motion.toggling().empty());
    CHECK(watch.motion.changed(Toggling::is_ignored) == std::vector{spinner});
}

TEST_CASE(
    "a dot that lights up briefly in each turn is known in the next watch by its longer gaps") {
    const auto flash = [](Image& screen, int n) { screen.fill(caret, shade(n % 8 == 0 ? 9 : 0)); };
    Watch watch;
    watch.look(40, 50ms, flash);
    REQUIRE(watch.motion.toggling() == std::vector{around_caret});
    watch.again();
    watch.look(8, 50ms, flash);
    CHECK_FALSE(watch.motion.latest_change(Toggling::is_ignored));
    CHECK(watch.motion.toggling() == std::vector{around_caret});
}

TEST_CASE("a watch of another size does not use the previous one") {
    Motion motion;
    motion.start({64, 64});
    CHECK_THROWS_AS(motion.note(Image({64, 64}), Image({64, 65}), {}), std::invalid_argument);
    Image painted({64, 64});
    painted.fill({0, 0, 64, 64}, shade(1));
    motion.note(Image({64, 64}), painted, {});
    motion.start({128, 16});
    CHECK(motion.changed(Toggling::counts).empty());
    CHECK_NOTHROW(motion.note(Image({128, 16}), Image({128, 16}), {}));
}

TEST_CASE("a few new looks, even over a long time, are not toggling") {
    Watch watch;
    watch.look(8, 400ms, spin);
    CHECK(watch.quiet() == 0ms);
    CHECK(watch.motion.toggling().empty());
}

TEST_CASE("ignored regions are forgotten in the next watch") {
    Watch watch;
    watch.motion.ignore({button_area});
    watch.look(1, 50ms, [](Image& screen, int) { screen.fill(button_area, shade(7)); });
    CHECK_FALSE(watch.motion.latest_change(Toggling::counts));
    watch.again();
    watch.look(1, 50ms, [](Image& screen, int) { screen.fill(button_area, shade(8)); });
    CHECK(watch.motion.latest_change(Toggling::counts));
    CHECK(watch.motion.changed(Toggling::counts) == std::vector{button_area});
}
