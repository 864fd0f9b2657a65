#include "eyehand/winio/reaction.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/settle.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "reaction_machine.hpp"

#include "catch.hpp"
#include "minimal_desktop.hpp"
#include "printing.hpp"
#include "watched.hpp"

#include <functional>
#include <random>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::MemoryDesktop;

namespace {

using Time = ReactionMachine::Time;

/// Simulates a wait with a virtual clock: one capture every 25 ms.
class Simulation {
public:
    explicit Simulation(Expectation expectation, ReactionOptions options = {},
                        SettleOptions settle = {})
        : machine_(expectation, Time{}, options, settle) {}

    std::function<void(std::chrono::milliseconds, ReactionMachine::Look&)> at = [](auto, auto&) {};
    std::chrono::milliseconds ended{};

    /// `step`: the time between two looks, which is longer than the interval by that of a capture.
    ReactionEnd run(std::chrono::milliseconds step = 25ms) {
        std::optional<Time> latest_change;
        Extent known = Extent::nothing;
        for (std::chrono::milliseconds now{}; now < 60s; now += step) {
            ReactionMachine::Look look{.now = Time{} + now};
            at(now, look);
            if (look.extent != known) latest_change = look.now;
            known = look.extent;
            if (look.latest_change) latest_change = look.latest_change;
            look.latest_change = latest_change;
            look.quiet_since = latest_change.value_or(Time{});
            ended = now;
            if (const auto end = machine_.note(look)) return *end;
        }
        FAIL("the wait does not end");
        return {};
    }

private:
    ReactionMachine machine_;
};

/// The screen shows this extent of changes from `when` on.
auto extent_from(std::chrono::milliseconds when, Extent extent) {
    return [=](std::chrono::milliseconds now, ReactionMachine::Look& look) {
        if (now >= when) look.extent = extent;
    };
}

} // namespace

TEST_CASE("reaction: a wide change is the reaction to a click as soon as the screen is quiet") {
    Simulation wait(Expectation::click);
    wait.at = extent_from(200ms, Extent::wide);
    CHECK(wait.run() == ReactionEnd::reacted);
    CHECK(wait.ended == 350ms);
}

TEST_CASE("reaction: after feedback of a control, a late reaction is seen") {
    for (const auto late : {100ms, 250ms, 400ms}) {
        Simulation wait(Expectation::click);
        wait.at = [&](auto now, auto& look) {
            look.extent = now >= late ? Extent::wide : Extent::local;
        };
        CHECK(wait.run() == ReactionEnd::reacted);
        CHECK(wait.ended == late + 150ms);
    }
}

TEST_CASE("reaction: feedback alone ends the wait for a click after the feedback timeout") {
    for (const auto feedback : {0ms, 50ms, 100ms}) {
        Simulation wait(Expectation::click);
        wait.at = extent_from(feedback, Extent::local);
        CHECK(wait.run(2ms) == ReactionEnd::local_only);
        CHECK(wait.ended == 406ms);
    }
}

TEST_CASE("reaction: after feedback, a look is due at the limit") {
    ReactionMachine machine(Expectation::click, Time{}, {}, {});
    CHECK_FALSE(machine.note({.now = Time{}}));
    CHECK_FALSE(machine.next_limit(Time{}));
    const Time feedback = Time{} + 30ms;
    CHECK_FALSE(machine.note({.now = feedback,
                              .extent = Extent::local,
                              .latest_change = feedback,
                              .quiet_since = feedback}));
    CHECK(machine.next_limit(feedback) == Time{} + 406ms);
    CHECK_FALSE(machine.next_limit(Time{} + 406ms));
    const Time reaction = Time{} + 60ms;
    CHECK_FALSE(machine.note({.now = reaction,
                              .extent = Extent::wide,
                              .latest_change = reaction,
                              .quiet_since = reaction}));
    CHECK_FALSE(machine.next_limit(reaction));
}

