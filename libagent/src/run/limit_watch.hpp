// Ends a run that reaches one of its limits.
#pragma once

#include "eyehand/agent/event.hpp"
#include "eyehand/agent/run_limits.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/agent/run_store.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>

namespace eyehand::agent {

/// The store must outlive it. A thread of its own watches the time, because a run can wait for long.
class LimitWatch {
public:
    /// `elapsed`: of the earlier parts of the run.
    LimitWatch(const RunLimits& limits, const RunPort& control, const RunStore& store,
               std::chrono::milliseconds elapsed);
    ~LimitWatch();
    LimitWatch(const LimitWatch&) = delete;
    LimitWatch& operator=(const LimitWatch&) = delete;

    /// Adds the tokens of a reply; also called for replies before a resumption.
    void count(const vlm::Usage& usage);
    /// Called for each event of the run.
    void on_event(const Event& event);

private:
    using Time = std::chrono::steady_clock::time_point;
    void acted(Time now);
    void wait_until(Time end);
    void stop_at_time_limit();

    const RunLimits limits_;
    RunPort control_;
    const RunStore& store_;
    std::int64_t tokens_ = 0;
    std::deque<Time> latest_; ///< actions of the latest minute

    std::mutex mutex_;
    std::condition_variable ending_;
    bool ended_ = false;
    std::thread timer_;
};

} // namespace eyehand::agent
