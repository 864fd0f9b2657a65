// Waiting that a stop token can end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace winio {

enum class Waited { to_the_end, stopped };

/// Waits for `time`, or until `stop` is triggered.
inline Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    // Nobody notifies: only the token wakes this up early.
    wake.wait_for(lock, stop, time, [] { return false; });
    return stop.stop_requested() ? Waited::stopped : Waited::to_the_end;
}

} // namespace winio
