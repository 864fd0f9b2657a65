// Waits for the reactions of a real program to real clicks.
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/settle.hpp"

#include "test_window.hpp"
#include "wait_table.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;
using x11_tests::TestWindow;

namespace {

const Rect screen{0, 0, 1920, 1080};

/// Clicks into the window, and waits with `wait(capturer, before)`.
template <typename Wait>
auto click(Desktop& desktop, const TestWindow& window, const Wait& wait) {
    InputExecutor executor(desktop, WorkArea(screen));
    const auto capturer = desktop.open_capturer({});
    (void)executor.execute(gesture::move(window.center()));
    (void)wait_until_stable(*capturer, screen);
    const Plan plan = gesture::click(window.center());
    BeforeAction before;
    prepare_reaction(desktop, *capturer, screen, plan, before);
    REQUIRE(executor.execute(plan).complete());
    before.acted = std::chrono::steady_clock::now();
    return wait(*capturer, before);
}

Reacted click(Desktop& desktop, const TestWindow& window, const ReactionOptions& options) {
    return click(desktop, window, [&](Capturer& capturer, const BeforeAction& before) {
        return Settler().wait_for_reaction(desktop, capturer, before, options);
    });
}

bool is_dark(const Frame& frame, Point at) { return frame.pixels.at(at.x, at.y).red == 0x20; }

/// A point of the window that only its late reaction changes.
Point aside(const TestWindow& window) {
    const Point center = window.center();
    return {center.x - 150, center.y - 100};
}

// The tests do not depend on the speed of the computer: only the reaction can end the first wait, and the second has none.
constexpr ReactionOptions patient{.reaction_timeout = 60s, .feedback_timeout = 60s};

} // namespace

TEST_CASE("a screenshot after a click shows a reaction that comes late") {
    const auto desktop = open_desktop();
    for (const auto delay : {0ms, 100ms, 250ms, 800ms}) {
        INFO(delay.count());
        const TestWindow window(*desktop, "Late window", {.reaction = delay});
        const Reacted look = click(*desktop, window, patient);
        CHECK(look.end == ReactionEnd::reacted);
        CHECK(is_dark(look.frame, window.center()));
        CHECK(is_dark(look.frame, aside(window)));
        CHECK(look.reacted_after.has_value());
    }
}

TEST_CASE("a click that only changes the control ends the wait as local") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Quiet window", {.reaction = -1ms});
    const Reacted look =
        click(*desktop, window, {.reaction_timeout = 60s, .feedback_timeout = 400ms});
    CHECK(look.end == ReactionEnd::local_only);
    CHECK(is_dark(look.frame, window.center()));
    CHECK_FALSE(is_dark(look.frame, aside(window)));
}

TEST_CASE("a click without effect ends the wait without a reaction") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Dead window");
    const Reacted look = click(*desktop, window, {.reaction_timeout = 300ms});
    CHECK(look.end == ReactionEnd::no_reaction);
    CHECK(look.changed.empty());
}

// Not a test: prints the table in docs/performance.md.
TEST_CASE("how long screenshots wait for a reaction", "[.reaction-times]") {
    const auto desktop = open_desktop();
    const auto window = [&](const test::Delay& delay) {
        return TestWindow(*desktop, "Measured window", {.reaction = delay.value_or(-1ms)});
    };
    test::print_wait_table(
        {0ms, 100ms, 250ms, 400ms, 800ms, 1500ms, {}},
        [&](const test::Delay& delay) { return click(*desktop, window(delay), ReactionOptions{}); },
        [&](const test::Delay& delay) {
            return click(*desktop, window(delay), [](Capturer& capturer, const BeforeAction&) {
                return Settler().wait(capturer, screen);
            });
        });
}
