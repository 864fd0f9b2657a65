// Reads the shape and position of the pointer with XFIXES.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "x11/connection.hpp"

#include <xcb/xfixes.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace eyehand::winio::x11 {

/// Announces this program's XFIXES version to the server; returns false if the server lacks XFIXES.
[[nodiscard]] bool start_xfixes(const Connection& connection);

/// The pointer in `reply`; empty if it is hidden or fully transparent.
[[nodiscard]] std::optional<PointerShape>
pointer_of(const xcb_xfixes_get_cursor_image_reply_t& reply);

/// The name of the pointer; empty if it has none.
[[nodiscard]] std::string_view
pointer_name(const xcb_xfixes_get_cursor_image_and_name_reply_t& reply);

/// Whether a pointer with this name says that a program is busy: the cursor "wait" of themes and CSS, and "watch" of X11's
/// cursor font. Not "progress" and "left_ptr_watch", which desktops show for seconds after any start of a program.
[[nodiscard]] bool is_busy_pointer(std::string_view name);

} // namespace eyehand::winio::x11
