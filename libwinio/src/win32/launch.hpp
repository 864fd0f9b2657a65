// Starts programs and opens documents.
#pragma once

#include "eyehand/winio/effect.hpp"

namespace eyehand::winio::win32 {

/// Starts the command line as a program. If that fails, the shell opens it: as a document, as an
/// address, or as a program with arguments. The program inherits the environment without the hidden
/// variables, unless a running program opens the document. Throws Error{launch_failed}, and std::invalid_argument
/// for a command that is not UTF-8 or has a NUL character.
void launch(const LaunchCommand& command);

} // namespace eyehand::winio::win32
