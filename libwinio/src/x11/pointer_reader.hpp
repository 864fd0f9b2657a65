// Reads the shape and position of the pointer with XFIXES.
#pragma once

#include "eyehand/winio/frame.hpp"
#include "x11/connection.hpp"

#include <xcb/xfixes.h>

#include <cstdint>
#include <optional>
#include <span>

namespace eyehand::winio::x11 {

/// Announces this program's XFIXES version to the server; returns false if the server lacks XFIXES.
[[nodiscard]] bool start_xfixes(const Connection& connection);

/// The pointer in `reply`; empty if it is hidden or fully transparent.
[[nodiscard]] std::optional<PointerShape>
pointer_of(const xcb_xfixes_get_cursor_image_reply_t& reply);

} // namespace eyehand::winio::x11
