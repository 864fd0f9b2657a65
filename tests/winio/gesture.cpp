#include "eyehand/winio/gesture.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <algorithm>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

const Batch& batch(const Plan& plan, std::size_t step) {
    return std::get<Batch>(plan.steps.at(step).effect);
}

const ButtonChange left_down{Button::left, Press::down};
const ButtonChange left_up{Button::left, Press::up};

} // namespace

TEST_CASE("a click moves, presses and releases in one batch") {
    const Plan plan = gesture::click({3, 4});
    REQUIRE(plan.steps.size() == 1);
    CHECK(batch(plan, 0) == Batch{PointerMove{{3, 4}}, left_down, left_up});
    CHECK(plan.targets == std::vector<Point>{{3, 4}});
}

TEST_CASE("a double-click is one batch too") {
    const Plan plan = gesture::click({3, 4}, Button::left, 2);
    REQUIRE(plan.steps.size() == 1);
    CHECK(batch(plan, 0) == Batch{PointerMove{{3, 4}}, left_down, left_up, left_down, left_up});
}

TEST_CASE("a click has one to three presses") {
    CHECK_THROWS_AS(gesture::click({}, Button::left, 0), std::invalid_argument);
    CHECK_THROWS_AS(gesture::click({}, Button::left, 4), std::invalid_argument);
    CHECK(batch(gesture::click({}, Button::right, 3), 0).size() == 7);
}

TEST_CASE("a click at the position of the pointer has no target") {
    const Plan plan = gesture::click_here(Button::right);
    CHECK(plan.targets.empty());
    CHECK(batch(plan, 0) ==
          Batch{ButtonChange{Button::right, Press::down}, ButtonChange{Button::right, Press::up}});
}

TEST_CASE("a drag presses, moves in equal steps with a wait after each, and releases") {
    const Plan plan = gesture::drag({0, 100}, {30, 70}, {.steps = 3, .step_wait = 7ms});
    REQUIRE(plan.steps.size() == 5);
    CHECK(plan.steps[0] == Step{Batch{PointerMove{{0, 100}}, left_down}, 7ms});
    CHECK(plan.steps[1] == Step{Batch{PointerMove{{10, 90}}}, 7ms});
    CHECK(plan.steps[2] == Step{Batch{PointerMove{{20, 80}}}, 7ms});
    CHECK(plan.steps[3] == Step{Batch{PointerMove{{30, 70}}}, 7ms});
    CHECK(plan.steps[4] == Step{Batch{PointerMove{{30, 70}}, left_up}});
    CHECK(plan.targets == std::vector<Point>{{0, 100}, {30, 70}});
    CHECK_THROWS_AS(gesture::drag(Point{}, Point{}, {.steps = 0}), std::invalid_argument);
}

TEST_CASE("press and hold releases after the time, at the same place") {
    const Plan plan = gesture::press_and_hold({3, 4}, 700ms, Button::right);
    REQUIRE(plan.steps.size() == 2);
    CHECK(plan.steps[0] ==
          Step{Batch{PointerMove{{3, 4}}, ButtonChange{Button::right, Press::down}}, 700ms});
    CHECK(plan.steps[1] ==
          Step{Batch{PointerMove{{3, 4}}, ButtonChange{Button::right, Press::up}}});
    CHECK(plan.targets == std::vector<Point>{{3, 4}});
}

TEST_CASE("a drag along a path distributes its steps by length and reaches each corner") {
    const std::vector<Point> path{{0, 0}, {30, 0}, {30, 10}};
    const Plan plan = gesture::drag_along(path, {.steps = 4, .step_wait = 7ms});
    REQUIRE(plan.steps.size() == 6);
    CHECK(plan.steps[0] == Step{Batch{PointerMove{{0, 0}}, left_down}, 7ms});
    CHECK(batch(plan, 1) == Batch{PointerMove{{10, 0}}});
    CHECK(batch(plan, 2) == Batch{PointerMove{{20, 0}}});
    CHECK(batch(plan, 3) == Batch{PointerMove{{30, 0}}});
    CHECK(plan.steps[4] == Step{Batch{PointerMove{{30, 10}}}, 7ms});
    CHECK(plan.steps[5] == Step{Batch{PointerMove{{30, 10}}, left_up}});
    CHECK(plan.targets == path);
}

