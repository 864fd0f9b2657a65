// When a wait ends, also one that is to last forever.
#pragma once

#include <chrono>

namespace eyehand::base {

/// `patience` after `from`; never, where that is later than the clock can tell (as with
/// `milliseconds::max()`), and at once where patience is negative.
constexpr std::chrono::steady_clock::time_point
deadline_after(std::chrono::steady_clock::time_point from, std::chrono::milliseconds patience) {
    using std::chrono::milliseconds;
    using Time = std::chrono::steady_clock::time_point;
    // Whole milliseconds are compared: the longest of them does not fit the clock's finer unit.
    const auto until_never = std::chrono::duration_cast<milliseconds>(Time::max() - from);
    if (patience <= milliseconds::zero()) return from;
    return patience >= until_never ? Time::max() : from + patience;
}

} // namespace eyehand::base
