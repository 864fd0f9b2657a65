// The tools that look at a desktop and work it, once for all profiles.
#pragma once

#include "agent/tool.hpp"

namespace agent {

/// observe, click, type, press and scroll, under these names; profiles give them their faces.
/// Points and boxes are normalised; a box is hit in its centre.
[[nodiscard]] Toolbox desktop_tools();

} // namespace agent
