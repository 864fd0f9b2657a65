// Keys and buttons as a watchdog knows them.
#pragma once

#include "watchdog/hold.hpp"
#include "win32/native_input.hpp"

#include <span>
#include <vector>

namespace eyehand::winio::win32 {

/// The codes of inputs that release a key or a button.
[[nodiscard]] std::vector<ReleaseCode> codes_of(std::span<const NativeInput> releases);
/// The inputs of such codes.
[[nodiscard]] std::vector<NativeInput> releases_of_codes(std::span<const ReleaseCode> codes);

} // namespace eyehand::winio::win32
