// The desktop of commands that act.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <memory>

namespace eyehand::cli {

/// Opens the desktop, with this program as its watchdog (`agent-cli watchdog`).
[[nodiscard]] std::unique_ptr<winio::Desktop> open_acting_desktop();

} // namespace eyehand::cli
