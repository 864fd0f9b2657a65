#include "eyehand/winio/redaction.hpp"

#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <stdexcept>

using namespace eyehand::winio;
using testing::MemoryDesktop;

namespace {

constexpr Color white{255, 255, 255, 255};
constexpr Color black{};
const Rect screen{0, 0, 320, 240};

WindowInfo window(std::uintptr_t id, std::string title, const Rect& bounds) {
    WindowInfo info;
    info.id = WindowId{id};
    info.title = std::move(title);
    info.bounds = info.opaque = bounds;
    return info;
}

/// A white desktop.
struct RedactionStage {
    MemoryDesktop desktop{screen.size()};
    Redaction redaction{.windows = {{.title = "Secret"}}};
    std::vector<Rect> redacted;

    RedactionStage() { desktop.screen().fill(screen, white); }
    Frame capture(const Rect& area = screen) {
        RedactingCapturer capturer(desktop.open_capturer({}), desktop.windows(), redaction);
        Frame frame;
        capturer.capture(area, frame);
        redacted = capturer.redacted();
        return frame;
    }
};

/// The number of pixels of this color.
int count(const Frame& frame, Color color) {
    int found = 0;
    for (int y = 0; y < frame.pixels.height(); ++y)
        for (int x = 0; x < frame.pixels.width(); ++x) found += frame.pixels.at(x, y) == color;
    return found;
}

} // namespace

TEST_CASE("redaction: all windows that match are black, and nothing else") {
    RedactionStage stage;
    stage.desktop.set_windows({window(1, "Other", {0, 0, 50, 50}),
                               window(2, "My SECRETS", {100, 50, 40, 30}),
                               window(3, "Secret", {200, 100, 10, 10})});
    const Frame frame = stage.capture();
    CHECK(count(frame, black) == 40 * 30 + 10 * 10);
    CHECK(frame.pixels.at(100, 50) == black);
    CHECK(frame.pixels.at(139, 79) == black);
    CHECK(frame.pixels.at(140, 79) == white);
    CHECK(frame.pixels.at(209, 109) == black);
    CHECK(stage.redacted == std::vector<Rect>{{100, 50, 40, 30}, {200, 100, 10, 10}});
}

TEST_CASE("redaction: a rectangle is black, within the captured area") {
    RedactionStage stage;
    stage.redaction = {.areas = {{-10, -10, 30, 40}, {300, 200, 100, 100}}};
    const Frame frame = stage.capture({10, 10, 100, 100});
    CHECK(count(frame, black) == 10 * 20);
    CHECK(frame.pixels.at(9, 19) == black);
    CHECK(stage.redacted == std::vector<Rect>{{10, 10, 10, 20}});
}

TEST_CASE("redaction: what an opaque window hides stays visible, a transparent one hides nothing") {
    RedactionStage stage;
    WindowInfo front = window(1, "Front", {20, 20, 100, 100});
    const bool opaque = GENERATE(true, false);
    if (!opaque) front.opaque = {};
    stage.desktop.set_windows({front, window(2, "Secret", {10, 10, 60, 60})});
    const Frame frame = stage.capture();
    CHECK(count(frame, black) == (opaque ? 60 * 60 - 50 * 50 : 60 * 60));
    CHECK(frame.pixels.at(30, 30) == (opaque ? white : black));
    CHECK(frame.pixels.at(15, 65) == black);
}

TEST_CASE("redaction: minimized windows are not visible and hide nothing") {
    RedactionStage stage;
    WindowInfo front = window(1, "Front", screen);
    front.state = WindowState::minimized;
    WindowInfo icon = window(2, "Secret", {200, 200, 20, 20});
    icon.state = WindowState::minimized;
    stage.desktop.set_windows({front, icon, window(3, "Secret", {10, 10, 60, 60})});
    CHECK(count(stage.capture(), black) == 60 * 60);
}

TEST_CASE("redaction: a window that moves, opens or closes during a capture stays hidden") {
    RedactionStage stage;
    const WindowInfo here = window(1, "Secret", {10, 10, 20, 20});
    const WindowInfo there = window(1, "Secret", {110, 10, 20, 20});
    const auto [before, after, pixels] = GENERATE_COPY(
        std::tuple{std::vector{here}, std::vector{there}, 120 * 20}, // it may have been in between
        std::tuple{std::vector<WindowInfo>{}, std::vector{there}, 20 * 20},
        std::tuple{std::vector{here}, std::vector<WindowInfo>{}, 20 * 20});
    stage.desktop.set_windows(before);
    stage.desktop.on_capture = [&, now = after] { stage.desktop.set_windows(now); };
    CHECK(count(stage.capture(), black) == pixels);
}

