// Waiting that a stop token can end.
#pragma once

#include "deadline.hpp"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

namespace eyehand::winio {

enum class Waited { to_the_end, stopped };

/// Waits for `time`, or until `stop` is triggered.
inline Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop) {
    // Looks at the token instead of being woken by it. GCC 12's library for Windows can lose the
    // wake-up with which a stop callback's destructor waits for the callback to end on another
    // thread, and then never returns; std::condition_variable_any makes such a callback.
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds look_every{10};
    const auto deadline = deadline_after(Clock::now(), time);
    while (!stop.stop_requested()) {
        const auto left = deadline - Clock::now();
        if (left <= Clock::duration::zero()) return Waited::to_the_end;
        std::this_thread::sleep_for(std::min<Clock::duration>(left, look_every));
    }
    return Waited::stopped;
}

} // namespace eyehand::winio