TEST_CASE("each segment of a drag has a step, even if it is short or few steps are requested") {
    const std::vector<std::vector<Point>> paths{{{0, 0}, {1, 0}, {1000, 0}, {1000, 1}, {0, 1}},
                                                {{7, 7}, {7, 7}, {7, 7}},
                                                {{0, 0}, {5, 0}, {5, 0}, {9, 0}}};
    for (const auto& path : paths)
        for (const int steps : {1, 2, 3, 4, 7, 15}) {
            const Plan plan = gesture::drag_along(path, {.steps = steps});
            const auto legs = static_cast<int>(path.size()) - 1;
            CHECK(static_cast<int>(plan.steps.size()) == std::max(steps, legs) + 2);
            std::size_t touched = 1; // in order; the press is at the first point
            for (std::size_t i = 1; i + 1 < plan.steps.size() && touched < path.size(); ++i)
                touched += batch(plan, i) == Batch{PointerMove{path[touched]}};
            CHECK(touched == path.size());
        }
}

TEST_CASE("a drag needs two points and a step") {
    const std::vector<Point> one{{1, 1}};
    const std::vector<Point> two{{1, 1}, {2, 2}};
    CHECK_THROWS_AS(gesture::drag_along({}), std::invalid_argument);
    CHECK_THROWS_AS(gesture::drag_along(one), std::invalid_argument);
    CHECK_THROWS_AS(gesture::drag_along(two, {.steps = 0}), std::invalid_argument);
}

TEST_CASE("scrolling turns the wheel at a place") {
    CHECK(batch(gesture::scroll({5, 6}, -3), 0) == Batch{PointerMove{{5, 6}}, WheelTurn{-3}});
    CHECK(batch(gesture::scroll({5, 6}, 2, Axis::horizontal), 0) ==
          Batch{PointerMove{{5, 6}}, WheelTurn{2, Axis::horizontal}});
    CHECK(batch(gesture::scroll({5, 6}, 0), 0) == Batch{PointerMove{{5, 6}}});
}

TEST_CASE("a chord is pressed in order and released in the opposite order") {
    const Plan plan = gesture::press(*parse_chord("ctrl+s"));
    CHECK(batch(plan, 0) == Batch{KeyChange{NamedKey::ctrl, Press::down},
                                  KeyChange{U's', Press::down}, KeyChange{U's', Press::up},
                                  KeyChange{NamedKey::ctrl, Press::up}});
}

TEST_CASE("keys are held around a click in the click's own batch") {
    const Plan plan = gesture::holding(*parse_chord("ctrl+shift"), gesture::click({3, 4}));
    REQUIRE(plan.steps.size() == 1);
    CHECK(batch(plan, 0) == Batch{KeyChange{NamedKey::ctrl, Press::down},
                                  KeyChange{NamedKey::shift, Press::down}, PointerMove{{3, 4}},
                                  left_down, left_up, KeyChange{NamedKey::shift, Press::up},
                                  KeyChange{NamedKey::ctrl, Press::up}});
    CHECK(plan.targets == std::vector<Point>{{3, 4}});
}

TEST_CASE("keys are held through all steps of a drag") {
    const Plan plan = gesture::holding(*parse_chord("alt"), gesture::drag({0, 0}, {9, 9}));
    CHECK(plan.steps.size() == gesture::drag({0, 0}, {9, 9}).steps.size());
    CHECK(batch(plan, 0).front() == InputEvent{KeyChange{NamedKey::alt, Press::down}});
    CHECK(batch(plan, plan.steps.size() - 1).back() ==
          InputEvent{KeyChange{NamedKey::alt, Press::up}});
}