TEST_CASE("redaction: a window whose title changes during a capture stays hidden") {
    RedactionStage stage;
    stage.desktop.set_windows({window(1, "Secret", {10, 10, 20, 20})});
    stage.desktop.on_capture = [&] {
        stage.desktop.set_windows({window(1, "Other", {10, 10, 20, 20})});
    };
    CHECK(count(stage.capture(), black) == 20 * 20);
}

TEST_CASE("redaction: while a window before it moves, a window is black as a whole") {
    RedactionStage stage;
    const WindowInfo secret = window(2, "Secret", {10, 10, 20, 20});
    stage.desktop.set_windows({window(1, "Other", {0, 0, 50, 50}), secret});
    stage.desktop.on_capture = [&] { // it may have been elsewhere in between
        stage.desktop.set_windows({window(1, "Other", {5, 5, 50, 50}), secret});
    };
    CHECK(count(stage.capture(), black) == 20 * 20);
}

TEST_CASE("redaction: a process matches with and without the extension of programs on Windows") {
    RedactionStage stage;
    WindowInfo vault = window(1, "A window", {10, 10, 20, 20});
    vault.process = GENERATE("KeePassXC.exe", "keepassxc", "keepassxc-cli.exe", "other.exe");
    stage.desktop.set_windows({vault});
    stage.redaction = {.windows = {{.process = "keepassxc"}}};
    const bool hidden = vault.process == "KeePassXC.exe" || vault.process == "keepassxc";
    CHECK(count(stage.capture(), black) == (hidden ? 20 * 20 : 0));
}

TEST_CASE("redaction: a window that comes to the front during a capture stays hidden") {
    RedactionStage stage;
    const WindowInfo secret = window(1, "Secret", {10, 10, 20, 20});
    const WindowInfo other = window(2, "Other", screen);
    const bool comes = GENERATE(true, false);
    const std::vector<WindowInfo> hidden{other, secret};
    const std::vector<WindowInfo> shown{secret, other};
    stage.desktop.set_windows(comes ? hidden : shown);
    stage.desktop.on_capture = [&] { stage.desktop.set_windows(comes ? shown : hidden); };
    CHECK(count(stage.capture(), black) == 20 * 20);
}

TEST_CASE("redaction: password fields are black, also those that move or close during a capture") {
    RedactionStage stage;
    stage.redaction = {.password_fields = true};
    const PasswordField here{WindowId{1}, {10, 10, 50, 20}, false};
    const PasswordField there{WindowId{1}, {110, 10, 50, 20}, false};
    const auto [after, pixels] = GENERATE_COPY(std::pair{std::vector{here}, 50 * 20},
                                               std::pair{std::vector{there}, 2 * 50 * 20},
                                               std::pair{std::vector<PasswordField>{}, 50 * 20});
    stage.desktop.set_password_fields({here});
    stage.desktop.on_capture = [&, now = after] { stage.desktop.set_password_fields(now); };
    CHECK(count(stage.capture(), black) == pixels);
}

TEST_CASE("redaction: a function can choose windows from the list") {
    RedactionStage stage;
    stage.desktop.set_windows(
        {window(1, "Other", {0, 0, 50, 50}), window(2, "Last", {100, 50, 40, 30})});
    stage.redaction = {
        .more_windows = [](std::span<const WindowInfo> all) { return std::vector{all.back().id}; }};
    CHECK(count(stage.capture(), black) == 40 * 30);
}

TEST_CASE("redaction: a desktop that does not list windows can hide areas only") {
    MemoryDesktop desktop(screen.size());
    CHECK_THROWS_AS(
        RedactingCapturer(desktop.open_capturer({}), nullptr, {.windows = {{.title = "Secret"}}}),
        std::invalid_argument);
    CHECK_NOTHROW(RedactingCapturer(desktop.open_capturer({}), nullptr, {.areas = {screen}}));
}
