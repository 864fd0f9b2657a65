// Windows in words, for errors.
#pragma once

#include "eyehand/winio/desktop.hpp"

namespace eyehand::winio {

/// "titled \"...\"": what a query asks for.
[[nodiscard]] std::string words(const WindowQuery& query);
/// The titles of those that have one, quoted; "none" without any.
[[nodiscard]] std::string titles(std::span<const WindowInfo> windows);

} // namespace eyehand::winio
