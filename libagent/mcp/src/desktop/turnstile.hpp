// Gives the desktop to one session at a time, from a call until its result is complete.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace eyehand::mcp {

/// Passes the desktop from thread to thread: another thread than the one that took it may return it.
/// Thread-safe.
class Turnstile {
public:
    /// Waits for the desktop. Returns false if `stop` has been triggered, also if the desktop is free.
    [[nodiscard]] bool take(const std::stop_token& stop) {
        constexpr std::chrono::milliseconds look_every{50};
        std::unique_lock lock(mutex_);
        while (taken_) {
            if (stop.stop_requested()) return false;
            free_.wait_for(lock, look_every);
        }
        if (stop.stop_requested()) {
            free_.notify_one(); // the notification may have been for this thread
            return false;
        }
        taken_ = true;
        return true;
    }
    void give_back() {
        {
            const std::lock_guard lock(mutex_);
            taken_ = false;
        }
        free_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable free_;
    bool taken_ = false;
};

} // namespace eyehand::mcp
