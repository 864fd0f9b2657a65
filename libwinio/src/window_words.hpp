// Descriptions of windows for error messages.
#pragma once

#include "eyehand/winio/desktop.hpp"

namespace eyehand::winio {

/// The query in words: "titled \"...\"".
[[nodiscard]] std::string words(const WindowQuery& query);
/// The titles of the windows that have one, quoted; "none" if no window has one.
[[nodiscard]] std::string titles(std::span<const WindowInfo> windows);

} // namespace eyehand::winio
