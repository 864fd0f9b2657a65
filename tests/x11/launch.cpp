#include "desktop_contract.hpp"
#include "test_window.hpp"
#include "winio/error.hpp"

#include <sys/wait.h>

#include <cerrno>

using namespace winio;
using desktop_contract::eventually;
using x11_tests::patience;

TEST_CASE("a program is started with its arguments") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    const auto file = folder / "it's here";
    desktop->launch({"sh -c 'echo \"$1\" > \"$2\"' name \"two words\" \"" + file.string() + "\""});
    CHECK(eventually(
        [&] { return std::filesystem::exists(file) && test::read_file(file) == "two words\n"; },
        patience));
}

TEST_CASE("a started program is nobody's zombie") {
    const auto desktop = open_desktop();
    desktop->launch({"true"});
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("a program whose window comes up can be waited for, and closed") {
    const auto desktop = open_desktop();
    const test::TempFolder folder;
    desktop->launch({std::string(EYEHAND_X11_WINDOW) + " '" + (folder / "log").string() +
                     "' 'Launched window' 200 100 ffffff"});
    const WindowInfo window =
        wait_for_window(*desktop->windows(), {.title = "Launched window"}, patience);
    desktop->windows()->apply({window.id, WindowAction::close, {}});
    CHECK(eventually([&] { return test::read_file(folder / "log").ends_with("closed\n"); },
                     patience));
}

TEST_CASE("what cannot be started is an error that names it") {
    const auto desktop = open_desktop();
    for (const char* command : {"no-such-program-anywhere", "/no/such/file", "'never closed", "  "})
        try {
            desktop->launch({command});
            FAIL("no error");
        } catch (const Error& error) {
            CHECK(error.code() == errc::launch_failed);
        }
}
