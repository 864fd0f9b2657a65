// The end of a wait, also of one that lasts forever.
#pragma once

#include <chrono>

namespace eyehand::base {

/// Returns `from + patience`; `Time::max()` if that exceeds the range of the clock (as with
/// `milliseconds::max()`), and `from` if `patience` is not positive.
constexpr std::chrono::steady_clock::time_point
deadline_after(std::chrono::steady_clock::time_point from, std::chrono::milliseconds patience) {
    using std::chrono::milliseconds;
    using Time = std::chrono::steady_clock::time_point;
    // Compare in milliseconds: `milliseconds::max()` does not fit into the clock's finer unit.
    const auto until_never = std::chrono::duration_cast<milliseconds>(Time::max() - from);
    if (patience <= milliseconds::zero()) return from;
    return patience >= until_never ? Time::max() : from + patience;
}

} // namespace eyehand::base
