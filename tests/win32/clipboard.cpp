#include "catch.hpp"

#include "win32/handles.hpp"
#include "win32/win32_desktop.hpp"
#include "winio/error.hpp"

using namespace winio;

TEST_CASE("a clipboard that another program holds for a moment is waited for") {
    win32::SystemCalls system;
    int attempts = 0;
    system.open_clipboard = [&](HWND owner) -> BOOL {
        return ++attempts <= 3 ? FALSE : OpenClipboard(owner);
    };
    win32::Win32Desktop desktop(system);
    desktop.clipboard()->set_text("patience");
    CHECK(attempts == 4);
    CHECK(desktop.clipboard()->text() == "patience");
}

TEST_CASE("a clipboard that is never let go is a temporary error within a bound") {
    win32::SystemCalls system;
    system.open_clipboard = [](HWND) -> BOOL {
        SetLastError(ERROR_ACCESS_DENIED);
        return FALSE;
    };
    win32::Win32Desktop desktop(system);
    const int open_before = win32::open_handles;
    const auto start = std::chrono::steady_clock::now();
    try {
        desktop.clipboard()->set_text("x");
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::clipboard_failed);
        CHECK(temporary(error.code()));
    }
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));
    CHECK(win32::open_handles == open_before);
}

TEST_CASE("the clipboard takes long text and leaves no handle open") {
    const auto desktop = open_desktop();
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += "é世😀\r\n";
    const int open_before = win32::open_handles;
    desktop->clipboard()->set_text(text);
    CHECK(desktop->clipboard()->text() == text);
    CHECK(win32::open_handles == open_before);
}
