// Waits that a stop token can end.
#pragma once

#include <chrono>
#include <stop_token>

namespace eyehand::base {

/// The interval at which waits poll their token. They do not use std::condition_variable_any, which
/// registers a stop callback: with GCC 12's library for Windows, the destructor of a stop callback
/// can lose the wake-up for which it waits while the callback runs on another thread, and then
/// never returns.
inline constexpr std::chrono::milliseconds stop_poll_interval{10};

enum class Waited { to_the_end, stopped };

/// Waits for `time`, or until `stop` is triggered. `milliseconds::max()` is forever.
Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop);
/// Waits until `end`, or until `stop` is triggered.
Waited wait_until(std::chrono::steady_clock::time_point end, const std::stop_token& stop);

} // namespace eyehand::base
