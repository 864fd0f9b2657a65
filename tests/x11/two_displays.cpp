// A display left of the primary one.
#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "test_window.hpp"

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::patience;
using x11_tests::TestWindow;

TEST_CASE("two displays meet the contract of Desktop", "[two-displays]") {
    const auto desktop = open_desktop();
    desktop_contract::check(*desktop);
}

TEST_CASE("the primary display is listed first, at any position", "[two-displays]") {
    const auto displays = open_desktop()->displays();
    REQUIRE(displays.size() == 2);
    CHECK(displays[0].id == "main-one");
    CHECK(displays[0].primary);
    CHECK(displays[0].bounds == Rect{1920, 0, 1920, 1080});
    CHECK(displays[1].id == "left-one");
    CHECK_FALSE(displays[1].primary);
    CHECK(displays[1].bounds == Rect{0, 0, 1920, 1080});
}

TEST_CASE("areas can be chosen by display", "[two-displays]") {
    const auto desktop = open_desktop();
    CHECK(choose_area(*desktop, {}).bounds() == Rect{1920, 0, 1920, 1080});
    CHECK(choose_area(*desktop, {.display = "left-one"}).bounds() == Rect{0, 0, 1920, 1080});
    CHECK(choose_area(*desktop, {.display = "all"}).bounds() == Rect{0, 0, 3840, 1080});
}

TEST_CASE("each display is captured with its content", "[two-displays]") {
    const auto desktop = open_desktop();
    const TestWindow left(*desktop, "Left", {.color = "ff0000"});
    const TestWindow right(*desktop, "Right", {.color = "0000ff"});
    desktop->windows()->apply({left.info().id, WindowAction::move, {300, 200, 420, 330}});
    desktop->windows()->apply({right.info().id, WindowAction::move, {2300, 200, 420, 330}});
    const auto capturer = desktop->open_capturer({});
    Frame frame;
    const auto shows = [&](const char* display, Point at, Color color) {
        capturer->capture(choose_area(*desktop, {.display = display}).bounds(), frame);
        const Color there = frame.pixels.at(at.x - frame.origin.x, at.y - frame.origin.y);
        return there.red == color.red && there.blue == color.blue;
    };
    CHECK(eventually([&] { return shows("left-one", left.center(), {.red = 255}); }, patience));
    CHECK(frame.origin == Point{0, 0});
    CHECK(eventually([&] { return shows("main-one", right.center(), {.blue = 255}); }, patience));
    CHECK(frame.origin == Point{1920, 0});
}

TEST_CASE("clicks arrive on the correct display", "[two-displays]") {
    const auto desktop = open_desktop();
    const TestWindow left(*desktop, "Left");
    const TestWindow right(*desktop, "Right");
    desktop->windows()->apply({left.info().id, WindowAction::move, {300, 200, 420, 330}});
    desktop->windows()->apply({right.info().id, WindowAction::move, {2300, 200, 420, 330}});
    for (const TestWindow* window : {&left, &right}) {
        const Point at = window->center();
        const WorkArea display =
            choose_area(*desktop, {.display = window == &left ? "left-one" : "main-one"});
        CHECK(InputExecutor(*desktop, display).execute(gesture::click(at)).complete());
        CHECK(eventually(
            [&] {
                return window->lines("button") ==
                       std::vector{"1 " + std::to_string(at.x) + ' ' + std::to_string(at.y)};
            },
            patience));
    }
}
