// Starts programs and opens documents.
#pragma once

#include "eyehand/winio/effect.hpp"

#include <string>

namespace eyehand::winio::x11 {

/// Starts the program in its own session, with its standard streams on /dev/null, so that it
/// outlives this process and does not disturb its terminal. It does not inherit open files or
/// ignored signals. xdg-open opens a file that is not a program, and a command that is only an
/// address ("https://..."). It inherits the environment without the hidden variables. Its DISPLAY
/// is `display` or, if that is empty, the DISPLAY of this process. Throws the exceptions of
/// Desktop::launch.
void launch(const LaunchCommand& command, const std::string& display);

} // namespace eyehand::winio::x11
