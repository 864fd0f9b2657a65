// Waits until a run has the state that a test expects, without sleeping.
#pragma once

#include "eyehand/agent/control.hpp"

#include "catch.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace test {

class Watch {
public:
    explicit Watch(eyehand::agent::RunControl& control)
        : control_(control), listener_(control.on_change([this] {
              const std::lock_guard lock(mutex_);
              ++changes_;
              changed_.notify_all();
          })) {}

    /// Returns the first state that matches; fails the test if none does within a minute.
    template <class Wanted>
    eyehand::agent::RunStatus until(Wanted wanted) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        std::unique_lock lock(mutex_);
        while (true) {
            const int seen = changes_;
            lock.unlock();
            eyehand::agent::RunStatus now = control_.status();
            if (wanted(now)) return now;
            lock.lock();
            if (!changed_.wait_until(lock, end, [&] { return changes_ != seen; })) {
                FAIL("the run did not reach the expected state within a minute");
            }
        }
    }

private:
    eyehand::agent::RunControl& control_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int changes_ = 0;
    std::shared_ptr<void> listener_; ///< last, because it uses the other members
};

} // namespace test