TEST_CASE("reaction: after late or repeated feedback, there are 300 ms left for the reaction") {
    Simulation late(Expectation::click);
    late.at = extent_from(300ms, Extent::local);
    CHECK(late.run() == ReactionEnd::local_only);
    CHECK(late.ended == 600ms);

    Simulation reacting(Expectation::click);
    reacting.at = [](auto now, auto& look) {
        if (now >= 300ms) look.extent = now >= 600ms ? Extent::wide : Extent::local;
    };
    CHECK(reacting.run() == ReactionEnd::reacted);
    CHECK(reacting.ended == 750ms);

    Simulation released(Expectation::click); // looks pressed, then no longer
    released.at = [](auto now, auto& look) {
        look.extent = Extent::local;
        if (now >= 200ms) look.latest_change = Time{} + 200ms;
    };
    CHECK(released.run() == ReactionEnd::local_only);
    CHECK(released.ended == 500ms);
}

TEST_CASE("reaction: after feedback, a reaction at the limit is seen however long captures take") {
    for (const auto step : {26ms, 31ms, 40ms, 49ms}) {
        CAPTURE(step.count());
        Simulation wait(Expectation::click);
        wait.at = [](auto now, auto& look) {
            look.extent = now >= 406ms ? Extent::wide : Extent::local;
        };
        CHECK(wait.run(step) == ReactionEnd::reacted);
    }
}

TEST_CASE("reaction: without any change, the limit depends on what is expected") {
    const std::pair<Expectation, std::chrono::milliseconds> limits[]{
        {Expectation::nothing, 150ms}, {Expectation::text, 300ms},     {Expectation::scroll, 400ms},
        {Expectation::click, 1000ms},  {Expectation::command, 1000ms}, {Expectation::paste, 1000ms},
        {Expectation::launch, 5000ms},
    };
    for (const auto& [expectation, limit] : limits) {
        Simulation wait(expectation);
        CHECK(wait.run() == ReactionEnd::no_reaction);
        CHECK(wait.ended == limit);
    }
}

TEST_CASE("reaction: a change of a control is the reaction to typed text, but not to Enter") {
    Simulation text(Expectation::text);
    text.at = extent_from(50ms, Extent::local);
    CHECK(text.run() == ReactionEnd::reacted);
    CHECK(text.ended == 200ms);

    Simulation enter(Expectation::command);
    enter.at = extent_from(50ms, Extent::local);
    CHECK(enter.run() == ReactionEnd::local_only);
    CHECK(enter.ended == 1000ms);
}

TEST_CASE("reaction: captures that take long do not extend the limit") {
    for (const auto step : {26ms, 31ms, 40ms, 49ms}) {
        CAPTURE(step.count());
        Simulation silent(Expectation::click);
        CHECK(silent.run(step) == ReactionEnd::no_reaction);
        CHECK(silent.ended <= 1000ms);
        CHECK(silent.ended > 950ms);
    }
}

TEST_CASE("reaction: a single capture that takes long does not end the wait") {
    Simulation wait(Expectation::click);
    wait.at = [&, late = 0ms](auto now, auto& look) mutable {
        if (now >= 700ms) late = 250ms;
        look.now += late;
        if (now + late >= 990ms) look.extent = Extent::wide;
    };
    CHECK(wait.run() == ReactionEnd::reacted);
}

TEST_CASE("reaction: only a new window is the reaction to a start of a program") {
    Simulation wait(Expectation::launch);
    wait.at = [](auto now, auto& look) {
        look.extent = now >= 100ms ? Extent::wide : Extent::nothing;
        look.windows_changed = now >= 200ms; // a progress counter in the title
        look.other_windows = now >= 3000ms ? 1 : 0;
    };
    CHECK(wait.run() == ReactionEnd::reacted);
    CHECK(wait.ended == 3000ms);
}

TEST_CASE("reaction: a changed window is a reaction without a change of the screen") {
    Simulation wait(Expectation::click);
    wait.at = [](auto now, auto& look) {
        look.windows_changed = now >= 300ms;
        if (now == 300ms) look.latest_change = look.now;
    };
    CHECK(wait.run() == ReactionEnd::reacted);
    CHECK(wait.ended == 450ms);
}

