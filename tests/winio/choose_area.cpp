#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <utility>

using namespace eyehand::winio;

namespace {

const std::vector<Display> two{
    {.id = "1", .name = "left", .bounds = {-1280, 56, 1280, 1024}},
    {.id = "2", .name = "main", .bounds = {0, 0, 1920, 1080}, .primary = true},
};

} // namespace

TEST_CASE("without a choice the primary display is the work area") {
    CHECK(choose_area(two, {}).bounds() == Rect{0, 0, 1920, 1080});
}

TEST_CASE("a display is chosen by its id") {
    CHECK(choose_area(two, {.display = "1"}).bounds() == Rect{-1280, 56, 1280, 1024});
}

TEST_CASE("the area of all displays is their bounding rectangle") {
    CHECK(choose_area(two, {.display = "all"}).bounds() == Rect{-1280, 0, 3200, 1080});
}

TEST_CASE("a crop is a part of the chosen display, and adjacent crops share no pixel") {
    const Rect left = choose_area(two, {.crop = NormBox{0, 0, 500, 500}}).bounds();
    const Rect right = choose_area(two, {.crop = NormBox{1000, 0, 500, 500}}).bounds();
    CHECK(left == Rect{0, 0, 960, 540});
    CHECK(right == Rect{960, 0, 960, 540});
}

TEST_CASE("the error for an unknown display lists the existing ones") {
    try {
        (void)choose_area(two, {.display = "3"});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::display_not_found);
        CHECK_THAT(error.what(), ContainsSubstring("\"3\""));
        CHECK_THAT(error.what(), ContainsSubstring("\"1\", \"2\""));
    }
}

TEST_CASE("without a display there is no work area") {
    try {
        (void)choose_area({}, {});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::no_display);
    }
}

TEST_CASE("a crop without a pixel is refused") {
    CHECK_THROWS_AS(choose_area(two, {.crop = NormBox{5, 5, 5, 900}}), std::invalid_argument);
    CHECK_THROWS_AS(choose_area(two, {.crop = NormBox{0.1, 0, 0.2, 900}}), std::invalid_argument);
}

TEST_CASE("the work area of a window is clipped to the displays, and can be cropped") {
    // Maximized, with borders beyond the edges of its display.
    const std::vector<WindowInfo> windows{{.id = WindowId{1},
                                           .title = "editor",
                                           .bounds = {-8, -8, 1936, 1096},
                                           .state = WindowState::maximized},
                                          {.id = WindowId{2}, .bounds = {-500, 100, 400, 300}}};
    AreaChoice choice{.window = WindowQuery{.title = "Editor"}};
    CHECK(choose_area(two, choice, windows).bounds() == Rect{-8, 0, 1928, 1080});
    choice.window = WindowQuery{};
    choice.crop = NormBox{500, 0, 1000, 1000};
    CHECK(choose_area(two, choice, std::span(windows).subspan(1)).bounds() ==
          Rect{-300, 100, 200, 300});
}

TEST_CASE("a missing, minimized or invisible window is refused as a work area") {
    const std::vector<WindowInfo> windows{
        {.id = WindowId{1}, .title = "gone", .bounds = {5000, 0, 50, 50}},
        {.id = WindowId{2},
         .title = "small",
         .bounds = {0, 0, 50, 50},
         .state = WindowState::minimized},
    };
    for (const auto& [title, word] :
         {std::pair{"gone", "minimized or outside"}, std::pair{"small", "minimized or outside"},
          std::pair{"other", "\"small\""}}) {
        const AreaChoice choice{.window = WindowQuery{.title = title}};
        try {
            (void)choose_area(two, choice, windows);
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::window_not_found);
            CHECK_THAT(error.what(), ContainsSubstring(word));
        }
    }
}

TEST_CASE("the windows of the desktop are listed if a window is chosen") {
    testing::MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{1}, .title = "editor", .bounds = {10, 20, 300, 200}}});
    const AreaChoice choice{.window = WindowQuery{.title = "editor"}};
    CHECK(choose_area(desktop, choice).bounds() == Rect{10, 20, 300, 200});
    CHECK(choose_area(desktop, {}).bounds() == Rect{0, 0, 1920, 1080});
}

TEST_CASE("a window outside all displays is refused, even between displays") {
    const std::vector<Display> diagonal{
        {.id = "1", .bounds = {0, 0, 1920, 1080}, .primary = true},
        {.id = "2", .bounds = {1920, 1080, 1920, 1080}},
    };
    std::vector<WindowInfo> windows{{.id = WindowId{1}, .bounds = {2000, 100, 300, 300}}};
    const AreaChoice choice{.window = WindowQuery{}};
    CHECK_THROWS_AS(choose_area(diagonal, choice, windows), Error);
    windows[0].bounds = {1900, 1000, 100, 200}; // on both displays
    CHECK(choose_area(diagonal, choice, windows).bounds() == Rect{1900, 1000, 100, 200});
}
