#include "winio/settle.hpp"

#include "winio/error.hpp"
#include "winio/frame_diff.hpp"

#include "stoppable_wait.hpp"

#include <algorithm>
#include <utility>

namespace winio {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

milliseconds passed(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration_cast<milliseconds>(to - from);
}

} // namespace

Settled wait_until_stable(Capturer& capturer, const Rect& area, const SettleOptions& options,
                          std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    const auto start = Clock::now();
    auto quiet_since = start;
    Settled result;
    Frame next; // swapped with the last frame, so that both keep their memory

    for (;;) {
        if (stop.stop_requested())
            throw Error(errc::cancelled, "stopped before the screen was stable");
        bool seen = false;
        try {
            capturer.capture(area, next);
            seen = true;
        } catch (const Error& error) {
            if (!temporary(error.code()) || passed(start, Clock::now()) >= options.timeout) throw;
        }

        const auto now = Clock::now();
        if (seen) {
            if (!same_pixels(result.frame.pixels.view(), next.pixels.view())) quiet_since = now;
            std::swap(result.frame, next);
        } else {
            quiet_since = now; // what happened meanwhile, nobody knows
        }
        result.waited = passed(start, now);
        if (seen && result.waited >= options.minimum && passed(quiet_since, now) >= options.quiet) {
            result.end = SettleEnd::stable;
            return result;
        }
        if (seen && result.waited >= options.timeout) {
            result.end = SettleEnd::timed_out;
            return result;
        }
        // At least a millisecond, so that an interval of zero does not burn a processor.
        const auto left = std::max(options.timeout - result.waited, milliseconds{1});
        const auto pause = std::clamp(options.interval, milliseconds{1}, left);
        if (wait_for(pause, stop) == Waited::stopped)
            throw Error(errc::cancelled, "stopped before the screen was stable");
    }
}

} // namespace winio
