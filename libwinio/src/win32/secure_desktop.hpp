// Telling the lock screen and its like apart from other refusals.
#pragma once

#include "win32/system_calls.hpp"

#include <string>

namespace eyehand::winio::win32 {

/// What to tell people after the system has refused a capture or input: that the secure desktop is
/// shown, when that is certain, else a question. Changes GetLastError.
[[nodiscard]] std::string likely_cause(const SystemCalls& system);

} // namespace eyehand::winio::win32
