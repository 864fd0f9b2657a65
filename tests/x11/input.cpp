#include "desktop_contract.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "test_window.hpp"
#include "x11/x11_desktop.hpp"

#include <xcb/xtest.h>

using namespace eyehand::winio;
using desktop_contract::eventually;
using x11_tests::patience;
using x11_tests::TestWindow;
using Lines = std::vector<std::string>;

namespace {

const WorkArea whole_screen(Rect{0, 0, 1920, 1080});

void execute(Desktop& desktop, const Plan& plan) {
    const ExecutionReport report = InputExecutor(desktop, whole_screen).execute(plan);
    INFO(report.problem);
    REQUIRE(report.complete());
}

/// A key that the user holds; released at the end.
class HeldKey {
public:
    HeldKey(const x11::Connection& connection, xcb_keycode_t key)
        : connection_(connection), key_(key) {
        give(XCB_KEY_PRESS);
    }
    ~HeldKey() { give(XCB_KEY_RELEASE); }
    HeldKey(const HeldKey&) = delete;
    HeldKey& operator=(const HeldKey&) = delete;

private:
    void give(std::uint8_t change) const {
        xcb_test_fake_input(connection_.get(), change, key_, 0, XCB_NONE, 0, 0, 0);
        connection_.flush();
    }
    const x11::Connection& connection_;
    xcb_keycode_t key_;
};

std::string place(Point at) { return std::to_string(at.x) + ' ' + std::to_string(at.y); }

} // namespace

TEST_CASE("clicks arrive at their target with the correct button") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Clicks");
    const Point at = window.center();
    execute(*desktop, gesture::click(at));
    execute(*desktop, gesture::click(at, Button::middle));
    execute(*desktop, gesture::click(at, Button::right));
    const Lines expected{"1 " + place(at), "2 " + place(at), "3 " + place(at)};
    CHECK(eventually([&] { return window.lines("button") == expected; }, patience));
    CHECK(eventually([&] { return window.lines("button-up") == expected; }, patience));
}

TEST_CASE("a notch of the wheel is one click of its button") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Wheel");
    const Point at = window.center();
    execute(*desktop, gesture::scroll(at, 2));
    execute(*desktop, gesture::scroll(at, -1));
    execute(*desktop, gesture::scroll(at, 1, Axis::horizontal));
    execute(*desktop, gesture::scroll(at, -1, Axis::horizontal));
    const std::string there = ' ' + place(at);
    CHECK(eventually(
        [&] {
            return window.lines("button") ==
                   Lines{"4" + there, "4" + there, "5" + there, "7" + there, "6" + there};
        },
        patience));
}

TEST_CASE("the left button is the primary one, also if the buttons are swapped") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Left-handed");
    xcb_connection_t* const server = desktop.connection().get();
    const auto usual =
        desktop.connection().take(xcb_get_pointer_mapping_reply, xcb_get_pointer_mapping(server));
    REQUIRE(usual);
    const auto* map = xcb_get_pointer_mapping_map(usual.get());
    std::vector<std::uint8_t> swapped(map, map + xcb_get_pointer_mapping_map_length(usual.get()));
    const auto set = [&](const std::vector<std::uint8_t>& places) {
        return desktop.connection().take(
            xcb_set_pointer_mapping_reply,
            xcb_set_pointer_mapping(server, static_cast<std::uint8_t>(places.size()),
                                    places.data()));
    };
    const std::vector<std::uint8_t> before = swapped;
    std::swap(swapped[0], swapped[2]);
    REQUIRE(set(swapped));
    const Point at = window.center();
    const SendReport report = desktop.send(
        std::vector<InputEvent>{PointerMove{at}, ButtonChange{Button::left, Press::down},
                                ButtonChange{Button::left, Press::up}});
    set(before);
    CHECK(report.complete());
    CHECK(eventually([&] { return window.lines("button") == Lines{"1 " + place(at)}; }, patience));
}

TEST_CASE("named keys and shortcuts arrive as the correct keys") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Keys");
    execute(*desktop, gesture::press(*parse_chord("ctrl+shift+s")));
    execute(*desktop, gesture::press(*parse_chord("f5")));
    execute(*desktop, gesture::press(*parse_chord("page_down")));
    execute(*desktop, gesture::press(*parse_chord("f20"))); // not on the keyboard
    CHECK(eventually(
        [&] {
            return window.lines("key") == Lines{"ffe3", "ffe1", "53 S", "ffc2", "ff56", "ffd1"};
        },
        patience));
    CHECK(eventually([&] { return window.lines("up").size() == 6; }, patience));
}

TEST_CASE("Caps Lock does not invert the case of typed text, and stays on") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Caps Lock");
    execute(desktop, gesture::press({{NamedKey::caps_lock}}));
    execute(desktop, gesture::type("aBé"));
    const auto pointer = desktop.connection().take(
        xcb_query_pointer_reply,
        xcb_query_pointer(desktop.connection().get(), desktop.connection().root()));
    const bool still_on = (pointer->mask & XCB_MOD_MASK_LOCK) != 0;
    execute(desktop, gesture::press({{NamedKey::caps_lock}}));
    CHECK(still_on);
    CHECK(eventually([&] { return window.text() == "aBé"; }, patience));
}

TEST_CASE("a modifier that the user holds is released before keys are pressed") {
    x11::X11Desktop desktop;
    const TestWindow window(desktop, "Held");
    constexpr xcb_keycode_t left_ctrl = 37; // on Xvfb's evdev keyboard
    const HeldKey held(desktop.connection(), left_ctrl);
    CHECK(eventually([&] { return window.lines("key") == Lines{"ffe3"}; }, patience));
    execute(desktop, gesture::type("x"));
    CHECK(eventually([&] { return window.lines("up") == Lines{"ffe3", "78 x"}; }, patience));
}

TEST_CASE("a modifier that the desktop itself holds stays pressed") {
    const auto desktop = open_desktop();
    const TestWindow window(*desktop, "Kept");
    const auto change = [](Key key, Press press) { return KeyChange{key, press}; };
    const Plan plan{.steps = {{Batch{change(NamedKey::ctrl, Press::down)}},
                              {Batch{change(U'c', Press::down), change(U'c', Press::up)}},
                              {Batch{change(NamedKey::ctrl, Press::up)}}}};
    execute(*desktop, plan);
    CHECK(eventually([&] { return window.lines("up") == Lines{"63 c", "ffe3"}; }, patience));
}

TEST_CASE("keys that the desktop holds are released when it is closed") {
    x11::X11Desktop watching;
    const TestWindow window(watching, "Let go");
    {
        x11::X11Desktop desktop;
        const std::vector<InputEvent> held{
            PointerMove{window.center()}, ButtonChange{Button::left, Press::down},
            KeyChange{NamedKey::ctrl, Press::down}, KeyChange{U'世', Press::down}};
        REQUIRE(desktop.send(held).complete());
    }
    CHECK(eventually([&] { return window.lines("button-up").size() == 1; }, patience));
    CHECK(eventually([&] { return window.lines("up") == Lines{"1004e16 世", "ffe3"}; }, patience));
}

TEST_CASE("a move outside the screen ends at its edge") {
    const auto desktop = open_desktop();
    for (const auto& [to, arrives] : {std::pair{Point{-50, 5000}, Point{0, 1079}},
                                      std::pair{Point{70000, -1}, Point{1919, 0}}}) {
        const InputEvent move = PointerMove{to};
        CHECK(desktop->send({&move, 1}).complete());
        CHECK(desktop->pointer() == arrives);
    }
}
