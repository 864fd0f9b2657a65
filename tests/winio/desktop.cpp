#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/input_executor.hpp"

#include "catch.hpp"
#include "minimal_desktop.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;

TEST_CASE("the states of a window have the names of their enumerators") {
    CHECK(to_string(WindowState::normal) == "normal");
    CHECK(to_string(WindowState::minimized) == "minimized");
    CHECK(to_string(WindowState::maximized) == "maximized");
}

TEST_CASE("the error of a back-end that cannot start programs names a remedy") {
    MinimalDesktop desktop;
    try {
        desktop.launch({"editor"});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::not_supported);
        CHECK_THAT(error.what(), ContainsSubstring("Desktop::launch"));
    }
}

TEST_CASE("an executor reports a launch that the back-end does not support") {
    MinimalDesktop desktop;
    InputExecutor executor(desktop, WorkArea({0, 0, 320, 240}));
    const auto report = executor.execute({.steps = {{.effect = LaunchCommand{"editor"}}}});
    CHECK_FALSE(report.complete());
    CHECK(report.error == errc::not_supported);
}

TEST_CASE("two clicks are kept apart for half a second unless the back-end knows better") {
    CHECK(MinimalDesktop().double_click_time() == 500ms);
}
