// What every back-end promises, whatever system it is made for. Each back-end's tests call this
// with a desktop of their own.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace desktop_contract {

/// Catches hangs, also on a busy machine. A test that passes does not wait for it.
inline constexpr std::chrono::seconds patience{60};

/// Polls every few milliseconds until `fulfilled` returns true. False after `limit`.
inline bool eventually(const std::function<bool()>& fulfilled,
                       std::chrono::milliseconds limit = patience) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (!fulfilled()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        never.wait_for(lock, std::chrono::milliseconds(2));
    }
    return true;
}

/// Lists displays, captures, moves the pointer. Presses nothing and types nothing.
inline void check(eyehand::winio::Desktop& desktop) {
    using namespace eyehand::winio;
    const auto displays = desktop.displays();
    REQUIRE_FALSE(displays.empty());

    SECTION("displays have ids of their own, an extent and exactly one of them is primary") {
        int primaries = 0;
        for (const Display& display : displays) {
            CHECK_FALSE(display.id.empty());
            CHECK_FALSE(display.bounds.empty());
            CHECK(display.dpi >= 96);
            primaries += display.primary;
            for (const Display& other : displays)
                if (&other != &display) CHECK(other.id != display.id);
        }
        CHECK(primaries == 1);
    }
    SECTION("a capture has the size and origin that were asked for") {
        const Rect area{displays[0].bounds.x + 10, displays[0].bounds.y + 20, 33, 17};
        Frame frame;
        desktop.open_capturer({})->capture(area, frame);
        CHECK(frame.pixels.size() == area.size());
        CHECK(frame.origin == area.origin());
    }
    SECTION("a capturer can change its area and keeps nothing of the one before") {
        const Rect& bounds = displays[0].bounds;
        const auto capturer = desktop.open_capturer({.pointer = false});
        Frame frame;
        capturer->capture({bounds.x, bounds.y, 64, 64}, frame);
        capturer->capture({bounds.x + 8, bounds.y, 16, 8}, frame);
        CHECK(frame.pixels.size() == Size{16, 8});
        CHECK(frame.origin == Point{bounds.x + 8, bounds.y});
        CHECK_FALSE(frame.pointer.has_value());
    }
    SECTION("what lies outside the desktop is black") {
        Rect all;
        for (const Display& display : displays) all = bounding_rect(all, display.bounds);
        Frame frame;
        frame.pixels = Image({20, 20});
        frame.pixels.fill({0, 0, 20, 20}, {255, 255, 255, 255}); // what must not shine through
        desktop.open_capturer({})->capture({all.right() + 100, all.y, 20, 20}, frame);
        for (int y = 0; y < 20; ++y)
            for (int x = 0; x < 20; ++x) {
                const Color color = frame.pixels.at(x, y);
                REQUIRE(int{color.red} + color.green + color.blue == 0);
            }
    }
    SECTION("an empty area cannot be captured") {
        Frame frame;
        CHECK_THROWS_AS(desktop.open_capturer({})->capture({0, 0, 0, 5}, frame),
                        std::invalid_argument);
    }
    SECTION("the pointer goes where it is sent, in corners and in the middle") {
        const Rect& bounds = displays[0].bounds;
        for (const Point to :
             {Point{bounds.x, bounds.y}, Point{bounds.right() - 1, bounds.y},
              Point{bounds.x, bounds.bottom() - 1}, Point{bounds.right() - 1, bounds.bottom() - 1},
              Point{bounds.x + bounds.width / 2, bounds.y + bounds.height / 2}}) {
            const InputEvent move = PointerMove{to};
            const SendReport report = desktop.send({&move, 1});
            CHECK(report.complete());
            CHECK(report.sent == 1);
            CHECK_FALSE(report.error);
            // The pointer may lag behind: up to 105 ms were seen under Wine.
            INFO("sent to " << to.x << ", " << to.y << ", is at " << desktop.pointer()->x << ", "
                            << desktop.pointer()->y);
            CHECK(eventually([&] { return desktop.pointer() == to; }));
        }
    }
    SECTION("sending nothing is complete") {
        CHECK(desktop.send({}).complete());
        CHECK(desktop.send({}).sent == 0);
    }
    SECTION("clipboard text comes back, characters beyond ASCII and line ends included") {
        if (Clipboard* clipboard = desktop.clipboard()) {
            for (const char* text : {"é 世界 😀", "two\r\nlines", "one\nline", ""}) {
                clipboard->set_text(text);
                CHECK(clipboard->text() == text);
            }
        }
    }
    SECTION("a clipboard image comes back with its pixels, and replaces the text") {
        if (Clipboard* clipboard = desktop.clipboard()) {
            Image image({5, 3}); // rows that need padding in bitmaps
            image.fill({1, 0, 2, 2}, {10, 20, 30, 255});
            image.fill({4, 2, 1, 1}, {255, 128, 0, 255});
            clipboard->set_text("to be replaced");
            clipboard->set_image(image.view());
            const auto back = clipboard->image();
            REQUIRE(back.has_value());
            REQUIRE(back->size() == image.size());
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x) REQUIRE(back->at(x, y) == image.at(x, y));
            CHECK(clipboard->text().empty());
            clipboard->set_text("again");
            CHECK_FALSE(clipboard->image().has_value());
        }
    }
    SECTION("a cleared clipboard holds nothing at all") {
        if (Clipboard* clipboard = desktop.clipboard()) {
            clipboard->set_text("text");
            CHECK_FALSE(clipboard->holds_other());
            clipboard->clear();
            CHECK(clipboard->text().empty());
            CHECK_FALSE(clipboard->image());
            CHECK_FALSE(clipboard->holds_other());
        }
    }
    SECTION("an empty image is a mistake of the caller") {
        if (Clipboard* clipboard = desktop.clipboard())
            CHECK_THROWS_AS(clipboard->set_image({}), std::invalid_argument);
    }
    SECTION("lines on the clipboard are broken in one of the usual ways") {
        if (Clipboard* clipboard = desktop.clipboard()) {
            const std::string_view line_break = clipboard->line_break();
            CHECK((line_break == "\n" || line_break == "\r\n"));
        }
    }
    SECTION("a window that does not exist is not found") {
        if (Windows* windows = desktop.windows()) {
            try {
                windows->apply({WindowId{0x7FFFFF00}, WindowAction::focus, {}});
                FAIL("no error");
            } catch (const Error& error) {
                CHECK(error.code() == errc::window_not_found);
            }
        }
    }
    SECTION("a program that does not exist cannot be launched") {
        CHECK_THROWS_AS(desktop.launch({""}), Error);
    }
    SECTION("text with a NUL or what is not UTF-8 is a mistake of the caller") {
        for (const std::string& text : {std::string("caf\xe9"), std::string("a\0b", 3)}) {
            CHECK_THROWS_AS(desktop.launch({text}), std::invalid_argument);
            if (Clipboard* clipboard = desktop.clipboard())
                CHECK_THROWS_AS(clipboard->set_text(text), std::invalid_argument);
        }
    }
}

