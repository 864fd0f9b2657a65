// Distinguishes the lock screen and similar screens from other refusals.
#pragma once

#include "win32/system_calls.hpp"

#include <string>

namespace eyehand::winio::win32 {

/// The text for the user after the system refused a capture or input: states that the secure
/// desktop is shown if that is certain, and otherwise asks a question. Changes GetLastError.
[[nodiscard]] std::string likely_cause(const SystemCalls& system);

} // namespace eyehand::winio::win32
