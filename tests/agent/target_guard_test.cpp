#include "eyehand/winio/gesture.hpp"
#include "modes/free_turns.hpp"
#include "run/reply_times.hpp"
#include "run/target_guard.hpp"

#include "catch.hpp"

using namespace eyehand;
using namespace agent;
using std::chrono::milliseconds;
namespace gesture = winio::gesture;
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
    guard.on_action(GENERATE(gesture::click({9, 9}), gesture::move({9, 9})), std::nullopt);
    CHECK(guard.refuses(other_window, {}));
}

TEST_CASE("target guard: what an own action has changed is compared again after a screenshot") {
    winio::ScreenState seen;
    seen.frame.pixels.resize({400, 100});
    winio::ScreenState now = seen;
    now.frame.pixels.fill({30, 30, 40, 40}, {255, 0, 0});
    const winio::Plan plan = gesture::click({50, 50});
    TargetGuard guard;
    REQUIRE(guard.compare(seen, now, plan, {}, 96));
    CHECK_FALSE(guard.compare(seen, now, plan, {{0, 0, 100, 100}}, 96)); // changes by itself
    // A menu that the model expects, the next stroke of a drawing, or the result of a key.
    guard.on_action(GENERATE(gesture::click({300, 50}), gesture::drag({300, 50}, {350, 50}),
                             gesture::press({{winio::NamedKey::enter}})),
                    std::nullopt);
    CHECK(guard.has_acted());
    guard.before_another_action(seen);
    CHECK_FALSE(guard.compare(seen, now, plan, {}, 96));
    guard.on_screenshot({});
    CHECK_FALSE(guard.has_acted());
    CHECK(guard.compare(seen, now, plan, {}, 96));
    guard.on_screenshot({{0, 0, 100, 100}});
    CHECK_FALSE(guard.compare(seen, now, plan, {}, 96));
}

TEST_CASE("target guard: what was different before the first own action is not its effect") {
    winio::ScreenState seen;
    seen.frame.pixels.resize({400, 100});
    winio::ScreenState changed = seen;
    changed.frame.pixels.fill({30, 30, 40, 40}, {255, 0, 0});
    const winio::Plan plan = gesture::click({50, 50});
    TargetGuard guard;
    guard.on_action(gesture::click({300, 50}), std::nullopt);
    guard.before_another_action(changed);
    CHECK(guard.compare(seen, changed, plan, {}, 96));
    SECTION("but it may be as before again") {
        CHECK_FALSE(guard.compare(seen, seen, plan, {}, 96));
    }
    SECTION("the second action does not change that") {
        guard.on_action(gesture::click({350, 50}), std::nullopt);
        guard.before_another_action(seen);
        CHECK(guard.compare(seen, changed, plan, {}, 96));
    }
}

namespace {

/// Two windows of one program side by side, and what may happen to them.
struct Windows {
    winio::ScreenState before;
    winio::ScreenState now;

    Windows() {
        before.windows = {window(1, {0, 0, 200, 100}, 10), window(2, {200, 0, 200, 100}, 10)};
        before.windows->front().foreground = true;
        now = before;
    }
    void open(std::uint32_t process) {
        for (winio::WindowInfo& other : *now.windows) other.foreground = false;
        now.windows->insert(now.windows->begin(), window(3, {0, 0, 400, 100}, process));
        now.windows->front().foreground = true;
    }

private:
    static winio::WindowInfo window(std::uint64_t id, const winio::Rect& bounds,
                                    std::uint32_t process) {
        winio::WindowInfo info;
        info.id = winio::WindowId{id};
        info.bounds = bounds;
        info.process_id = process;
        return info;
    }
};

} // namespace

TEST_CASE("target guard: after a click, only a window of another program is refused") {
    Windows windows;
    TargetGuard guard;
    guard.on_action(gesture::click({100, 50}), windows.before.windows);
    const auto compare = [&](const winio::Plan& plan) {
        return guard.compare(windows.before, windows.now, plan, {}, 96);
    };
    const winio::Plan click = gesture::click({300, 50});
    const winio::Plan type = gesture::type("secret");
    SECTION("a dialog of the program") { windows.open(10); }
    SECTION("its window was closed") { windows.now.windows->clear(); }
    SECTION("another one of its windows is in front") {
        windows.now.windows->front().foreground = false;
        windows.now.windows->back().foreground = true;
    }
    SECTION("a window of an unknown program") { windows.open(0); }
    SECTION("a window of another program") {
        windows.open(11);
        const auto stale = compare(click);
        REQUIRE(stale);
        CHECK(stale->reason == StaleReason::window);
        const auto keys = compare(type);
        REQUIRE(keys);
        CHECK(keys->reason == StaleReason::foreground);
        // It is there before the next action, so the model expects it.
        guard.on_action(gesture::click({100, 50}), windows.now.windows);
    }
    SECTION("of an unknown program") {
        guard.on_action(gesture::click({100, 50}), std::nullopt);
        windows.open(11);
    }
    SECTION("after a shortcut, it may be the intention") {
        guard.on_action(gesture::press({{winio::NamedKey::enter}}), windows.before.windows);
        windows.open(11);
    }
    CHECK_FALSE(compare(click));
    CHECK_FALSE(compare(type));
}

TEST_CASE("target guard: what the agent opens before it types is not refused after that") {
    Windows windows;
    TargetGuard guard;
    guard.on_action(gesture::click({100, 50}), windows.before.windows);
    windows.open(10);
    guard.on_action(gesture::type("name"), windows.now.windows);
    CHECK_FALSE(guard.compare(windows.before, windows.now, gesture::click({300, 50}), {}, 96));
    CHECK(guard.compare(windows.before, windows.before, gesture::click({300, 50}), {}, 96));
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
    guard.on_action(gesture::move({50, 50}), seen.windows);
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