/// Works a real window of that title, which is not the only one, and closes it.
inline void check_window(eyehand::winio::Desktop& desktop, const std::string& title) {
    using namespace eyehand::winio;
    using namespace std::chrono_literals;
    Windows* windows = desktop.windows();
    REQUIRE(windows != nullptr);
    const auto now = [&] { return find_window(windows->list(), {.title = title}); };
    const auto found = now();
    REQUIRE(found.has_value());

    SECTION("it gets the foreground and loses it") {
        const auto list = windows->list();
        const auto other = std::find_if(list.begin(), list.end(), [&](const WindowInfo& window) {
            return window.id != found->id && !window.title.empty();
        });
        REQUIRE(other != list.end());
        windows->apply({other->id, WindowAction::focus, {}});
        CHECK_FALSE(now()->foreground);
        windows->apply({found->id, WindowAction::focus, {}});
        CHECK(now()->foreground);
        CHECK(windows->list().front().id == found->id);
    }
    SECTION("it goes where it is moved, frame included") {
        const Rect display = desktop.displays().front().bounds;
        const Rect to{display.x + 211, display.y + 143, 455, 377};
        windows->apply({found->id, WindowAction::move, to});
        CHECK(eventually([&] { return now()->bounds == to; }));
        CHECK(choose_area(desktop, {.window = WindowQuery{.title = title}}).bounds() == to);
    }
    SECTION("it ends when it is closed, and is not found afterwards") {
        windows->apply({found->id, WindowAction::close, {}});
        CHECK(eventually([&] { return !now(); }));
        CHECK_THROWS_AS(windows->apply({found->id, WindowAction::close, {}}), Error);
    }
}

} // namespace desktop_contract
