#include "desktop_contract.hpp"

#include "winio/desktop.hpp"

#include <algorithm>
#include <set>

using namespace winio;
using namespace std::chrono_literals;
using desktop_contract::eventually;

namespace {

std::set<WindowId> notepads(Desktop& desktop) {
    std::set<WindowId> found;
    for (const WindowInfo& window : desktop.windows()->list())
        if (window.process == "notepad.exe" && window.window_class == "Notepad")
            found.insert(window.id);
    return found;
}

} // namespace

TEST_CASE("a launched program opens its window and can be closed") {
    const auto desktop = open_desktop();
    const auto before = notepads(*desktop);
    desktop->launch({"notepad"});
    std::vector<WindowId> opened;
    CHECK(eventually(
        [&] {
            const auto now = notepads(*desktop);
            opened.clear();
            std::ranges::set_difference(now, before, std::back_inserter(opened));
            return opened.size() == 1;
        },
        20s));
    for (const WindowId window : opened)
        desktop->windows()->apply({window, WindowAction::close, {}});
    CHECK(eventually([&] { return notepads(*desktop) == before; }, 10s));
}

TEST_CASE("a program that does not exist is named together with the system's reason") {
    try {
        open_desktop()->launch({"no-such-program-of-ours --flag"});
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::launch_failed);
        CHECK_THAT(error.what(), ContainsSubstring("no-such-program-of-ours"));
        CHECK_THAT(error.what(), ContainsSubstring("system error"));
    }
}
