// The keys of the user's signals on the present keyboard layout.
#pragma once

#include "eyehand/winio/desktop.hpp"
#include "user/signal_detector.hpp"

#include <cstdint>

namespace eyehand::winio::win32 {

/// Their codes are virtual keys as `key_code` returns them. Throws Error{not_supported}.
[[nodiscard]] SignalKeys signal_keys(const UserWatchOptions& options);
/// A virtual key without what Windows changes in it: Ctrl+Pause is reported as Cancel.
[[nodiscard]] std::uint32_t key_code(std::uint32_t virtual_key);

} // namespace eyehand::winio::win32
