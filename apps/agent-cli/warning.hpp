// Warnings for the user.
#pragma once

#include <string>

namespace eyehand::cli {

/// Prints a warning to standard error. Prints each text only once per process, because a command
/// reads the settings several times.
void warn_once(const std::string& text);

} // namespace eyehand::cli
