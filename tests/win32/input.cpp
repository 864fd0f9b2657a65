// Input as another program receives it.
#include "test_window.hpp"

#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"

using namespace eyehand::winio;

namespace {

struct Session {
    std::unique_ptr<Desktop> desktop = open_desktop();
    TestWindow window{*desktop};
    InputExecutor executor{*desktop, choose_area(desktop->displays(), {})};

    void execute(const Plan& plan) {
        const ExecutionReport report = executor.execute(plan);
        INFO(report.problem);
        REQUIRE(report.complete());
    }
    // A program gets the keyboard focus when it handles the click, not when the click is sent.
    void click_into_edit() {
        execute(gesture::click(center_of(window.state().edit)));
        REQUIRE(eventually([&] { return window.state().edit_focused == 1; }));
    }
};

// Text in an edit control has CR LF.
bool shows(const TestWindow& window, const std::string& text) {
    const bool shown = eventually([&] { return window.text() == text; });
    if (!shown) UNSCOPED_INFO("the text field has: " << window.text());
    return shown;
}

} // namespace

TEST_CASE("typed text in any script arrives with its line breaks") {
    Session session;
    session.click_into_edit();
    session.execute(gesture::type("Zażółć gęślą jaźń\nHello, world! {}[]@\\|~\n世界 😀 end"));
    CHECK(shows(session.window, "Zażółć gęślą jaźń\r\nHello, world! {}[]@\\|~\r\n世界 😀 end"));
}

TEST_CASE("text longer than a batch arrives complete and in order") {
    Session session;
    session.click_into_edit();
    std::string text;
    for (int i = 0; i < 60; ++i) text += "word" + std::to_string(i) + " ";
    session.execute(gesture::type(text));
    CHECK(shows(session.window, text));
}

TEST_CASE("a click presses only the button under it") {
    Session session;
    session.execute(gesture::click(center_of(session.window.state().button_b)));
    CHECK(eventually([&] { return session.window.state().clicks_b == 1; }));
    CHECK(session.window.state().clicks_a == 0);
    session.execute(gesture::click(center_of(session.window.state().button_a)));
    CHECK(eventually([&] { return session.window.state().clicks_a == 1; }));
    CHECK(session.window.state().clicks_b == 1);
}

TEST_CASE("a click on the first and last pixel of a button presses it") {
    Session session;
    const Rect button = rect_of(session.window.state().button_a);
    session.execute(gesture::click({button.x, button.y}));
    CHECK(eventually([&] { return session.window.state().clicks_a == 1; }));
    session.execute(gesture::click({button.right() - 1, button.bottom() - 1}));
    CHECK(eventually([&] { return session.window.state().clicks_a == 2; }));
}

// When the pointer moves, Wine reports its old position again. A list that receives this report
// between press and release deselects the clicked item.
TEST_CASE("between press and release a program never sees the pointer at its old position") {
    Session session;
    const TestWindowState& state = session.window.state();
    const auto& area = state.area;
    const int quarter = (area.right - area.left) / 4;
    const int middle = (area.top + area.bottom) / 2;
    constexpr int clicks = 150;
    for (int i = 0; i < clicks; ++i) {
        // Never at a place where a double-click could begin.
        const int x = area.left + quarter * (1 + 2 * (i % 2));
        session.execute(gesture::click({x, middle + (i % 4) * 12}));
    }
    CHECK(eventually([&] { return state.area_releases == clicks; }));
    CHECK(state.area_strays == 0);
}

TEST_CASE("a double-click arrives as a double-click") {
    Session session;
    session.execute(gesture::click(center_of(session.window.state().area), Button::left, 2));
    CHECK(eventually([&] { return session.window.state().area_double_clicks == 1; }));
    CHECK(session.window.state().area_presses == 1);
}

TEST_CASE("a right click arrives as a right click") {
    Session session;
    session.execute(gesture::click(center_of(session.window.state().area), Button::right));
    CHECK(eventually([&] { return session.window.state().area_right_clicks == 1; }));
    CHECK(session.window.state().area_presses == 0);
}

TEST_CASE("dragging over text selects it") {
    Session session;
    session.click_into_edit();
    session.execute(gesture::type("select all of this"));
    REQUIRE(shows(session.window, "select all of this"));
    const Rect edit = rect_of(session.window.state().edit);
    session.execute(gesture::drag({edit.x + 3, edit.y + 8}, {edit.x + 300, edit.y + 8}));
    CHECK(eventually([&] { return session.window.state().selection_end == 18; }));
    CHECK(session.window.state().selection_begin == 0);
}

TEST_CASE("wheel notches arrive with their number and direction") {
    Session session;
    const Point at = center_of(session.window.state().area);
    session.execute(gesture::scroll(at, -3));
    CHECK(eventually([&] { return session.window.state().wheel_units == -360; }));
    session.execute(gesture::scroll(at, 5));
    CHECK(eventually([&] { return session.window.state().wheel_units == 240; }));
}

TEST_CASE("positive notches of the horizontal wheel scroll right") {
    Session session;
    session.execute(gesture::scroll(center_of(session.window.state().area), 2, Axis::horizontal));
    CHECK(eventually([&] { return session.window.state().horizontal_wheel_units == 240; }));
}

TEST_CASE("chords select and copy, and no key stays pressed") {
    Session session;
    session.desktop->clipboard()->set_text("");
    session.click_into_edit();
    session.execute(gesture::type("copy é 世界 😀"));
    REQUIRE(shows(session.window, "copy é 世界 😀"));
    session.execute(gesture::press(*parse_chord("ctrl+a")));
    CHECK(eventually([&] { return session.window.state().selected_all == 1; }));
    // Opening the clipboard before the program has copied would prevent the copy.
    const DWORD before = GetClipboardSequenceNumber();
    session.execute(gesture::press(*parse_chord("ctrl+c")));
    CHECK(eventually([&] { return GetClipboardSequenceNumber() != before; }));
    CHECK(session.desktop->clipboard()->text() == "copy é 世界 😀");
    CHECK(eventually([&] { return session.window.state().keys_held == 0; }));
}

TEST_CASE("pasting with a chord inserts the clipboard's text") {
    Session session;
    session.click_into_edit();
    session.desktop->clipboard()->set_text("Grüße é 世界 😀\r\nsecond line");
    session.execute(gesture::press(*parse_chord("ctrl+v")));
    CHECK(shows(session.window, "Grüße é 世界 😀\r\nsecond line"));
}

TEST_CASE("navigation keys move the caret, unlike the keys of the numeric pad") {
    Session session;
    session.click_into_edit();
    session.execute(gesture::type("bc"));
    REQUIRE(shows(session.window, "bc"));
    session.execute(gesture::press(*parse_chord("home")));
    session.execute(gesture::type("a"));
    session.execute(gesture::press(*parse_chord("end")));
    session.execute(gesture::press(*parse_chord("backspace")));
    session.execute(gesture::press(*parse_chord("shift+d")));
    CHECK(shows(session.window, "abD"));
}

TEST_CASE("keys held by a plan that breaks off are released in the program") {
    Session session;
    session.click_into_edit();
    const Plan holding{{Step{Batch{KeyChange{NamedKey::shift, Press::down}}},
                        Step{WindowCommand{WindowId{0x7FFFFF00}, WindowAction::focus, {}}}}};
    CHECK(session.executor.execute(holding).released == 1);
    CHECK(eventually([&] {
        return session.window.state().key_presses > 0 && session.window.state().keys_held == 0;
    }));
    session.execute(gesture::press(*parse_chord("x")));
    CHECK(shows(session.window, "x"));
}
