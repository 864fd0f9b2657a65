// The contract of all back-ends. The tests of each back-end call these functions with their
// desktop.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/check_desktop.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "printing.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace desktop_contract {

using test::eventually;
using test::patience;

/// Runs the conformance suite with all options.
inline void check(eyehand::winio::Desktop& desktop) {
    using namespace eyehand::winio;
    // An earlier test may have left content that the suite cannot restore.
    if (Clipboard* clipboard = desktop.clipboard()) clipboard->clear();
    std::ostringstream findings;
    for (const auto& finding : testing::check_desktop(desktop, {.moves_pointer = true,
                                                               .changes_clipboard = true,
                                                               .changes_focus = true,
                                                               .timeout = patience}))
        findings << finding << '\n';
    CHECK(findings.str() == "");
    for (const Display& display : desktop.displays()) CHECK(display.dpi >= 96);
}

/// Controls the window with that title and closes it. There must be another window.
inline void check_window(eyehand::winio::Desktop& desktop, const std::string& title) {
    using namespace eyehand::winio;
    using namespace std::chrono_literals;
    Windows* windows = desktop.windows();
    REQUIRE(windows != nullptr);
    const auto now = [&] { return find_window(windows->list(), {.title = title}); };
    const auto found = now();
    REQUIRE(found.has_value());

    SECTION("it gains and loses the foreground") {
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
    SECTION("it moves to the requested bounds, including its frame") {
        const Rect display = desktop.displays().front().bounds;
        const Rect to{display.x + 211, display.y + 143, 455, 377};
        windows->apply({found->id, WindowAction::move, to});
        CHECK(eventually([&] { return now()->bounds == to; }));
        CHECK(choose_area(desktop, {.window = WindowQuery{.title = title}}).bounds() == to);
    }
    SECTION("it is not found after it is closed") {
        windows->apply({found->id, WindowAction::close, {}});
        CHECK(eventually([&] { return !now(); }));
        CHECK_THROWS_AS(windows->apply({found->id, WindowAction::close, {}}),
                        eyehand::winio::Error);
    }
}

} // namespace desktop_contract
