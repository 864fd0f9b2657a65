// The desktop for the tests of transitions.
#pragma once

#include "eyehand/winio/desktop.hpp"

#include <memory>

namespace test {

/// A desktop without windows that does not change. Each of the test programs defines it.
[[nodiscard]] std::unique_ptr<eyehand::winio::Desktop> quiet_desktop();

} // namespace test