TEST_CASE("reaction: a busy desktop is waited for, and then a while longer") {
    Simulation wait(Expectation::click);
    wait.at = [](auto now, auto& look) {
        look.busy = now < 1800ms;
        look.extent = now >= 1900ms ? Extent::wide : Extent::nothing;
    };
    CHECK(wait.run() == ReactionEnd::reacted);
    CHECK(wait.ended == 2050ms);

    Simulation silent(Expectation::click);
    silent.at = [](auto now, auto& look) { look.busy = now < 1800ms; };
    CHECK(silent.run() == ReactionEnd::no_reaction);
    CHECK(silent.ended == 2025ms);

    Simulation pressed(Expectation::click);
    pressed.at = [](auto now, auto& look) {
        look.busy = now < 2500ms;
        look.extent = now >= 2600ms ? Extent::wide : now >= 25ms ? Extent::local : Extent::nothing;
    };
    CHECK(pressed.run() == ReactionEnd::reacted);
    CHECK(pressed.ended == 2750ms);

    // Windows that come and go, such as a splash screen before the main window.
    Simulation several(Expectation::click);
    several.at = [](auto now, auto& look) {
        look.windows_changed = now >= 100ms;
        look.other_windows = now >= 200ms ? 2 : now >= 100ms ? 1 : 0;
        if (now == 100ms || now == 200ms) look.latest_change = look.now;
    };
    CHECK(several.run() == ReactionEnd::reacted);
    CHECK(several.ended == 450ms);

    Simulation flashing(Expectation::click);
    flashing.at = [](auto now, auto& look) {
        look.windows_changed = true;
        look.other_windows = static_cast<int>(now / 100ms);
        look.latest_change = look.now;
        look.quiet_since = look.now;
    };
    CHECK(flashing.run() == ReactionEnd::busy_timeout);

    Simulation forever(Expectation::click);
    forever.at = [](auto, auto& look) { look.busy = true; };
    CHECK(forever.run() == ReactionEnd::busy_timeout);
    CHECK(forever.ended == 5000ms);

    Simulation restless(Expectation::click);
    restless.at = [](auto now, auto& look) {
        look.busy = true;
        look.extent = Extent::wide;
        if (now < 5100ms) look.latest_change = look.now;
    };
    CHECK(restless.run() == ReactionEnd::busy_timeout);
    CHECK(restless.ended == 5225ms);

    Simulation ignored(Expectation::click, no_reaction_wait);
    ignored.at = [](auto, auto& look) { look.busy = true; };
    CHECK(ignored.run() == ReactionEnd::no_reaction);
    CHECK(ignored.ended == 150ms);
}

TEST_CASE("reaction: a screen that never becomes quiet ends the wait at the timeout") {
    Simulation wait(Expectation::click);
    wait.at = [](auto now, auto& look) {
        if (now < 100ms) return;
        look.extent = Extent::wide;
        look.latest_change = look.now;
    };
    CHECK(wait.run() == ReactionEnd::timeout);
    CHECK(wait.ended == 2100ms);

    Simulation local(Expectation::click); // such as a large caret that blinks quickly
    local.at = [](auto, auto& look) {
        look.extent = Extent::local;
        look.latest_change = look.now;
    };
    CHECK(local.run() == ReactionEnd::timeout);
    CHECK(local.ended == 2425ms);
}

TEST_CASE("reaction: limits may be unlimited") {
    const auto unlimited = std::chrono::milliseconds::max();
    const ReactionOptions options{unlimited, unlimited, unlimited, unlimited};
    Simulation wait(Expectation::click, options, {.timeout = unlimited});
    wait.at = [](auto now, auto& look) {
        look.busy = now < 10s;
        look.extent = now >= 20s ? Extent::wide : Extent::local;
        if (now >= 20s && now < 30s) look.latest_change = look.now;
    };
    CHECK(wait.run() == ReactionEnd::reacted);
    CHECK(wait.ended == 30125ms);
}

