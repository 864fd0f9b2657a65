// Starting programs and opening documents.
#pragma once

#include "winio/effect.hpp"

namespace winio::win32 {

/// A command line is started as it stands; what is no program is opened as a document or an
/// address. Throws Error{launch_failed}.
void launch(const LaunchCommand& command);

} // namespace winio::win32
