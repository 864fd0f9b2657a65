// Waits for the reactions of a real program to real clicks.
#include "eyehand/winio/reaction.hpp"

#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/settle.hpp"
#include "test_window.hpp"
#include "wait_table.hpp"

#include "catch.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

/// Clicks into the window's area, and waits with `wait(capturer, before)`.
template <typename Wait>
auto click(Desktop& desktop, const TestWindow& window, const Wait& wait) {
    const WorkArea area(rect_of(window.state().area)); // without the caret of the text field
    InputExecutor executor(desktop, area);
    const auto capturer = desktop.open_capturer({});
    const Plan plan = gesture::click(center_of(window.state().area));
    (void)executor.execute(gesture::move(plan.targets.back()));
    (void)wait_until_stable(*capturer, area.bounds());
    BeforeAction before;
    prepare_reaction(desktop, *capturer, area.bounds(), plan, before);
    REQUIRE(executor.execute(plan).complete());
    before.acted = std::chrono::steady_clock::now();
    return wait(*capturer, before);
}

Reacted click(Desktop& desktop, const TestWindow& window, const ReactionOptions& options) {
    return click(desktop, window, [&](Capturer& capturer, const BeforeAction& before) {
        return Settler().wait_for_reaction(desktop, capturer, before, options);
    });
}

bool is_black(const Frame& frame, Point at) {
    const Color color = frame.pixels.at(at.x - frame.origin.x, at.y - frame.origin.y);
    return color.red == 0 && color.green == 0 && color.blue == 0;
}

} // namespace

TEST_CASE("a screenshot after a click shows a reaction that comes late") {
    const auto desktop = open_desktop();
    for (const auto delay : {0ms, 250ms, 800ms}) {
        INFO(delay.count());
        TestWindow window(*desktop);
        window.react_after(delay);
        const Rect area = rect_of(window.state().area);
        // Only the reaction can end the wait, also on a slow computer.
        const Reacted look =
            click(*desktop, window, {.reaction_timeout = 60s, .feedback_timeout = 60s});
        CHECK(look.end == ReactionEnd::reacted);
        CHECK(is_black(look.frame, {area.x + 20, area.y + 20}));
    }
}

TEST_CASE("a click without effect ends the wait without a reaction") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop);
    const Reacted look = click(*desktop, window, {.reaction_timeout = 300ms});
    CHECK(look.end == ReactionEnd::no_reaction);
}

TEST_CASE("a window that does not respond makes the desktop busy") {
    const auto desktop = open_desktop();
    TestWindow window(*desktop);
    CHECK_FALSE(desktop->busy());
    window.hang();
    // The system waits for about five seconds.
    CHECK(eventually([&] { return desktop->busy(); }));
    window.go_on();
    CHECK(eventually([&] { return !desktop->busy(); }));
}

// Not a test: prints the table in docs/performance.md.
TEST_CASE("how long screenshots wait for a reaction", "[.reaction-times]") {
    const auto desktop = open_desktop();
    const auto measure = [&](const test::Delay& delay, const auto& how) {
        TestWindow window(*desktop);
        window.react_after(delay.value());
        return click(*desktop, window, how);
    };
    test::print_wait_table(
        {0ms, 100ms, 250ms, 400ms, 800ms},
        [&](const test::Delay& delay) { return measure(delay, ReactionOptions{}); },
        [&](const test::Delay& delay) {
            return measure(delay, [](Capturer& capturer, const BeforeAction& before) {
                const Frame& seen = before.frame;
                return Settler().wait(capturer, {seen.origin.x, seen.origin.y, seen.pixels.width(),
                                                 seen.pixels.height()});
            });
        });
}
