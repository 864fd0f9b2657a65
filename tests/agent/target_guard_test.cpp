#include "modes/free_turns.hpp"
#include "run/reply_times.hpp"
#include "run/target_guard.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace agent;
using std::chrono::milliseconds;
using winio::Expectation;
using winio::StaleReason;
using winio::StaleTarget;

namespace {

winio::Plan click_at(winio::Point at) {
    winio::Plan plan;
    plan.targets = {at};
    return plan;
}

const StaleTarget moved{StaleReason::appearance, {{0, 0, 72, 56}}};
const StaleTarget other_window{StaleReason::foreground, {{0, 0, 100, 100}}};

} // namespace

TEST_CASE("target guard: the third call at a target for the same reason is carried out") {
    TargetGuard guard;
    CHECK(guard.refuses(moved, click_at({100, 100})));
    CHECK(guard.refuses(moved, click_at({110, 90})));
    CHECK_FALSE(guard.refuses(moved, click_at({100, 100})));
}

TEST_CASE("target guard: another target, reason or window counts anew") {
    TargetGuard guard;
    CHECK(guard.refuses(other_window, {}));
    CHECK(guard.refuses(other_window, {}));
    SECTION("target") {
        CHECK(guard.refuses(moved, click_at({100, 100})));
        CHECK(guard.refuses(moved, click_at({100, 100})));
        CHECK(guard.refuses(moved, click_at({100, 140})));
    }
    SECTION("reason") { CHECK(guard.refuses({StaleReason::window, other_window.rects}, {})); }
    SECTION("window with the keyboard focus") {
        CHECK(guard.refuses({StaleReason::foreground, {{50, 50, 10, 10}}}, {}));
    }
}

TEST_CASE(
    "target guard: an action that was carried out counts anew, also one that changes nothing") {
    TargetGuard guard;
    CHECK(guard.refuses(other_window, {}));
    CHECK(guard.refuses(other_window, {}));
    guard.on_action(GENERATE(Expectation::click, Expectation::nothing));
    CHECK(guard.refuses(other_window, {}));
}

TEST_CASE("target guard: what an own action has changed is compared again after a screenshot") {
    winio::ScreenState seen;
    seen.frame.pixels.resize({100, 100});
    winio::ScreenState now = seen;
    now.frame.pixels.fill({30, 30, 40, 40}, {255, 0, 0});
    winio::Plan plan = click_at({50, 50});
    plan.steps.push_back(
        {winio::Batch{winio::ButtonChange{winio::Button::left, winio::Press::down},
                      winio::ButtonChange{winio::Button::left, winio::Press::up}}});
    TargetGuard guard;
    REQUIRE(guard.compare(seen, now, plan, {}, 96));
    CHECK_FALSE(guard.compare(seen, now, plan, {{0, 0, 100, 100}}, 96)); // changes by itself
    guard.on_action(GENERATE(Expectation::click, Expectation::command, Expectation::launch));
    CHECK(guard.has_acted());
    CHECK_FALSE(guard.compare(seen, now, plan, {}, 96));
    guard.on_screenshot({});
    CHECK_FALSE(guard.has_acted());
    CHECK(guard.compare(seen, now, plan, {}, 96));
    guard.on_screenshot({{0, 0, 100, 100}});
    CHECK_FALSE(guard.compare(seen, now, plan, {}, 96));
}

TEST_CASE("target guard: how the target looks under the own pointer is not compared") {
    const winio::WindowInfo window{
        .id = winio::WindowId{1}, .bounds = {0, 0, 400, 100}, .foreground = true};
    winio::ScreenState seen;
    seen.frame.pixels.resize({400, 100});
    seen.windows = {window};
    winio::ScreenState now = seen;
    now.frame.pixels.fill({30, 30, 40, 40}, {255, 0, 0}); // highlighted
    winio::Plan plan = click_at({50, 50});
    plan.steps.push_back(
        {winio::Batch{winio::ButtonChange{winio::Button::left, winio::Press::down},
                      winio::ButtonChange{winio::Button::left, winio::Press::up}}});
    TargetGuard guard;
    guard.on_move({50, 50});
    CHECK_FALSE(guard.has_acted());
    CHECK_FALSE(guard.compare(seen, now, plan, {}, 96));
    SECTION("but another window there is") {
        now.windows->front().id = winio::WindowId{2};
        CHECK(guard.compare(seen, now, plan, {}, 96));
    }
    SECTION("but a target elsewhere is") {
        now.frame.pixels.fill({280, 30, 40, 40}, {255, 0, 0});
        plan.targets = {{300, 50}};
        CHECK(guard.compare(seen, now, plan, {}, 96));
    }
    SECTION("until the next screenshot") {
        guard.on_screenshot({});
        CHECK(guard.compare(seen, now, plan, {}, 96));
    }
}

TEST_CASE("reply times: half of the median decides after three replies") {
    ReplyTimes times;
    times.add(milliseconds(100));
    times.add(milliseconds(1000));
    CHECK(times.is_early(milliseconds(5000)));
    times.add(milliseconds(4000));
    CHECK(times.is_early(milliseconds(499)));
    CHECK_FALSE(times.is_early(milliseconds(500)));
    for (int i = 0; i < 9; ++i) times.add(milliseconds(60'000)); // only the latest ones count
    CHECK(times.is_early(milliseconds(29'999)));
}

TEST_CASE("free turns: at most 20 refused calls of a run use up no turn") {
    FreeTurns free;
    for (int i = 0; i < 20; ++i) CHECK(free.grant() == 1);
    CHECK(free.grant() == 0);
}
