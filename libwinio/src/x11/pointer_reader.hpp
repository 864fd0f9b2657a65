// What the pointer looks like and where it is, by XFIXES.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "x11/connection.hpp"

#include <xcb/xfixes.h>

#include <cstdint>
#include <optional>
#include <span>

namespace eyehand::winio::x11 {

/// Tells the server which XFIXES this program knows; false where it has none.
[[nodiscard]] bool start_xfixes(const Connection& connection);

/// The pointer in `reply`; nothing when it is hidden or fully transparent.
[[nodiscard]] std::optional<PointerShape>
pointer_of(const xcb_xfixes_get_cursor_image_reply_t& reply);

} // namespace eyehand::winio::x11
