// Checks text that is passed to the system.
#pragma once

#include <string>
#include <string_view>

namespace eyehand::winio {

/// Throws std::invalid_argument if the text is not UTF-8 or has a NUL character, which would end
/// the text for the system. The error message refers to the text by `name`.
void check_text(std::string_view text, const std::string& name);

} // namespace eyehand::winio
