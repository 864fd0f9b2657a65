#include "win32/displays.hpp"

#include "eyehand/base/utf16.hpp"
#include "win32/dpi_scope.hpp"

#include <algorithm>

namespace eyehand::winio::win32 {
namespace {

// "\\.\DISPLAY2" is display "2": short to type, and the number that the system uses.
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
        if (system.get_monitor_info(monitor, &info) == 0) continue; // unplugged meanwhile
        const RECT& area = info.rcMonitor;
        Display display;
        const std::string device = base::to_utf8(info.szDevice);
        display.id = id_of(device);
        display.name = device.starts_with(R"(\\.\)") ? device.substr(4) : device;
        display.bounds = {area.left, area.top, area.right - area.left, area.bottom - area.top};
        display.dpi = system.dpi_of_monitor(monitor);
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

} // namespace eyehand::winio::win32
