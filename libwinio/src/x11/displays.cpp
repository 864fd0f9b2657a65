#include "x11/displays.hpp"

#include "eyehand/winio/error.hpp"
#include "x11/properties.hpp"

#include <xcb/randr.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

namespace eyehand::winio::x11 {
namespace {

constexpr int least_dpi = 96;

Display display_of(Connection& connection, const xcb_randr_monitor_info_t& monitor, int dpi) {
    Display display;
    display.id = display.name = connection.atom_name(monitor.name);
    display.bounds = {monitor.x, monitor.y, monitor.width, monitor.height};
    display.dpi = dpi != 0
                      ? std::max(dpi, least_dpi)
                      : dpi_of_size(monitor.width, static_cast<int>(monitor.width_in_millimeters));
    display.primary = monitor.primary != 0;
    return display;
}

/// A request for the monitors, in the same round trip as other requests.
class MonitorsRequest {
public:
    explicit MonitorsRequest(Connection& connection) : connection_(connection) {
        if (!connection.has(&xcb_randr_id)) return;
        // The server uses the newest protocol that the client announces.
        version_ = xcb_randr_query_version(connection.get(), 1, 5);
        constexpr std::uint8_t only_active = 1;
        monitors_ = xcb_randr_get_monitors(connection.get(), connection.root(), only_active);
    }
    /// Call it once.
    [[nodiscard]] std::vector<Display> displays(int dpi);

private:
    Connection& connection_;
    xcb_randr_query_version_cookie_t version_{};
    xcb_randr_get_monitors_cookie_t monitors_{};
};

std::vector<Display> MonitorsRequest::displays(int dpi) {
    std::vector<Display> found;
    if (!connection_.has(&xcb_randr_id)) return found;
    (void)connection_.take(xcb_randr_query_version_reply, version_);
    const auto reply = connection_.take(xcb_randr_get_monitors_reply, monitors_);
    if (!reply) return found;
    for (auto at = xcb_randr_get_monitors_monitors_iterator(reply.get()); at.rem > 0;
         xcb_randr_monitor_info_next(&at))
        if (at.data->width > 0 && at.data->height > 0)
            found.push_back(display_of(connection_, *at.data, dpi));
    return found;
}

Display whole_screen(const Connection& connection, int dpi) {
    Display display;
    display.id = display.name = "screen";
    display.bounds = connection.root_bounds();
    display.dpi = dpi != 0 ? std::max(dpi, least_dpi)
                           : dpi_of_size(connection.screen().width_in_pixels,
                                         connection.screen().width_in_millimeters);
    return display;
}

} // namespace

int dpi_of_resources(std::string_view resources) {
    constexpr std::string_view name = "Xft.dpi:";
    while (!resources.empty()) {
        const std::size_t end = resources.find('\n');
        std::string_view line = resources.substr(0, end);
        resources.remove_prefix(end == std::string_view::npos ? resources.size() : end + 1);
        if (!line.starts_with(name)) continue;
        line.remove_prefix(name.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        int dpi = 0;
        std::from_chars(line.data(), line.data() + line.size(), dpi);
        return std::max(dpi, 0);
    }
    return 0;
}

int dpi_of_size(int pixels, int millimetres) {
    constexpr double millimetres_an_inch = 25.4;
    if (millimetres <= 0) return least_dpi;
    return std::max(least_dpi,
                    static_cast<int>(std::lround(pixels * millimetres_an_inch / millimetres)));
}

std::vector<Display> displays(Connection& connection) {
    const PropertyRequest resources(connection, connection.root(), XCB_ATOM_RESOURCE_MANAGER);
    MonitorsRequest monitors(connection);
    const int dpi = dpi_of_resources(resources.text());
    std::vector<Display> found = monitors.displays(dpi);
    if (found.empty()) found.push_back(whole_screen(connection, dpi));
    if (connection.lost())
        throw Error(errc::no_display,
                    "the connection to the X server is lost; check that the server runs");
    std::stable_partition(found.begin(), found.end(), std::mem_fn(&Display::primary));
    if (!found.front().primary) found.front().primary = true; // the user did not choose one
    return found;
}

} // namespace eyehand::winio::x11
