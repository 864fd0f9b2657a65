#include "dpi_awareness.hpp"

namespace {

// Runs before `main`, which all test programs share.
[[maybe_unused]] const bool aware = (become_per_monitor_aware(), true);

} // namespace
