// The watch of a screen and the check of a target, with a virtual clock.
#include "eyehand/winio/screen_watch.hpp"

#include "eyehand/winio/gesture.hpp"

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace {

using namespace eyehand::winio;
using namespace std::chrono_literals;
using Time = ScreenWatch::Time;

constexpr Color gray{200, 200, 200};
constexpr Color blue{200, 80, 0};
constexpr Size screen_size{640, 480};

WindowInfo window(int id, const Rect& bounds, bool foreground = false, std::uint32_t process = 1) {
    WindowInfo info;
    info.id = WindowId{static_cast<std::uintptr_t>(id)};
    info.bounds = bounds;
    info.foreground = foreground;
    info.process_id = process;
    return info;
}

ScreenState screen() {
    ScreenState state;
    state.frame.pixels.resize(screen_size);
    state.frame.pixels.fill({0, 0, screen_size.width, screen_size.height}, gray);
    state.windows = std::vector{window(1, {0, 0, 400, 480}, true, 10),
                                window(2, {400, 0, 240, 480}, false, 20)};
    return state;
}

/// A watch with a virtual clock.
struct Watching {
    ScreenState now = screen();
    ScreenWatch watch;
    Time time{};

    Watching() { watch.start(now, time); }
    const std::vector<Rect>& after(std::chrono::milliseconds passed) {
        time += passed;
        watch.note(now, time);
        return watch.changed();
    }
    void paint(const Rect& where, Color color = blue) { now.frame.pixels.fill(where, color); }
};

Plan click(int x, int y) { return gesture::click({x, y}); }
Plan type() { return gesture::type("a"); }

std::optional<StaleReason> reason(const ScreenState& seen, const ScreenState& now, const Plan& plan,
                                  const TargetCheck& how = {}) {
    const auto stale = check_target(seen, now, plan, how);
    return stale ? std::optional(stale->reason) : std::nullopt;
}

} // namespace

TEST_CASE("watch: a change counts once it has been quiet for 300 ms") {
    Watching it;
    CHECK(it.after(100ms).empty());
    it.paint({100, 100, 200, 40});
    CHECK(it.after(100ms).empty());
    CHECK(it.after(200ms).empty());
    REQUIRE(it.after(100ms).size() == 1);
    CHECK(it.watch.changed()[0] == Rect{96, 96, 208, 48});
}

TEST_CASE("watch: the screen that returns to its look has not changed") {
    Watching it;
    it.paint({100, 100, 200, 40});
    it.after(100ms);
    it.paint({100, 100, 200, 40}, gray);
    for (int i = 0; i < 10; ++i) CHECK(it.after(100ms).empty());
}

TEST_CASE("watch: a screen that never becomes quiet does not count as changed") {
    Watching it;
    for (int i = 0; i < 3; ++i) {
        it.paint({100, 100, 200 + 10 * i, 40}, i % 2 == 0 ? blue : gray);
        CHECK(it.after(200ms).empty()); // 400 ms since the first change
    }
}

TEST_CASE("watch: a caret and less than four cells do not count") {
    Watching it;
    it.paint({100, 100, 2, 20});
    it.paint({304, 304, 16, 8}); // two cells
    for (int i = 0; i < 6; ++i) CHECK(it.after(100ms).empty());
}

TEST_CASE("watch: the first change is known, also while the screen is not quiet") {
    Watching it;
    it.after(100ms);
    CHECK_FALSE(it.watch.first_change());
    it.paint({100, 100, 200, 40});
    it.after(100ms);
    it.paint({100, 200, 200, 40});
    it.after(100ms);
    CHECK(it.watch.first_change() == it.time - 100ms);
    it.watch.start(it.now, it.time);
    CHECK_FALSE(it.watch.first_change());
}

TEST_CASE("watch: carets are wider at a higher DPI") {
    const int dpi = GENERATE(96, 192);
    Watching it;
    it.watch.start(it.now, it.time, dpi);
    it.paint({100, 100, 5, 40});
    for (int i = 0; i < 6; ++i) it.after(100ms);
    CHECK(it.watch.changed().empty() == (dpi == 192));
}

