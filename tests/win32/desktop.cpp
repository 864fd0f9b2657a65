#include "desktop_contract.hpp"
#include "test_window.hpp"

#include "win32/win32_desktop.hpp"

#include <windows.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace eyehand::winio;

TEST_CASE("the Win32 desktop meets the contract of Desktop") {
    const auto desktop = open_desktop();
    desktop_contract::check(*desktop);
}

TEST_CASE("the Win32 desktop meets the contract of Desktop with windows") {
    const auto desktop = open_desktop({.backend = "win32"});
    const TestWindow below(*desktop, {120, 90});
    const TestWindow above(*desktop, {300, 200});
    desktop_contract::check(*desktop);
    CHECK(above.info().foreground);
}

TEST_CASE("this build has only the back-end for Windows") {
    CHECK(BackendRegistry::built_in().names() == std::vector<std::string>{"win32"});
}

TEST_CASE("a display reports the DPI that the user has chosen") {
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

TEST_CASE(
    "displays left of and above the primary one have negative coordinates and their own DPI") {
    struct Monitor {
        HMONITOR handle;
        RECT area;
        const wchar_t* device;
        DWORD flags;
        int dpi;
    };
    const auto handle = [](INT_PTR number) { return reinterpret_cast<HMONITOR>(number); };
    const std::vector<Monitor> all{
        {handle(11), {-1280, -300, 0, 724}, LR"(\\.\DISPLAY2)", 0, 144},
        {handle(12), {0, 0, 1920, 1080}, LR"(\\.\DISPLAY1)", MONITORINFOF_PRIMARY, 96}};
    std::size_t attached = 2;
    win32::SystemCalls system;
    system.monitors = [&] {
        std::vector<HMONITOR> handles;
        for (std::size_t i = all.size() - attached; i < all.size(); ++i)
            handles.push_back(all[i].handle);
        return handles;
    };
    const auto find = [&](HMONITOR monitor) {
        return *std::ranges::find(all, monitor, &Monitor::handle);
    };
    system.get_monitor_info = [&](HMONITOR monitor, MONITORINFO* info) -> BOOL {
        const Monitor found = find(monitor);
        info->rcMonitor = found.area;
        info->dwFlags = found.flags;
        std::copy_n(found.device, 13, reinterpret_cast<MONITORINFOEXW*>(info)->szDevice);
        return TRUE;
    };
    system.dpi_of_monitor = [&](HMONITOR monitor) { return find(monitor).dpi; };
    win32::Win32Desktop desktop(system);

    const auto both = desktop.displays();
    REQUIRE(both.size() == 2);
    CHECK(both[0].primary);
    CHECK(both[0].id == "1");
    CHECK(both[0].dpi == 96);
    CHECK_FALSE(both[1].primary);
    CHECK(both[1].id == "2");
    CHECK(both[1].name == "DISPLAY2");
    CHECK(both[1].bounds == Rect{-1280, -300, 1280, 1024});
    CHECK(both[1].dpi == 144);
    attached = 1;
    CHECK(desktop.displays().size() == 1);
    attached = 0;
    CHECK(desktop.displays().empty());
}

TEST_CASE("a display that is unplugged during the enumeration is omitted") {
    win32::SystemCalls system;
    system.get_monitor_info = [](HMONITOR, MONITORINFO*) -> BOOL { return FALSE; };
    CHECK(win32::Win32Desktop(system).displays().empty());
}

// A program that blocks the user's input and then hangs locks the user out, so no program of this
// project may import the function. The file of a program contains the names of the functions that
// it imports from user32.dll.
TEST_CASE("the user's own input is never blocked") {
    std::array<wchar_t, 1024> path{};
    REQUIRE(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())) != 0);
    std::ifstream file(std::filesystem::path(path.data()), std::ios::binary);
    const std::string program(std::istreambuf_iterator<char>(file), {});
    std::string name = "tupnIkcolB"; // reversed, or the test would find its own string
    std::ranges::reverse(name);
    CHECK(program.find("SendInput") != std::string::npos);
    CHECK(program.find(name) == std::string::npos);
}
