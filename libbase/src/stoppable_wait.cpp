#include "eyehand/base/stoppable_wait.hpp"

#include "eyehand/base/deadline.hpp"

#include <algorithm>
#include <thread>

namespace eyehand::base {

using Clock = std::chrono::steady_clock;

Waited wait_for(std::chrono::milliseconds time, const std::stop_token& stop) {
    return wait_until(deadline_after(Clock::now(), time), stop);
}

Waited wait_until(Clock::time_point end, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const auto left = end - Clock::now();
        if (left <= Clock::duration::zero()) return Waited::to_the_end;
        std::this_thread::sleep_for(std::min<Clock::duration>(left, stop_poll_interval));
    }
    return Waited::stopped;
}

} // namespace eyehand::base