TEST_CASE("watch: a clock changes by itself after four changes, until it stops") {
    Watching it;
    const Rect clock{560, 440, 60, 16};
    int changes = 0;
    const auto tick = [&] {
        it.paint(clock,
                 ++changes % 2 == 0 ? gray : Color{static_cast<std::uint8_t>(changes), 0, 0});
        bool seen = false;
        for (int i = 0; i < 10; ++i) seen = !it.after(100ms).empty() || seen;
        return seen;
    };
    CHECK(tick());
    for (int i = 0; i < 2; ++i) tick();
    CHECK(it.watch.ambient().empty());
    for (int i = 0; i < 5; ++i) CHECK_FALSE(tick());
    REQUIRE_FALSE(it.watch.ambient().empty());
    CHECK(std::ranges::any_of(it.watch.ambient(), [](const Rect& rect) {
        return rect.contains({561, 441});
    }));

    SECTION("a change elsewhere counts") {
        it.paint({100, 100, 200, 40});
        it.after(100ms);
        CHECK(it.after(300ms) == std::vector{Rect{96, 96, 208, 48}});
    }
    SECTION("the next watch knows it") {
        it.watch.start(it.now, it.time);
        for (int i = 0; i < 3; ++i) CHECK_FALSE(tick());
    }
    SECTION("a clock that stops has changed") {
        it.watch.start(it.now, it.time);
        tick();
        bool seen = false;
        for (int i = 0; i < 40; ++i) seen = !it.after(100ms).empty() || seen;
        CHECK(seen);
    }
    SECTION("after 30 seconds without it, it is forgotten") {
        it.time += 31s;
        it.watch.start(it.now, it.time);
        CHECK(tick());
    }
}

TEST_CASE("watch: the same difference in several watches does not change by itself") {
    Watching it;
    const ScreenState seen = it.now;
    it.paint({100, 100, 200, 40});
    for (int i = 0; i < 5; ++i) {
        it.watch.start(seen, it.time);
        it.after(100ms);
        CHECK(it.watch.differing() == std::vector{Rect{96, 96, 208, 48}});
    }
    CHECK(it.watch.ambient().empty());
}

TEST_CASE("watch: windows that cannot be listed once do not hide a new one") {
    Watching it;
    auto windows = *it.now.windows;
    it.now.windows.reset();
    it.after(100ms);
    windows.insert(windows.begin(), window(3, {100, 100, 50, 50}));
    it.now.windows = windows;
    it.after(100ms);
    CHECK_FALSE(it.after(300ms).empty());
}

TEST_CASE("watch: a program that shows a splash screen and then its content has changed") {
    Watching it;
    it.paint({50, 50, 300, 300});
    it.after(100ms);
    it.paint({50, 50, 300, 300}, {0, 0, 200});
    it.after(1000ms);
    CHECK(it.watch.ambient().empty());
    CHECK_FALSE(it.after(400ms).empty());
}

TEST_CASE("watch: a new window counts without pixels, its title does not") {
    Watching it;
    it.now.windows->front().title = "00:01";
    CHECK(it.after(400ms).empty());
    it.now.windows->insert(it.now.windows->begin(), window(3, {100, 100, 50, 50}));
    it.after(100ms);
    CHECK(it.after(300ms) == std::vector{Rect{100, 100, 50, 50}});
}

TEST_CASE("watch: another area counts as changed") {
    Watching it;
    it.now.frame.pixels.resize({800, 600});
    it.after(100ms);
    CHECK(it.after(300ms) == std::vector{Rect{0, 0, 800, 600}});
}

TEST_CASE("watch: looks take at most three percent of the time") {
    CHECK(watch_interval(0us) == 100ms);
    CHECK(watch_interval(3ms) == 100ms);
    CHECK(watch_interval(30ms) == 1000ms);
}

TEST_CASE("watch: random changes are never lost, and a screen as at the start never counts") {
    constexpr std::array places{Rect{40, 40, 64, 32}, Rect{200, 40, 120, 24}, Rect{40, 200, 32, 32},
                                Rect{420, 300, 160, 80}};
    std::mt19937 random(20261124); // NOLINT(cert-msc51-cpp): the same each time
    for (int round = 0; round < 200; ++round) {
        INFO(round);
        Watching it;
        std::array<bool, places.size()> painted{};
        int changes = 0;
        auto quiet_since = it.time;
        for (int step = 0; step < 30; ++step) {
            if (random() % 4 == 0 && changes < 3) { // fewer than a region that changes by itself
                const std::size_t place = random() % places.size();
                painted[place] = !painted[place];
                it.paint(places[place], painted[place] ? blue : gray);
                ++changes;
                quiet_since = it.time + 100ms;
            }
            const bool seen = !it.after(100ms).empty();
            const bool differs = std::ranges::any_of(painted, [](bool is) { return is; });
            CHECK(seen == (differs && it.time - quiet_since >= 300ms));
        }
    }
}

TEST_CASE("target: an unchanged screen is not stale") {
    const ScreenState seen = screen();
    CHECK_FALSE(reason(seen, seen, click(100, 100)));
    CHECK_FALSE(reason(seen, seen, click(0, 0)));
    CHECK_FALSE(reason(seen, seen, click(639, 479)));
    CHECK_FALSE(reason(seen, seen, type()));
}

