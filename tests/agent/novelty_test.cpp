#include "run/novelty.hpp"

#include "catch.hpp"

using namespace eyehand;

namespace {

constexpr winio::Color gray{200, 200, 200};
constexpr winio::Color blue{200, 80, 0};

/// A screen with a window at the left, in which the agent acts.
struct Screen {
    winio::Frame previous;
    winio::Frame now;
    agent::Novelty novelty;
    std::vector<winio::Rect> ambient;
    int number = 0;

    Screen() {
        now.pixels.resize({640, 480});
        now.pixels.fill({0, 0, 640, 480}, gray);
        (void)look();
    }
    [[nodiscard]] bool look() {
        // As with a pointer that is drawn at another place each time.
        const bool still =
            novelty.is_still(previous, now, ambient, "hash " + std::to_string(number++));
        previous = now;
        return still;
    }
    void act(winio::Point at) {
        winio::WindowInfo window;
        window.bounds = {0, 0, 400, 480};
        novelty.acted({at}, std::vector{window});
    }
    void paint(const winio::Rect& where, winio::Color color = blue) {
        now.pixels.fill(where, color);
    }
};

} // namespace

TEST_CASE("novelty: the same frame shows nothing new, wherever the pointer is") {
    Screen screen;
    CHECK(screen.look());
    screen.act({100, 100});
    screen.now.pointer = winio::PointerShape{{100, 100}, {0, 0}, winio::Image({8, 8}), {}};
    CHECK(screen.look());
}

TEST_CASE("novelty: a change is new, and the screen that returns is not") {
    Screen screen;
    screen.act({100, 100});
    screen.paint({90, 90, 20, 20});
    CHECK_FALSE(screen.look());
    screen.act({100, 100});
    screen.paint({90, 90, 20, 20}, gray);
    CHECK(screen.look());
}

TEST_CASE("novelty: a menu that closes returns to an earlier screen, a caret does not") {
    Screen screen;
    (void)screen.look();
    CHECK_FALSE(screen.novelty.has_returned());
    const winio::Rect menu{96, 96, 200, 128};
    screen.paint(menu);
    (void)screen.look();
    CHECK_FALSE(screen.novelty.has_returned());
    screen.paint(menu, gray);
    CHECK(screen.look());
    CHECK(screen.novelty.has_returned());
    CHECK(screen.look());
    CHECK_FALSE(screen.novelty.has_returned());

    const winio::Rect caret{100, 100, 2, 16};
    screen.ambient = {{96, 96, 32, 32}};
    for (const winio::Color& color : {blue, gray, blue, gray}) {
        screen.act({100, 100});
        screen.paint(caret, color);
        (void)screen.look();
        CHECK_FALSE(screen.novelty.has_returned());
    }
}

TEST_CASE("novelty: a control that is clicked repeatedly does not toggle by itself") {
    Screen screen;
    for (std::uint8_t number = 1; number <= 3; ++number) {
        screen.act({100, 100});
        screen.paint({90, 90, 20, 20}); // back and forth
        (void)screen.look();
        screen.paint({90, 90, 20, 20}, gray);
        (void)screen.look();
        screen.act({100, 100});
        screen.paint({90, 90, 20, 20}, {number, 0, 0}); // and then something new
        CHECK_FALSE(screen.look());
        screen.paint({90, 90, 20, 20}, gray);
        (void)screen.look();
    }
}

TEST_CASE("novelty: a caret shows nothing new, even at the target") {
    Screen screen;
    screen.act({100, 100});
    screen.paint({100, 90, 2, 20}, {0, 0, 0});
    CHECK(screen.look());
}

TEST_CASE("novelty: a clock outside the window shows nothing new, in the window it does") {
    Screen screen;
    screen.act({100, 100});
    screen.paint({560, 440, 40, 12});
    CHECK(screen.look());
    screen.act({100, 100});
    screen.paint({300, 300, 40, 12});
    CHECK_FALSE(screen.look());
    SECTION("a large change outside the window") {
        screen.act({100, 100});
        screen.paint({420, 100, 100, 100});
        CHECK_FALSE(screen.look());
    }
    SECTION("without an action") {
        screen.paint({560, 440, 40, 12}, gray);
        CHECK_FALSE(screen.look());
    }
    SECTION("with an action whose window is unknown") {
        screen.act({100, 100});
        screen.novelty.acted({{100, 100}}, std::nullopt);
        screen.paint({560, 440, 40, 12}, gray);
        CHECK_FALSE(screen.look());
    }
}

TEST_CASE("novelty: what changes by itself shows nothing new, except at the target") {
    Screen screen;
    screen.ambient = {{296, 296, 64, 32}};
    screen.paint({300, 300, 40, 12});
    CHECK(screen.look());
    screen.act({310, 305});
    screen.paint({300, 300, 40, 12}, {0, 0, 9});
    CHECK_FALSE(screen.look());
}
