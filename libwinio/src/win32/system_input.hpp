// Input as SendInput takes it.
#pragma once

#include "win32/native_input.hpp"

#include <windows.h>

#include <span>
#include <vector>

namespace eyehand::winio::win32 {

[[nodiscard]] std::vector<INPUT> to_inputs(std::span<const NativeInput> inputs);

} // namespace eyehand::winio::win32
