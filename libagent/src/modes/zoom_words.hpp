// What a model is told about a screenshot that shows only a part of the screen.
#pragma once

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/mode.hpp"

#include <string>

namespace eyehand::agent {

/// `numbers` are those of the model for screenshots of the whole work area. Empty for such a screenshot.
[[nodiscard]] std::string words_on_zoom(const Observed& seen, const CoordinateConverter& numbers);

} // namespace eyehand::agent