TEST_CASE("target: the surroundings of a click must look the same") {
    const ScreenState seen = screen();
    ScreenState now = seen;
    SECTION("another control at the target") {
        now.frame.pixels.fill({96, 96, 10, 10}, blue);
        CHECK(reason(seen, now, click(100, 100)) == StaleReason::appearance);
        CHECK_FALSE(reason(seen, now, click(100, 100), {.complete = false}));
        CHECK_FALSE(reason(seen, now, click(100, 100), {.ignored = {{90, 90, 30, 30}}}));
    }
    SECTION("a change far away") {
        now.frame.pixels.fill({200, 100, 100, 100}, blue);
        CHECK_FALSE(reason(seen, now, click(100, 100)));
    }
    SECTION("a change beside the target") {
        now.frame.pixels.fill({64, 76, 10, 60}, blue);
        CHECK(reason(seen, now, click(100, 100)) == StaleReason::appearance);
        // A tooltip of the control below the pointer.
        CHECK_FALSE(reason(seen, now, click(100, 100), {.pointer = Point{100, 100}}));
    }
    SECTION("a caret") {
        now.frame.pixels.fill({100, 90, 2, 20}, {0, 0, 0});
        CHECK_FALSE(reason(seen, now, click(100, 100)));
    }
    SECTION("a subtle shading") {
        now.frame.pixels.fill({64, 64, 80, 80}, {190, 190, 190});
        CHECK_FALSE(reason(seen, now, click(100, 100)));
    }
    SECTION("a change of the window behind the edge of the target's window") {
        now.frame.pixels.fill({400, 0, 240, 480}, blue);
        CHECK_FALSE(reason(seen, now, click(396, 100)));
    }
    SECTION("both ends of a drag") {
        now.frame.pixels.fill({290, 290, 20, 20}, blue);
        CHECK(reason(seen, now, gesture::drag({100, 100}, {300, 300})) == StaleReason::appearance);
        CHECK_FALSE(reason(seen, now, gesture::drag({100, 100}, {200, 200})));
    }
    SECTION("the wheel only needs the window") {
        now.frame.pixels.fill({0, 0, 400, 480}, blue);
        CHECK_FALSE(reason(seen, now, gesture::scroll({100, 100}, -3)));
    }
    SECTION("a pointer move is never stale") {
        now.frame.pixels.fill({0, 0, 400, 480}, blue);
        CHECK_FALSE(reason(seen, now, gesture::move({100, 100})));
    }
}

TEST_CASE("target: another window at the target is stale") {
    const ScreenState seen = screen();
    ScreenState now = seen;
    now.windows->insert(now.windows->begin(), window(3, {50, 50, 100, 100}));
    CHECK(reason(seen, now, click(100, 100)) == StaleReason::window);
    CHECK(reason(seen, now, gesture::scroll({100, 100}, 1)) == StaleReason::window);
    CHECK_FALSE(reason(seen, now, click(200, 200)));
    now.windows->front().state = WindowState::minimized;
    CHECK_FALSE(reason(seen, now, click(100, 100)));
}

TEST_CASE("target: keys need the same window with the keyboard focus") {
    const ScreenState seen = screen();
    ScreenState now = seen;
    SECTION("titles and pixels may change") {
        now.windows->front().title = "edited";
        now.frame.pixels.fill({0, 0, 640, 480}, blue);
        CHECK_FALSE(reason(seen, now, type()));
    }
    SECTION("another foreground window") {
        now.windows->front().foreground = false;
        now.windows->back().foreground = true;
        CHECK(reason(seen, now, type()) == StaleReason::foreground);
        CHECK(reason(seen, now, gesture::press(*parse_chord("ctrl+c"))) == StaleReason::foreground);
        CHECK_FALSE(reason(seen, now, gesture::move({1, 1})));
    }
    SECTION("the program has opened another window") {
        now.windows->insert(now.windows->begin(), window(3, {50, 50, 100, 100}, false, 10));
        CHECK_FALSE(reason(seen, now, type())); // a tooltip has no title
        now.windows->front().title = "Save changes?";
        CHECK(reason(seen, now, type()) == StaleReason::foreground);
        CHECK_FALSE(reason(seen, now, type(), {.complete = false}));
        now.windows->front().process_id = 30;
        CHECK_FALSE(reason(seen, now, type()));
    }
    SECTION("windows that cannot be listed") {
        now.windows.reset();
        CHECK_FALSE(reason(seen, now, type()));
    }
}

TEST_CASE("target: window commands need the window") {
    const ScreenState seen = screen();
    ScreenState now = seen;
    const Plan close{{{WindowCommand{WindowId{2}, WindowAction::close, {}}}}, {}};
    CHECK_FALSE(reason(seen, now, close));
    now.windows->pop_back();
    CHECK(reason(seen, now, close) == StaleReason::window);
}
