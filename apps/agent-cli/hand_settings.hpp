// What the user's mouse and keyboard do to a run.
#pragma once

#include "eyehand/winio/keys.hpp"

#include <optional>

namespace eyehand::cli {

struct HandSettings {
    std::optional<winio::KeyChord> stop_key{}; ///< stops the run; empty: none
    bool stop_gestures = true; ///< Escape that is held, and the pointer in a corner, stop the run
    bool takeover = true;      ///< other input pauses it

    [[nodiscard]] bool any() const { return stop_key || stop_gestures || takeover; }
};

} // namespace eyehand::cli
