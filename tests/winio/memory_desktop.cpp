#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "desktop_contract.hpp"
#include "printing.hpp"

#include <cstdint>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

using namespace eyehand::winio;
using testing::MemoryDesktop;

TEST_CASE("the memory desktop meets the contract of Desktop") {
    MemoryDesktop desktop;
    desktop_contract::check(desktop);
}

TEST_CASE("a memory desktop with a display at negative coordinates meets the contract of Desktop") {
    MemoryDesktop desktop({{.id = "1", .bounds = {-800, -100, 800, 600}},
                           {.id = "2", .bounds = {0, 0, 1024, 768}, .primary = true}});
    desktop_contract::check(desktop);
}

TEST_CASE("a capture shows what the test painted, for any origin of the displays") {
    MemoryDesktop desktop({{.id = "1", .bounds = {-100, -50, 200, 100}, .primary = true}});
    desktop.screen().fill({10, 20, 1, 1}, {.red = 77});
    Frame frame;
    desktop.open_capturer({})->capture({-90, -30, 5, 5}, frame);
    CHECK(int{frame.pixels.at(0, 0).red} == 77);
    CHECK(int{frame.pixels.at(1, 0).red} == 0);
    CHECK(desktop.captures() == 1);
}

TEST_CASE("another thread changes a memory desktop that is captured") {
    MemoryDesktop desktop({100, 80});
    std::jthread painter([&](const std::stop_token& stop) {
        for (std::uint8_t shade = 0; !stop.stop_requested(); ++shade)
            desktop.change([&] {
                desktop.screen().fill({0, 0, 100, 80}, {.red = shade});
                desktop.set_windows({{.title = std::string(100, 'a')}});
            });
    });
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    std::set<std::uint8_t> shades;
    bool whole = true;
    bool titles = true;
    while (shades.size() < 20) {
        capturer->capture({0, 0, 100, 80}, frame);
        const Color first = frame.pixels.at(0, 0);
        shades.insert(first.red);
        for (int y = 0; y < 80; ++y)
            for (int x = 0; x < 100; ++x) whole = whole && frame.pixels.at(x, y) == first;
        for (const WindowInfo& window : desktop.windows()->list())
            titles = titles && window.title.size() == 100;
    }
    CHECK(whole);
    CHECK(titles);
}

TEST_CASE("a capture contains the pointer if it is requested and exists") {
    MemoryDesktop desktop;
    Frame frame;
    desktop.open_capturer({})->capture({0, 0, 5, 5}, frame);
    CHECK_FALSE(frame.pointer.has_value());
    PointerShape shape;
    shape.pixels = Image({3, 3});
    desktop.set_pointer_shape(shape);
    const InputEvent move = PointerMove{{700, 3}};
    REQUIRE(desktop.send({&move, 1}).complete());
    desktop.open_capturer({})->capture({0, 0, 5, 5}, frame);
    REQUIRE(frame.pointer.has_value());
    CHECK(frame.pointer->position == Point{700, 3});
    desktop.open_capturer({.pointer = false})->capture({0, 0, 5, 5}, frame);
    CHECK_FALSE(frame.pointer.has_value());
}

TEST_CASE("captures fail as often as the test requests and then succeed") {
    MemoryDesktop desktop;
    desktop.fail_next_captures(errc::capture_unavailable, 1);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    CHECK_THROWS_AS(capturer->capture({0, 0, 5, 5}, frame), Error);
    CHECK_NOTHROW(capturer->capture({0, 0, 5, 5}, frame));
}

TEST_CASE("a desktop without displays cannot be captured") {
    MemoryDesktop desktop;
    desktop.set_displays({});
    Frame frame;
    try {
        desktop.open_capturer({})->capture({0, 0, 5, 5}, frame);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::no_display);
    }
}

TEST_CASE("input is recorded up to the number that the test allows") {
    MemoryDesktop desktop;
    desktop.accept_at_most(2);
    const Batch batch{TypedScalar{U'a'}, TypedScalar{U'b'}, TypedScalar{U'c'}};
    const SendReport report = desktop.send(batch);
    CHECK(report.sent == 3);
    CHECK(report.accepted == 2);
    CHECK_FALSE(report.problem.empty());
    CHECK(report.error == errc::input_refused);
    CHECK(desktop.typed() == "ab");
    CHECK(desktop.send(batch).accepted == 0);
    desktop.accept_everything();
    CHECK(desktop.send(batch).complete());
}

