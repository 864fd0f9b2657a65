#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::MemoryDesktop;

namespace {

const std::vector<WindowInfo> some{
    {.id = WindowId{1}, .title = "Notepad of a friend", .window_class = "Edit", .process = "a.exe"},
    {.id = WindowId{2}, .title = "notepad", .window_class = "Notepad", .process = "notepad.exe"},
    {.id = WindowId{3}, .title = "notepad", .window_class = "Notepad", .process = "wine.exe"},
    {.id = WindowId{4}, .window_class = "Tray"},
};

std::optional<WindowId> found(const WindowQuery& query) {
    const auto window = find_window(some, query);
    return window ? std::optional(window->id) : std::nullopt;
}

// Calls back at each listing.
class Listed final : public Windows {
public:
    std::function<std::vector<WindowInfo>(int)> on_list;
    std::vector<WindowInfo> list() override { return on_list(count_++); }
    void apply(const WindowCommand&) override {}

private:
    int count_ = 0;
};

std::error_code error_of(const std::function<void()>& action, std::string& text) {
    try {
        action();
    } catch (const Error& error) {
        text = error.what();
        return error.code();
    }
    return {};
}

} // namespace

TEST_CASE("a window is found by a part of its title, regardless of case") {
    CHECK(found({.title = "FRIEND"}) == WindowId{1});
    CHECK_FALSE(found({.title = "friends"}));
}

TEST_CASE(
    "an exact title is preferred to a higher window, the topmost of several exact ones is found") {
    CHECK(found({.title = "Notepad"}) == WindowId{2});
}

TEST_CASE("class and process must match completely") {
    CHECK(found({.window_class = "notepad"}) == WindowId{2});
    CHECK_FALSE(found({.window_class = "note"}));
    CHECK(found({.process = "WINE.EXE"}) == WindowId{3});
    CHECK_FALSE(found({.process = "wine"}));
}

TEST_CASE("all fields of a query must match") {
    CHECK(found({.title = "notepad", .process = "wine.exe"}) == WindowId{3});
    CHECK_FALSE(found({.title = "friend", .window_class = "Notepad"}));
}

TEST_CASE("an empty query matches the topmost window, with or without a title") {
    CHECK(found({}) == WindowId{1});
    CHECK_FALSE(find_window({}, {}));
}

TEST_CASE("a window that appears later is waited for") {
    Listed windows;
    windows.on_list = [](int n) { return n < 3 ? std::vector<WindowInfo>{} : some; };
    CHECK(wait_for_window(windows, {.title = "friend"}, 60s).id == WindowId{1});
}

TEST_CASE("the error for a missing window names it and lists the existing ones") {
    MemoryDesktop desktop;
    desktop.set_windows(some);
    std::string text;
    const auto error =
        error_of([&] { (void)wait_for_window(*desktop.windows(), {.title = "Paint"}, 0ms); }, text);
    CHECK(error == errc::window_not_found);
    CHECK_THAT(text, ContainsSubstring("\"Paint\"") && ContainsSubstring("\"notepad\""));
}

TEST_CASE("the wait for a window may be unlimited") {
    Listed windows;
    windows.on_list = [](int n) { return n == 0 ? std::vector<WindowInfo>{} : some; };
    CHECK(wait_for_window(windows, {.title = "friend"}, std::chrono::milliseconds::max()).id ==
          WindowId{1});
}

TEST_CASE("a wait with a timeout of zero lists the windows once") {
    MemoryDesktop desktop;
    desktop.set_windows(some);
    CHECK(wait_for_window(*desktop.windows(), {.title = "friend"}, 0ms).id == WindowId{1});
}

TEST_CASE("a stop ends the wait for a window") {
    std::stop_source stop;
    Listed windows;
    windows.on_list = [&](int n) {
        if (n == 1) stop.request_stop();
        return some;
    };
    std::string text;
    CHECK(
        error_of([&] { (void)wait_for_window(windows, {.title = "Paint"}, 60s, stop.get_token()); },
                 text) == errc::cancelled);
}
