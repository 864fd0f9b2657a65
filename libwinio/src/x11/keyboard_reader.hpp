// Reads the meaning of the keys from the server.
#pragma once

#include "x11/connection.hpp"
#include "x11/key_codes.hpp"

#include <cstdint>
#include <optional>

namespace eyehand::winio::x11 {

/// `first`: the smallest keycode of the server. `state`: the modifiers of the core protocol.
[[nodiscard]] KeyboardMap keyboard_of(const xcb_get_keyboard_mapping_reply_t& keys,
                                      const xcb_get_modifier_mapping_reply_t& modifiers,
                                      Keycode first, std::uint16_t state);
/// Empty if the connection is lost.
[[nodiscard]] std::optional<KeyboardMap> read_keyboard(const Connection& connection);

} // namespace eyehand::winio::x11
