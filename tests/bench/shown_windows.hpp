// X11 windows of this program.
#pragma once

#include <xcb/xcb.h>

#include <cstdint>
#include <vector>

namespace bench {

/// Shows windows with a title while it exists.
class ShownWindows {
public:
    ShownWindows(xcb_connection_t* server, int count) : server_(server) {
        const xcb_screen_t* screen = xcb_setup_roots_iterator(xcb_get_setup(server)).data;
        for (int i = 0; i < count; ++i) {
            windows_.push_back(xcb_generate_id(server));
            xcb_create_window(server, XCB_COPY_FROM_PARENT, windows_.back(), screen->root,
                              static_cast<std::int16_t>(40 * i), 100, 300, 200, 0,
                              XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT, 0, nullptr);
            xcb_change_property(server, XCB_PROP_MODE_REPLACE, windows_.back(), XCB_ATOM_WM_NAME,
                                XCB_ATOM_STRING, 8, 6, "window");
            xcb_map_window(server, windows_.back());
        }
        xcb_flush(server);
    }
    ~ShownWindows() {
        for (const xcb_window_t window : windows_) xcb_destroy_window(server_, window);
        xcb_flush(server_);
    }
    ShownWindows(const ShownWindows&) = delete;
    ShownWindows& operator=(const ShownWindows&) = delete;

private:
    xcb_connection_t* server_;
    std::vector<xcb_window_t> windows_;
};

} // namespace bench
