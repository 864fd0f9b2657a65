#include "win32/displays.hpp"

#include "win32/dpi_scope.hpp"
#include "win32/handles.hpp"
#include "win32/system_text.hpp"

#include <algorithm>

namespace winio::win32 {
namespace {

int screen_dpi() {
    const ScreenDc screen(GetDC(nullptr));
    const int dpi = screen ? GetDeviceCaps(screen.get(), LOGPIXELSX) : 0;
    return dpi > 0 ? dpi : USER_DEFAULT_SCREEN_DPI;
}

// shcore.dll is loaded when it is needed: Windows Server Core has none.
int dpi_of(HMONITOR monitor) {
    using GetDpiForMonitor = HRESULT(WINAPI*)(HMONITOR, int, UINT*, UINT*);
    static const auto get_dpi = [] {
        const HMODULE library =
            LoadLibraryExW(L"shcore.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32);
        return library == nullptr ? nullptr
                                  : reinterpret_cast<GetDpiForMonitor>(reinterpret_cast<void*>(
                                        GetProcAddress(library, "GetDpiForMonitor")));
    }();
    constexpr int effective_dpi = 0; // MDT_EFFECTIVE_DPI
    UINT x = 0;
    UINT y = 0;
    if (get_dpi != nullptr && SUCCEEDED(get_dpi(monitor, effective_dpi, &x, &y)) && x > 0)
        return static_cast<int>(x);
    return screen_dpi();
}

// "\\.\DISPLAY2" is display "2": short enough to type, and the system's own number.
std::string id_of(const std::string& device) {
    const std::string prefix = R"(\\.\DISPLAY)";
    return device.starts_with(prefix) && device.size() > prefix.size()
               ? device.substr(prefix.size())
               : device;
}

} // namespace

std::vector<Display> displays(const SystemCalls& system) {
    const DpiScope physical_pixels;
    std::vector<Display> found;
    for (const HMONITOR monitor : system.monitors()) {
        MONITORINFOEXW info{};
        info.cbSize = sizeof info;
        if (GetMonitorInfoW(monitor, &info) == 0) continue; // unplugged since
        const RECT& area = info.rcMonitor;
        Display display;
        const std::string device = narrow(info.szDevice);
        display.id = id_of(device);
        display.name = device.starts_with(R"(\\.\)") ? device.substr(4) : device;
        display.bounds = {area.left, area.top, area.right - area.left, area.bottom - area.top};
        display.dpi = dpi_of(monitor);
        display.primary = (info.dwFlags & MONITORINFOF_PRIMARY) != 0;
        found.push_back(std::move(display));
    }
    std::stable_partition(found.begin(), found.end(),
                          [](const Display& display) { return display.primary; });
    return found;
}

Rect virtual_desktop(const SystemCalls& system) {
    return {system.get_system_metrics(SM_XVIRTUALSCREEN),
            system.get_system_metrics(SM_YVIRTUALSCREEN),
            system.get_system_metrics(SM_CXVIRTUALSCREEN),
            system.get_system_metrics(SM_CYVIRTUALSCREEN)};
}

} // namespace winio::win32
