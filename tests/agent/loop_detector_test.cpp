#include "modes/loop_detector.hpp"

#include "catch.hpp"

namespace {

using namespace eyehand::agent;

Action click(double x, double y) { return {"click", {{x, y}}, {}, true}; }
Action type(const std::string& text) { return {"type", {}, text, true}; }

void step(LoopDetector& loops, const Action& action, bool still = true) {
    loops.acted(action);
    loops.saw(still);
}

} // namespace

TEST_CASE("loops: the same action three times without effect") {
    LoopDetector loops;
    step(loops, click(500, 500));
    step(loops, click(505, 495)); // counts as the same place
    CHECK_FALSE(loops.loop());
    step(loops, click(500, 500));
    REQUIRE(loops.loop());
    CHECK_THAT(*loops.loop(), ContainsSubstring("click [500, 500]"));
    loops.reset();
    CHECK_FALSE(loops.loop());
}

TEST_CASE("loops: not detected while the screen changes") {
    LoopDetector loops;
    for (int i = 0; i < 6; ++i) step(loops, click(500, 500), i % 2 == 0);
    CHECK_FALSE(loops.loop());
}

TEST_CASE("loops: the first time may change the screen") {
    LoopDetector loops;
    step(loops, click(500, 500), false); // the control gets the focus
    step(loops, click(500, 500));
    CHECK_FALSE(loops.loop());
    step(loops, click(500, 500));
    CHECK(loops.loop());
}

TEST_CASE("loops: eight clicks that differ by four units are a loop at the third one") {
    LoopDetector loops;
    const auto place = [](int i) { return click(500 + (i % 3 - 1) * 4, 500 + (i % 2) * 4); };
    for (int i = 0; i < 8; ++i) {
        step(loops, place(i));
        CHECK(loops.loop().has_value() == (i >= 2));
    }
}

TEST_CASE("loops: another screenshot corrects the latest one") {
    LoopDetector loops;
    for (int i = 0; i < 3; ++i) step(loops, click(500, 500));
    REQUIRE(loops.loop());
    loops.revise(true);
    CHECK(loops.loop());
    loops.revise(false);
    CHECK_FALSE(loops.loop());
}

TEST_CASE("loops: not detected with different places, texts or tools") {
    LoopDetector loops;
    step(loops, click(500, 500));
    step(loops, click(511, 500));
    step(loops, click(522, 500));
    CHECK_FALSE(loops.loop());
    step(loops, type("a"));
    step(loops, type("a"));
    step(loops, type("b"));
    CHECK_FALSE(loops.loop());
    Action twice = click(500, 500);
    twice.tool = "double_click";
    step(loops, click(500, 500));
    step(loops, click(500, 500));
    step(loops, twice);
    CHECK_FALSE(loops.loop());
}

TEST_CASE("loops: calls that look or report neither count nor interrupt") {
    LoopDetector loops;
    const Action look{"observe", {}, {}, false};
    for (int i = 0; i < 5; ++i) step(loops, look);
    CHECK_FALSE(loops.loop());
    for (int i = 0; i < 3; ++i) {
        step(loops, click(1, 1));
        step(loops, look);
    }
    CHECK(loops.loop());
}

TEST_CASE("loops: cycles of two to four actions, three times") {
    for (int period = 2; period <= 4; ++period) {
        INFO(period);
        LoopDetector loops;
        for (int i = 0; i < 3 * period; ++i) {
            CHECK_FALSE(loops.loop());
            step(loops, click(100.0 * (i % period), 0));
        }
        REQUIRE(loops.loop());
        CHECK_THAT(*loops.loop(), ContainsSubstring(", then "));
    }
    LoopDetector five;
    for (int i = 0; i < 30; ++i) step(five, click(100.0 * (i % 5), 0));
    CHECK_FALSE(five.loop());
}

TEST_CASE("loops: an action without a screenshot counts as progress") {
    LoopDetector loops;
    for (int i = 0; i < 6; ++i) loops.acted(click(1, 1));
    CHECK_FALSE(loops.loop());
}

TEST_CASE("loops: a screenshot shows the effect of all actions since the previous one") {
    LoopDetector loops;
    for (int i = 0; i < 3; ++i) loops.acted(click(1, 1));
    loops.saw(true);
    CHECK(loops.loop());
    LoopDetector changed;
    for (int i = 0; i < 3; ++i) changed.acted(click(1, 1));
    changed.saw(false);
    CHECK_FALSE(changed.loop());
}

TEST_CASE("loops: a refused call needs no screenshot") {
    LoopDetector loops;
    for (int i = 0; i < 3; ++i) loops.refused(click(1, 1));
    CHECK(loops.loop());
}

TEST_CASE("loops: the profile sets repetitions, cycle length and distance") {
    LoopDetector loops({.repetitions = 2, .max_cycle = 1, .distance = 0});
    step(loops, click(1, 1));
    step(loops, click(2, 1));
    CHECK_FALSE(loops.loop());
    step(loops, click(1, 1));
    step(loops, click(2, 1));
    CHECK_FALSE(loops.loop()); // a cycle of two
    step(loops, click(2, 1));
    CHECK(loops.loop());
}