TEST_CASE("reaction: for any schedule of changes the wait ends in time, and never while the screen "
          "changes") {
    std::mt19937 random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): repeatable
    for (int round = 0; round < 2000; ++round) {
        const auto expectation = static_cast<Expectation>(random() % 7);
        std::vector<std::pair<std::chrono::milliseconds, Extent>> changes;
        for (std::size_t count = random() % 6; count > 0; --count)
            changes.emplace_back(std::chrono::milliseconds{random() % 3000},
                                 random() % 2 == 0 ? Extent::local : Extent::wide);
        std::sort(changes.begin(), changes.end());
        Simulation wait(expectation);
        wait.at = [&](auto now, auto& look) {
            for (const auto& [when, extent] : changes) {
                if (when > now) break;
                look.extent = std::max(look.extent, extent);
                look.latest_change =
                    Time{} +
                    std::chrono::ceil<std::chrono::duration<int, std::ratio<25, 1000>>>(when);
            }
        };
        const ReactionEnd end = wait.run();
        CHECK(wait.ended <= 5200ms);
        for (const auto& [when, extent] : changes) {
            const bool before_the_end = when <= wait.ended;
            // A few changes never keep the screen restless for two seconds.
            CHECK(end != ReactionEnd::timeout);
            if (before_the_end) CHECK(wait.ended - when >= 125ms);
            if (before_the_end && extent == Extent::wide && expectation != Expectation::launch)
                CHECK(end == ReactionEnd::reacted);
        }
        if (changes.empty()) CHECK(end == ReactionEnd::no_reaction);
    }
}

TEST_CASE("reaction: what a plan is expected to change") {
    using namespace gesture;
    CHECK(expectation_of(move({1, 1})) == Expectation::nothing);
    CHECK(expectation_of(Plan{}) == Expectation::nothing);
    CHECK(expectation_of(click({1, 1})) == Expectation::click);
    CHECK(expectation_of(click_here(Button::right)) == Expectation::click);
    CHECK(expectation_of(press_and_hold({1, 1}, 1ms)) == Expectation::click);
    CHECK(expectation_of(click({1, 1}, Button::left, 2)) == Expectation::command);
    CHECK(expectation_of(drag({1, 1}, {50, 50})) == Expectation::command);
    CHECK(expectation_of(scroll({1, 1}, -3)) == Expectation::scroll);
    CHECK(expectation_of(press(*parse_chord("pagedown"))) == Expectation::scroll);
    CHECK(expectation_of(type("Hello")) == Expectation::text);
    CHECK(expectation_of(type("Hello\n")) == Expectation::command);
    CHECK(expectation_of(type("one\ntwo")) == Expectation::text);
    CHECK(expectation_of(press(*parse_chord("backspace"))) == Expectation::text);
    CHECK(expectation_of(press(*parse_chord("shift+a"))) == Expectation::text);
    CHECK(expectation_of(press(*parse_chord("enter"))) == Expectation::command);
    CHECK(expectation_of(press(*parse_chord("ctrl+s"))) == Expectation::command);
    CHECK(expectation_of(press(*parse_chord("windows"))) == Expectation::command);
    CHECK(expectation_of(press(*parse_chord("f5"))) == Expectation::command);
    CHECK(expectation_of(press(*parse_chord("ctrl+c"))) == Expectation::nothing);
    CHECK(expectation_of(press(*parse_chord("alt+c"))) == Expectation::command);
    CHECK(expectation_of(press(*parse_chord("ctrl+shift+c"))) == Expectation::command);
    CHECK(expectation_of(paste("text")) == Expectation::paste);
    CHECK(expectation_of(Plan{{Step{LaunchCommand{"notepad"}}}, {}}) == Expectation::launch);
    CHECK(expectation_of(Plan{{Step{WindowCommand{}}}, {}}) == Expectation::command);
}

