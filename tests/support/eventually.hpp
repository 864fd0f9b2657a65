// Waits for what another program or thread does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace test {

/// Detects hangs, also on a busy machine. A test that passes does not wait this long.
inline constexpr std::chrono::seconds patience{60};

/// Polls every few milliseconds until `fulfilled` returns true. False after `limit`.
inline bool eventually(const std::function<bool()>& fulfilled,
                       std::chrono::milliseconds limit = patience) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock lock(mutex);
    while (!fulfilled()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        never.wait_for(lock, std::chrono::milliseconds(2));
    }
    return true;
}

} // namespace test
