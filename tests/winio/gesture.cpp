#include "winio/gesture.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace winio;
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

TEST_CASE("a click presses one to three times") {
    CHECK_THROWS_AS(gesture::click({}, Button::left, 0), std::invalid_argument);
    CHECK_THROWS_AS(gesture::click({}, Button::left, 4), std::invalid_argument);
    CHECK(batch(gesture::click({}, Button::right, 3), 0).size() == 7);
}

TEST_CASE("a click where the pointer is aims at nothing") {
    const Plan plan = gesture::click_here(Button::right);
    CHECK(plan.targets.empty());
    CHECK(batch(plan, 0) ==
          Batch{ButtonChange{Button::right, Press::down}, ButtonChange{Button::right, Press::up}});
}

TEST_CASE("a drag presses, goes in equal steps with a wait after each, and releases") {
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

TEST_CASE("scrolling turns the wheel at a place") {
    CHECK(batch(gesture::scroll({5, 6}, -3), 0) == Batch{PointerMove{{5, 6}}, WheelTurn{-3}});
    CHECK(batch(gesture::scroll({5, 6}, 0), 0) == Batch{PointerMove{{5, 6}}});
}

TEST_CASE("a chord goes down in order and up in the opposite one") {
    const Plan plan = gesture::press(*parse_chord("ctrl+s"));
    CHECK(batch(plan, 0) == Batch{KeyChange{NamedKey::ctrl, Press::down},
                                  KeyChange{U's', Press::down}, KeyChange{U's', Press::up},
                                  KeyChange{NamedKey::ctrl, Press::up}});
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

TEST_CASE("batches of text hold at most 100 events and none ends inside a key") {
    const Plan plan = gesture::type(std::string(99, 'a') + "\n" + std::string(250, 'b'));
    CHECK(batch(plan, 0).size() == 99);
    std::size_t events = 0;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        CHECK(batch(plan, i).size() <= 100);
        events += batch(plan, i).size();
    }
    CHECK(events == 351);
}

TEST_CASE("empty text is an empty plan") { CHECK(gesture::type("").steps.empty()); }

TEST_CASE("NUL and invalid UTF-8 cannot be typed and the place is told") {
    CHECK(gesture::typing_problem("fine\n").empty());
    CHECK_THAT(gesture::typing_problem("ab\xff"), ContainsSubstring("byte 2"));
    CHECK_THAT(gesture::typing_problem("\xed\xa0\x80"), ContainsSubstring("byte 0")); // a surrogate
    CHECK_THAT(gesture::typing_problem(std::string_view("a\0b", 3)), ContainsSubstring("NUL"));
    CHECK_THROWS_AS(gesture::type("\xc3"), std::invalid_argument);
}
