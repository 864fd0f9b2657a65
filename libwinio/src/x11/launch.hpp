// Starting programs and opening documents.
#pragma once

#include "eyehand/winio/effect.hpp"

#include <string>

namespace eyehand::winio::x11 {

/// Starts the program in a session of its own, with nothing to read and nowhere to print, so that
/// it outlives this process and does not disturb its terminal; nothing else of this process's files
/// and ignored signals reaches it. A file that is no program, and a command that is nothing but an
/// address ("https://..."), is opened by xdg-open. The program's DISPLAY is `display`; this
/// process's own if it is empty. Throws as Desktop::launch does.
void launch(const LaunchCommand& command, const std::string& display);

} // namespace eyehand::winio::x11
