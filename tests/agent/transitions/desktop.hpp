// The desktop on which every profile goes through its state machine.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <memory>

namespace test {

/// One that shows nothing but itself and stays as it is. Each program of these tests has its own.
[[nodiscard]] std::unique_ptr<eyehand::winio::Desktop> quiet_desktop();

} // namespace test
