// Waiting that a stop token can end.
#pragma once

#include <chrono>
#include <stop_token>

namespace eyehand::base {

/// How often waits look at a token, which does not wake them. GCC 12's library for Windows can lose the
/// wake-up with which a stop callback's destructor waits for the callback to end on another thread, and
/// then never returns; std::condition_variable_any makes such a callback.
inline constexpr std::chrono::milliseconds stop_poll_interval{10};

enum class Waited { to_the_end, stopped };

/// Waits for `time`, or until `stop` is triggered. `milliseconds::max()` is forever.
Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop);
/// Waits until `end`, or until `stop` is triggered.
Waited wait_until(std::chrono::steady_clock::time_point end, const std::stop_token& stop);

} // namespace eyehand::base