TEST_CASE("held keys and buttons can be queried") {
    MemoryDesktop desktop;
    const Batch down{ButtonChange{Button::right, Press::down}, KeyChange{U'a', Press::down}};
    REQUIRE(desktop.send(down).complete());
    CHECK(desktop.holds(Button::right));
    CHECK(desktop.holds(Key{U'a'}));
    const Batch up{ButtonChange{Button::right, Press::up}, KeyChange{U'a', Press::up}};
    REQUIRE(desktop.send(up).complete());
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("typed text includes Enter and Tab") {
    MemoryDesktop desktop;
    const Batch batch{TypedScalar{U'世'}, KeyChange{NamedKey::enter, Press::down},
                      KeyChange{NamedKey::enter, Press::up}, KeyChange{NamedKey::tab, Press::down}};
    REQUIRE(desktop.send(batch).complete());
    CHECK(desktop.typed() == "世\n\t");
}

TEST_CASE("records can be deleted, and what is held stays held") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{1}, .title = "one"}});
    desktop.launch({.command = "notepad"});
    desktop.windows()->apply({WindowId{1}, WindowAction::focus, {}});
    const Batch held{ButtonChange{Button::left, Press::down}};
    REQUIRE(desktop.send(held).complete());
    desktop.clear_records();
    CHECK(desktop.events().empty());
    CHECK(desktop.launches().empty());
    CHECK(desktop.window_commands().empty());
    CHECK(desktop.holds(Button::left));
}

TEST_CASE("window commands change the list of windows") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{1}, .title = "one", .foreground = true},
                         {.id = WindowId{2}, .title = "two", .state = WindowState::minimized}});
    Windows& windows = *desktop.windows();
    windows.apply({WindowId{2}, WindowAction::focus, {}});
    CHECK(windows.list().front().title == "two");
    CHECK(windows.list().front().foreground);
    CHECK(windows.list().front().state == WindowState::normal);
    CHECK_FALSE(windows.list().back().foreground);
    windows.apply({WindowId{2}, WindowAction::move, {1, 2, 3, 4}});
    CHECK(windows.list().front().bounds == Rect{1, 2, 3, 4});
    windows.apply({WindowId{2}, WindowAction::close, {}});
    CHECK(windows.list().size() == 1);
}

TEST_CASE("a window command succeeds if the test then removes the window") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{1}, .title = "one"}});
    desktop.on_window = [&](const WindowCommand&) { desktop.set_windows({}); };
    desktop.windows()->apply({WindowId{1}, WindowAction::focus, {}});
    CHECK(desktop.window_commands().size() == 1);
    CHECK(desktop.windows()->list().empty());
}

TEST_CASE("an image on the clipboard is opaque and replaces the text") {
    MemoryDesktop desktop;
    Clipboard& clipboard = *desktop.clipboard();
    clipboard.set_text("text");
    CHECK_FALSE(clipboard.image());
    Image image({3, 2});
    image.fill({1, 1, 1, 1}, {.blue = 1, .green = 2, .red = 3, .alpha = 0});
    clipboard.set_image(image.view());
    CHECK(clipboard.text().empty());
    const auto back = clipboard.image();
    REQUIRE(back);
    CHECK(back->size() == Size{3, 2});
    CHECK(back->at(1, 1) == Color{.blue = 1, .green = 2, .red = 3, .alpha = 255});
    clipboard.set_text("text");
    CHECK_FALSE(clipboard.image());
}

TEST_CASE("a test can make the clipboard fail") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("kept");
    desktop.on_clipboard = [](testing::ClipboardUse use) {
        if (use == testing::ClipboardUse::write) throw Error(errc::clipboard_failed, "held");
    };
    CHECK_THROWS_AS(desktop.clipboard()->set_text("x"), Error);
    CHECK_THROWS_AS(desktop.clipboard()->set_image(Image({1, 1}).view()), Error);
    CHECK(desktop.clipboard()->text() == "kept");
}

TEST_CASE("two presses at one place within the time are a double-click, a third starts a new one") {
    MemoryDesktop desktop;
    const ButtonChange left_down{Button::left, Press::down};
    const Batch three{left_down, left_down, left_down};
    REQUIRE(desktop.send(three).complete());
    CHECK(desktop.double_clicks() == 0); // the time is zero
    desktop.set_double_click_time(std::chrono::hours(1));
    const Batch elsewhere{PointerMove{{50, 50}}, left_down, PointerMove{{55, 50}}, left_down,
                          ButtonChange{Button::right, Press::down}};
    REQUIRE(desktop.send(elsewhere).complete());
    CHECK(desktop.double_clicks() == 0); // too far apart, and another button
    const Batch there{PointerMove{{200, 50}}, left_down, PointerMove{{204, 50}}, left_down,
                      left_down};
    REQUIRE(desktop.send(there).complete());
    CHECK(desktop.double_clicks() == 1);
}
