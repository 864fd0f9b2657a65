#include "desktop_contract.hpp"

#include "winio/desktop.hpp"

#include <windows.h>

using namespace winio;

TEST_CASE("the Win32 desktop keeps what every desktop promises") {
    const auto desktop = open_desktop();
    desktop_contract::check(*desktop);
}

TEST_CASE("a display tells the resolution that the user has chosen") {
    HKEY key = nullptr;
    DWORD chosen = 96;
    DWORD size = sizeof chosen;
    if (RegOpenKeyExW(HKEY_CURRENT_USER, L"Control Panel\\Desktop", 0, KEY_READ, &key) ==
        ERROR_SUCCESS) {
        RegQueryValueExW(key, L"LogPixels", nullptr, nullptr, reinterpret_cast<BYTE*>(&chosen),
                         &size);
        RegCloseKey(key);
    }
    CHECK(open_desktop()->displays().front().dpi == static_cast<int>(chosen));
}

TEST_CASE("the first display is the primary one and starts at the origin") {
    const Display display = open_desktop()->displays().front();
    CHECK(display.primary);
    CHECK(display.bounds.origin() == Point{0, 0});
    CHECK(display.bounds.width == GetSystemMetrics(SM_CXSCREEN));
    CHECK(display.id == "1");
}