TEST_CASE("reaction: a control and the control that lost the focus are a local change") {
    const Point target{100, 100};
    CHECK(extent_of({}, target, 96) == Extent::nothing);
    CHECK(extent_of({{64, 88, 80, 24}}, target, 96) == Extent::local);
    CHECK(extent_of({{64, 88, 80, 24}, {64, 400, 200, 24}}, target, 96) == Extent::local);
    CHECK(extent_of({{64, 88, 80, 24}, {64, 400, 200, 24}, {600, 600, 8, 8}}, target, 96) ==
          Extent::wide);
    CHECK(extent_of({{64, 400, 200, 24}, {600, 600, 8, 8}}, target, 96) == Extent::wide);
    CHECK(extent_of({{64, 400, 200, 24}, {600, 600, 8, 8}}, std::nullopt, 96) == Extent::local);
    // One control in several parts.
    CHECK(extent_of({{64, 88, 80, 8}, {64, 96, 8, 16}, {136, 96, 8, 16}, {64, 112, 80, 8}}, target,
                    96) == Extent::local);
    CHECK(extent_of({{64, 88, 160, 200}}, target, 96) == Extent::wide);
    CHECK(extent_of({{64, 88, 160, 120}}, target, 96) == Extent::wide);
    CHECK(extent_of({{64, 88, 160, 120}}, target, 192) == Extent::local);
    CHECK(extent_of(std::vector<Rect>(1000, Rect{0, 0, 8, 8}), target, 96) == Extent::wide);
}

TEST_CASE("reaction: which differences of windows are a reaction") {
    const WindowInfo front{
        .id = WindowId{1}, .title = "a", .bounds = {0, 0, 9, 9}, .foreground = true};
    const WindowInfo back{.id = WindowId{2}, .title = "clock 10:15"};
    const std::vector before{front, back};
    CHECK_FALSE(windows_reacted(before, {back, front}));
    WindowInfo other = back;
    other.title = "clock 10:16";
    CHECK_FALSE(windows_reacted(before, {front, other}));
    CHECK(windows_reacted(before, {front}));
    other = front;
    other.title = "b";
    CHECK(windows_reacted(before, {other, back}));
    other = front;
    other.bounds.x = 5;
    CHECK(windows_reacted(before, {other, back}));
    other = front;
    other.foreground = false;
    CHECK(windows_reacted(before, {other, back}));
    other = front;
    other.id = WindowId{3};
    CHECK(windows_reacted(before, {other, back}));
}

TEST_CASE("reaction: which differences of windows mean other windows") {
    const WindowInfo front{.id = WindowId{1}, .title = "1 %", .foreground = true};
    const WindowInfo back{.id = WindowId{2}};
    const std::vector before{front, back};
    WindowInfo other = front;
    other.title = "2 %";
    other.bounds.x = 5;
    CHECK_FALSE(are_other_windows(before, {back, other}));
    CHECK(are_other_windows(before, {front}));
    other.foreground = false;
    CHECK(are_other_windows(before, {other, back}));
    other = front;
    other.id = WindowId{3};
    CHECK(are_other_windows(before, {other, back}));
}

namespace {

constexpr Rect screen{0, 0, 640, 480};
const Plan press_button = gesture::click({100, 100});

/// Short times, so that tests do not wait long; a test decides by the number of captures what the screen shows.
const SettleOptions quick{.minimum = 0ms, .quiet = 10ms, .timeout = 60s, .interval = 1ms};

BeforeAction prepared(MemoryDesktop& desktop, const Plan& plan) {
    BeforeAction before;
    prepare_reaction(desktop, *desktop.open_capturer({}), screen, plan, before);
    return before;
}

} // namespace

