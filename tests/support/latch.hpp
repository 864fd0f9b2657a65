// Threads that wait until others have arrived.
#pragma once

#include <condition_variable>
#include <mutex>

namespace test {

/// As std::latch, which can lose its wake-up with GCC 12's library for Windows.
class Latch {
public:
    explicit Latch(int count) : count_(count) {}

    void count_down() {
        const std::lock_guard lock(mutex_);
        if (--count_ == 0) changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return count_ <= 0; });
    }
    void arrive_and_wait() {
        count_down();
        wait();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int count_;
};

} // namespace test