TEST_CASE(
    "keys are held in separate steps if a plan begins or ends without input, waits, or is full") {
    const Batch down{KeyChange{NamedKey::ctrl, Press::down}};
    const Batch up{KeyChange{NamedKey::ctrl, Press::up}};
    const Batch full(100, TypedScalar{U'a'});
    for (const Plan& inner : {Plan{{Step{LaunchCommand{"x"}}}, {}}, Plan{{Step{full, 5ms}}, {}},
                              Plan{{Step{full}}, {}}}) {
        const Plan plan = gesture::holding(*parse_chord("ctrl"), inner);
        REQUIRE(plan.steps.size() == 3);
        CHECK(batch(plan, 0) == down);
        CHECK(plan.steps[1] == inner.steps[0]);
        CHECK(batch(plan, 2) == up);
    }
    const Plan waiting =
        gesture::holding(*parse_chord("ctrl"), {{Step{Batch{left_down}, 5ms}}, {}});
    REQUIRE(waiting.steps.size() == 2);
    CHECK(batch(waiting, 1) == up);
}

TEST_CASE("pasting writes to the clipboard, presses the chord, waits and restores the clipboard") {
    const Plan plan = gesture::paste("two\nlines", *parse_chord("ctrl+shift+v"), 70ms);
    REQUIRE(plan.steps.size() == 3);
    CHECK(plan.steps[0] == Step{ClipboardWrite{"two\nlines"}});
    CHECK(plan.steps[1] ==
          Step{gesture::press(*parse_chord("ctrl+shift+v")).steps[0].effect, 70ms});
    CHECK(plan.steps[2] == Step{ClipboardRestore{}});
    CHECK(plan.targets.empty());
}

TEST_CASE("text that is not UTF-8 or has a NUL cannot be pasted") {
    CHECK_THROWS_AS(gesture::paste("\xc3"), std::invalid_argument);
    CHECK_THROWS_AS(gesture::paste(std::string_view("a\0b", 3)), std::invalid_argument);
    CHECK_NOTHROW(gesture::paste("\x01\x1b"));
}

TEST_CASE("every kind of line break is one Enter and a tab is the Tab key") {
    const Batch enter{KeyChange{NamedKey::enter, Press::down},
                      KeyChange{NamedKey::enter, Press::up}};
    for (const char* line_break : {"\n", "\r", "\r\n"})
        CHECK(batch(gesture::type(line_break), 0) == enter);
    CHECK(batch(gesture::type("\n\r\n\r"), 0).size() == 6);
    CHECK(batch(gesture::type("\t"), 0).front() ==
          InputEvent{KeyChange{NamedKey::tab, Press::down}});
}

TEST_CASE("text is typed as scalars, surrogates and all in one event") {
    CHECK(batch(gesture::type("é世😀"), 0) ==
          Batch{TypedScalar{U'é'}, TypedScalar{U'世'}, TypedScalar{U'😀'}});
}

TEST_CASE("batches of text have at most 100 events, and none ends within a key press") {
    const Plan plan = gesture::type(std::string(99, 'a') + "\n" + std::string(250, 'b'));
    CHECK(batch(plan, 0).size() == 99);
    std::size_t events = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        CHECK(batch(plan, i).size() <= 100);
        events += batch(plan, i).size();
    }
    CHECK(events == 351);
}

TEST_CASE("with a delay, each character is a step, and the delay is between two of them") {
    const auto wait = std::chrono::milliseconds(10);
    const Plan plan = gesture::type("a\nb", wait);
    REQUIRE(plan.steps.size() == 3);
    CHECK(batch(plan, 0) == Batch{TypedScalar{U'a'}});
    CHECK(batch(plan, 1).size() == 2); // a key press is not divided
    CHECK(plan.steps[0].wait == wait);
    CHECK(plan.steps[1].wait == wait);
    CHECK(plan.steps[2].wait == std::chrono::milliseconds(0));
}

TEST_CASE("empty text is an empty plan") { CHECK(gesture::type("").steps.empty()); }

TEST_CASE("NUL and invalid UTF-8 cannot be typed, and the problem has the position") {
    CHECK(gesture::typing_problem("fine\n").empty());
    CHECK_THAT(gesture::typing_problem("ab\xff"), ContainsSubstring("byte 2"));
    CHECK_THAT(gesture::typing_problem("\xed\xa0\x80"), ContainsSubstring("byte 0")); // a surrogate
    CHECK_THAT(gesture::typing_problem(std::string_view("a\0b", 3)), ContainsSubstring("NUL"));
    CHECK_THROWS_AS(gesture::type("\xc3"), std::invalid_argument);
}