TEST_CASE("reaction: a dialog after the feedback of a button is in the frame and in the changes") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    CHECK(before.expectation == Expectation::click);
    desktop.screen().fill({80, 90, 40, 20}, {.red = 200});
    // The limits are never reached: only the dialog can end the wait.
    const ReactionOptions patient{
        .reaction_timeout = 1h, .feedback_timeout = 1h, .busy_timeout = 1h};
    Watched capturer(desktop, [&](int n) {
        if (n == 30) desktop.screen().fill({200, 100, 300, 200}, {.red = 90});
    });
    const Reacted look = Settler().wait_for_reaction(desktop, capturer, before, patient, quick);
    CHECK(look.end == ReactionEnd::reacted);
    CHECK(look.reacted_after.has_value());
    CHECK(int{look.frame.pixels.at(300, 200).red} == 90);
    REQUIRE(look.changed.size() >= 2);
}

TEST_CASE("reaction: only the feedback of a button is local") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    desktop.screen().fill({80, 90, 40, 20}, {.red = 200});
    const auto capturer = desktop.open_capturer({});
    const ReactionOptions options{.reaction_timeout = 1h, .feedback_timeout = 20ms};
    const Reacted look = Settler().wait_for_reaction(desktop, *capturer, before, options, quick);
    CHECK(look.end == ReactionEnd::local_only);
    CHECK_FALSE(look.reacted_after);
}

TEST_CASE("reaction: a click without effect ends the wait without a change") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    const auto capturer = desktop.open_capturer({});
    const Reacted look =
        Settler().wait_for_reaction(desktop, *capturer, before, {.reaction_timeout = 20ms}, quick);
    CHECK(look.end == ReactionEnd::no_reaction);
    CHECK(look.changed.empty());
}

TEST_CASE("reaction: a change before the first capture of the wait is a reaction") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    desktop.screen().fill({0, 0, 600, 400}, {.red = 7});
    const auto capturer = desktop.open_capturer({});
    const Reacted look =
        Settler().wait_for_reaction(desktop, *capturer, before, {.reaction_timeout = 1h}, quick);
    CHECK(look.end == ReactionEnd::reacted);
}

TEST_CASE("reaction: another foreground window is a reaction") {
    MemoryDesktop desktop({640, 480});
    desktop.set_windows({{.id = WindowId{1}, .foreground = true}, {.id = WindowId{2}}});
    const BeforeAction before = prepared(desktop, press_button);
    desktop.set_windows({{.id = WindowId{1}}, {.id = WindowId{2}, .foreground = true}});
    const auto capturer = desktop.open_capturer({});
    const Reacted look =
        Settler().wait_for_reaction(desktop, *capturer, before, {.reaction_timeout = 1h}, quick);
    CHECK(look.end == ReactionEnd::reacted);
}

TEST_CASE("reaction: a spinner that turned in the previous wait is not the reaction") {
    MemoryDesktop desktop({640, 480});
    const auto spin = [&](int n) {
        desktop.screen().fill({8, 8, 8, 8}, {.red = static_cast<std::uint8_t>(n % 2)});
    };
    Settler settler;
    Watched spinning(desktop, spin);
    (void)settler.wait(spinning, screen,
                       {.minimum = 0ms, .quiet = 20ms, .timeout = 60s, .interval = 1ms});
    const BeforeAction before = prepared(desktop, press_button);
    const Reacted look =
        settler.wait_for_reaction(desktop, spinning, before, {.reaction_timeout = 100ms}, quick);
    CHECK(look.end == ReactionEnd::no_reaction);
    CHECK(look.changed.empty());
}

TEST_CASE("reaction: a stop request ends the wait") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    std::stop_source stop;
    Watched capturer(desktop, [&](int n) {
        if (n == 3) stop.request_stop();
    });
    try {
        (void)Settler().wait_for_reaction(desktop, capturer, before, {.reaction_timeout = 1h},
                                          quick, stop.get_token());
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::cancelled);
    }
}

