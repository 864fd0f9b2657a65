// Waits for the reactions of a real program to real clicks.
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/settle.hpp"

#include "test_window.hpp"

#include <algorithm>
#include <iostream>
#include <set>
#include <string>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using x11_tests::TestWindow;

namespace {

/// Clicks into the window and waits for the reaction.
Reacted click(Desktop& desktop, const TestWindow& window, const ReactionOptions& options) {
    const WorkArea area({0, 0, 1920, 1080});
    InputExecutor executor(desktop, area);
    const auto capturer = desktop.open_capturer({});
    (void)executor.execute(gesture::move(window.center()));
    (void)wait_until_stable(*capturer, area.bounds());
    const Plan plan = gesture::click(window.center());
    BeforeAction before;
    prepare_reaction(desktop, *capturer, area.bounds(), plan, before);
    REQUIRE(executor.execute(plan).complete());
    before.acted = std::chrono::steady_clock::now();
    return Settler().wait_for_reaction(desktop, *capturer, before, options);
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
    constexpr std::chrono::milliseconds none = -1ms;
    std::cout << "| reaction after | end | waited (median of 7) |\n| --- | --- | --- |\n";
    for (const auto delay : {0ms, 100ms, 250ms, 400ms, 800ms, 1500ms, none}) {
        std::vector<std::chrono::milliseconds> waits;
        std::set<std::string_view> ends;
        for (int round = 0; round < 7; ++round) {
            const TestWindow window(*desktop, "Measured window", {.reaction = delay});
            const Reacted look = click(*desktop, window, {});
            waits.push_back(look.waited);
            ends.insert(to_string(look.end));
        }
        std::ranges::sort(waits);
        std::string end;
        for (const std::string_view name : ends)
            end += (end.empty() ? "" : ", ") + std::string(name);
        std::cout << "| " << (delay == none ? "never" : std::to_string(delay.count()) + " ms")
                  << " | " << end << " | " << waits[3].count() << " ms |\n";
    }
}
