// Reads the properties of windows.
#pragma once

#include "x11/connection.hpp"

#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace eyehand::winio::x11 {

/// Longer properties are truncated; no title has a megabyte.
inline constexpr std::uint32_t max_property = 1U << 20U;

/// A request for a property.
class PropertyRequest {
public:
    PropertyRequest(const Connection& connection, xcb_window_t window, xcb_atom_t property,
                    xcb_atom_t type = XCB_GET_PROPERTY_TYPE_ANY)
        : connection_(&connection), cookie_(xcb_get_property(connection.get(), 0, window, property,
                                                             type, 0, max_property / 4)) {}

    /// Its bytes; empty if the window has no such property of that type. Call it at most once.
    [[nodiscard]] std::string text() const;
    /// Its 32-bit values: atoms, windows, cardinals. Call it at most once.
    [[nodiscard]] std::vector<std::uint32_t> values() const;

private:
    const Connection* connection_;
    xcb_get_property_cookie_t cookie_;
};

} // namespace eyehand::winio::x11