TEST_CASE("reaction: a busy desktop is waited for") {
    MemoryDesktop desktop({640, 480});
    const BeforeAction before = prepared(desktop, press_button);
    desktop.set_busy(true);
    Watched capturer(desktop, [&](int n) {
        if (n != 300) return;
        desktop.set_busy(false);
        desktop.screen().fill({0, 0, 600, 400}, {.red = 7});
    });
    // Without the busy state, the wait would end before the change.
    const Reacted look = Settler().wait_for_reaction(
        desktop, capturer, before, {.reaction_timeout = 0ms, .busy_timeout = 1h}, quick);
    CHECK(look.end == ReactionEnd::reacted);
    CHECK(int{look.frame.pixels.at(300, 200).red} == 7);
}

TEST_CASE(
    "reaction: a large spinner of the previous wait and a pressed button are a local change") {
    MemoryDesktop desktop({640, 480});
    const auto spin = [&](int n) {
        desktop.screen().fill({400, 304, 64, 64}, {.red = static_cast<std::uint8_t>(n % 2)});
    };
    Settler settler;
    Watched spinning(desktop, spin);
    (void)settler.wait(spinning, screen,
                       {.minimum = 0ms, .quiet = 20ms, .timeout = 60s, .interval = 1ms});
    const BeforeAction before = prepared(desktop, press_button);
    desktop.screen().fill({80, 90, 40, 20}, {.red = 200});
    const Reacted look = settler.wait_for_reaction(
        desktop, spinning, before, {.reaction_timeout = 100ms, .feedback_timeout = 50ms}, quick);
    CHECK(look.end == ReactionEnd::local_only);
}

TEST_CASE("extent: changes inside the control at the target are local, whatever their size") {
    const Rect list{100, 100, 800, 600};
    const std::vector<Rect> rows{{104, 104, 760, 200}, {104, 500, 760, 200}};
    CHECK(extent_of(rows, Point{200, 200}, 96) == Extent::wide);
    CHECK(extent_of(rows, Point{200, 200}, 96, list) == Extent::local);
    std::vector<Rect> changed = rows;
    changed.push_back({1000, 100, 80, 24}); // another control
    CHECK(extent_of(changed, Point{200, 200}, 96, list) == Extent::local);
    SECTION("two further controls") {
        changed.push_back({1000, 300, 80, 24});
        CHECK(extent_of(changed, Point{200, 200}, 96, list) == Extent::wide);
    }
    SECTION("a further region that is larger than a control") {
        changed.back() = {1000, 100, 400, 300};
        CHECK(extent_of(changed, Point{200, 200}, 96, list) == Extent::wide);
    }
    SECTION("a region that exceeds the control") {
        CHECK(extent_of({{104, 104, 1000, 300}}, Point{200, 200}, 96, list) == Extent::wide);
    }
}

TEST_CASE("reaction: the program and the control at the target are known before the action") {
    /// Has a child window.
    class OneControl final : public Windows {
    public:
        std::vector<WindowInfo> list() override { return all; }
        void apply(const WindowCommand&) override {}
        std::optional<Rect> control_at(WindowId window, Point at) override {
            const bool inside = window == WindowId{1} && control.contains(at);
            return inside ? std::optional(control) : std::nullopt;
        }
        std::vector<WindowInfo> all;
        Rect control{10, 10, 100, 30};
    };
    const Rect area{0, 0, 320, 240};
    OneControl windows;
    windows.all = {{.id = WindowId{1}, .process = "a.exe", .bounds = area},
                   {.id = WindowId{2}, .process = "b.exe", .foreground = true}};
    MinimalDesktop desktop;
    desktop.its_windows = &windows;
    const auto capturer = desktop.open_capturer({});
    BeforeAction before;
    prepare_reaction(desktop, *capturer, area, gesture::click({20, 20}), before);
    CHECK(before.process == "a.exe");
    CHECK(before.control == windows.control);
    windows.control = {10, 10, 200, 120}; // more than a quarter of the window
    prepare_reaction(desktop, *capturer, area, gesture::click({20, 20}), before);
    CHECK_FALSE(before.control);
    prepare_reaction(desktop, *capturer, area, gesture::press({{NamedKey::enter}}), before);
    CHECK(before.process == "b.exe");
    CHECK_FALSE(before.control);
}
