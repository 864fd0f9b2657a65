// Text that is handed to a system.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::winio {

/// Throws std::invalid_argument, which calls the text `name`, for what is not UTF-8 and for NUL,
/// which ends a text that is handed to a system.
void check_text(std::string_view text, const std::string& name);

} // namespace eyehand::winio
