#pragma once

#include "eyehand/winio/effect.hpp"

#include <variant>

namespace eyehand::winio {

/// Whether an event only releases a key or a button.
[[nodiscard]] inline bool is_release(const InputEvent& event) {
    if (const auto* button = std::get_if<ButtonChange>(&event)) return button->press == Press::up;
    if (const auto* key = std::get_if<KeyChange>(&event)) return key->press == Press::up;
    return false;
}

} // namespace eyehand::winio
