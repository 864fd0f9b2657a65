#include "eyehand/winio/settle.hpp"

#include "eyehand/winio/error.hpp"

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "motion.hpp"
#include "moved_by.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

milliseconds passed(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration_cast<milliseconds>(to - from);
}

// Returns false if a retry may help and there is time for it.
bool try_capture(Capturer& capturer, const Rect& area, Frame& into, Clock::time_point deadline) {
    try {
        capturer.capture(area, into);
        return true;
    } catch (const Error& error) {
        if (!temporary(error.code()) || Clock::now() >= deadline) throw;
        return false;
    }
}

void throw_if_stopped(const std::stop_token& stop, const char* what) {
    if (stop.stop_requested()) throw Error(errc::cancelled, what);
}

bool shows(const Frame& frame, const Rect& area) {
    return frame.origin == area.origin() && frame.pixels.size() == area.size();
}

} // namespace

struct Settler::State {
    Frame last;
    Frame next; // swapped with `last`, so that both keep their memory
    Motion motion;
};

Settler::Settler() : state_(std::make_unique<State>()) {}
Settler::~Settler() = default;
Settler::Settler(Settler&&) noexcept = default;
Settler& Settler::operator=(Settler&&) noexcept = default;

void Settler::reuse(Frame&& frame) noexcept { state_->last = std::move(frame); }

Settled Settler::wait(Capturer& capturer, const Rect& area, const SettleOptions& options,
                      std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    constexpr const char* stopped = "stopped before the screen was stable";
    auto& [last, next, motion] = *state_;
    const bool before_is_of_area = options.before != nullptr && shows(*options.before, area);
    const auto toggling = options.ignore_toggling ? Toggling::is_ignored : Toggling::counts;
    const auto start = Clock::now();
    const auto longest = std::max({options.timeout, options.minimum, milliseconds::zero()});
    const auto deadline = base::deadline_after(start, longest);
    const Frame* known = before_is_of_area ? options.before : nullptr; // `next` is compared to it
    auto nothing_known_until = start;
    Settled result;
    motion.start(area.size());

    for (;;) {
        throw_if_stopped(stop, stopped);
        const bool seen = try_capture(capturer, area, next, deadline);
        const auto now = Clock::now();
        if (seen) {
            if (known != nullptr) motion.note(known->pixels.view(), next.pixels.view(), now);
            std::swap(last, next);
        }
        // Changes before the first capture and during a failed capture are unknown.
        if (!seen || known != &last) nothing_known_until = now;
        if (seen) known = &last;

        result.waited = passed(start, now);
        const auto quiet_since =
            std::max(nothing_known_until, motion.latest_change(toggling).value_or(start));
        const bool stable =
            result.waited >= options.minimum && passed(quiet_since, now) >= options.quiet;
        if (seen && (stable || result.waited >= longest)) {
            result.end = stable ? SettleEnd::stable : SettleEnd::timed_out;
            break;
        }
        // At least a millisecond, so that an interval of zero does not occupy a processor.
        const auto left = std::max(longest - result.waited, milliseconds{1});
        const auto pause = std::clamp(options.interval, milliseconds{1}, left);
        if (base::wait_for(pause, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, stopped);
    }

    const bool incomparable = options.before != nullptr && !before_is_of_area;
    result.changed =
        incomparable ? std::vector{area} : moved_by(motion.changed(toggling), area.origin());
    if (options.ignore_toggling) result.toggling = moved_by(motion.toggling(), area.origin());
    result.frame = std::move(last);
    return result;
}

Settled wait_until_stable(Capturer& capturer, const Rect& area, const SettleOptions& options,
                          std::stop_token stop) {
    return Settler().wait(capturer, area, options, std::move(stop));
}

void capture_patiently(Capturer& capturer, const Rect& area, Frame& into, milliseconds patience,
                       std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    constexpr milliseconds between_tries{50};
    constexpr const char* stopped = "stopped before the screen could be captured";
    const auto deadline = base::deadline_after(Clock::now(), patience);
    for (;;) {
        throw_if_stopped(stop, stopped);
        if (try_capture(capturer, area, into, deadline)) return;
        if (base::wait_for(between_tries, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, stopped);
    }
}

} // namespace eyehand::winio
