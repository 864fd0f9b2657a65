#include "eyehand/winio/settle.hpp"

#include "eyehand/winio/error.hpp"

#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"
#include "motion.hpp"
#include "moved_by.hpp"
#include "reaction_machine.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

milliseconds elapsed(Clock::time_point from, Clock::time_point to) {
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

/// The state of a wait after an attempt to capture.
struct Moment {
    Clock::time_point now{};
    bool seen = false;               ///< the attempt succeeded
    Clock::time_point quiet_since{}; ///< nothing has changed since
};

/// How to wait.
struct Watch {
    const Rect& area;
    const Frame* before; ///< null or of another area: the first capture is compared with nothing
    milliseconds interval;
    Toggling toggling;
    const std::vector<Rect>& ambient; ///< desktop pixels
    Clock::time_point start;
    Clock::time_point retries_until; ///< for temporary errors
    Clock::time_point deadline;      ///< shortens the last interval
};

/// Compares the windows of a desktop with those before an action, at most every 100 ms: with many
/// windows, a list takes longer than a capture.
class WindowWatch {
public:
    WindowWatch(Desktop& desktop, const BeforeAction& before)
        : desktop_(desktop), before_(before) {}

    void look(Clock::time_point now, bool must) {
        constexpr milliseconds interval{100};
        if (latest_ && now - *latest_ < interval && !must) return;
        latest_ = now;
        try {
            busy = desktop_.busy();
            if (Windows* windows = desktop_.windows(); windows != nullptr)
                compare(windows->list(), now);
        } catch (const Error&) {
            busy = false; // the capture reports a desktop that has failed
        }
    }

    bool changed = false;  ///< since the action
    int other_windows = 0; ///< how often other windows were listed
    bool busy = false;
    std::optional<Clock::time_point> latest_change{}; ///< seen in this wait

private:
    void compare(std::vector<WindowInfo> listed, Clock::time_point now) {
        if (before_.windows) changed = windows_reacted(*before_.windows, listed);
        const auto& known = known_ ? known_ : before_.windows;
        if (known && windows_reacted(*known, listed)) latest_change = now;
        if (known && are_other_windows(*known, listed)) ++other_windows;
        known_ = std::move(listed);
    }

    Desktop& desktop_;
    const BeforeAction& before_;
    std::optional<Clock::time_point> latest_{};
    std::optional<std::vector<WindowInfo>> known_{};
};

} // namespace

struct Settler::State {
    Frame last;
    Frame next; // swapped with `last`, so that both keep their memory
    Motion motion;

    /// Captures into `last` until `ends(Moment)` returns true for a capture that succeeded.
    template <typename Ends>
    void watch(Capturer& capturer, const Watch& how, const std::stop_token& stop,
               const char* stopped, Ends ends);
};

template <typename Ends>
void Settler::State::watch(Capturer& capturer, const Watch& how, const std::stop_token& stop,
                           const char* stopped, Ends ends) {
    // `next` is compared to it.
    const Frame* known =
        how.before != nullptr && shows(*how.before, how.area) ? how.before : nullptr;
    auto nothing_known_until = how.start;
    motion.start(how.area.size());
    motion.ignore(moved_by(how.ambient, {-how.area.x, -how.area.y}));
    for (;;) {
        throw_if_stopped(stop, stopped);
        const bool seen = try_capture(capturer, how.area, next, how.retries_until);
        const auto now = Clock::now();
        if (seen) {
            if (known != nullptr) motion.note(known->pixels, next.pixels, now);
            std::swap(last, next);
        }
        // Changes before the first capture and during a failed capture are unknown.
        if (!seen || known != &last) nothing_known_until = now;
        if (seen) known = &last;
        const auto quiet_since =
            std::max(nothing_known_until, motion.latest_change(how.toggling).value_or(how.start));
        if (ends(Moment{now, seen, quiet_since})) return;
        // At least a millisecond, so that an interval of zero does not occupy a processor.
        const auto left = std::max(elapsed(now, how.deadline), milliseconds{1});
        const auto pause = std::clamp(how.interval, milliseconds{1}, left);
        if (base::wait_for(pause, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, stopped);
    }
}

Settler::Settler() : state_(std::make_unique<State>()) {}
Settler::~Settler() = default;
Settler::Settler(Settler&&) noexcept = default;
Settler& Settler::operator=(Settler&&) noexcept = default;

void Settler::reuse(Frame&& frame) noexcept { state_->last = std::move(frame); }

Settled Settler::wait(Capturer& capturer, const Rect& area, const SettleOptions& options,
                      std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    auto& motion = state_->motion;
    const auto toggling = options.ignore_toggling ? Toggling::is_ignored : Toggling::counts;
    const auto start = Clock::now();
    const auto longest = std::max({options.timeout, options.minimum, milliseconds::zero()});
    const auto deadline = base::deadline_after(start, longest);
    Settled result;
    const auto ends = [&](const Moment& moment) {
        result.waited = elapsed(start, moment.now);
        const bool stable = result.waited >= options.minimum &&
                            elapsed(moment.quiet_since, moment.now) >= options.quiet;
        result.end = stable ? SettleEnd::stable : SettleEnd::timed_out;
        return moment.seen && (stable || result.waited >= longest);
    };
    state_->watch(capturer,
                  {.area = area,
                   .before = options.before,
                   .interval = options.interval,
                   .toggling = toggling,
                   .ambient = options.ambient,
                   .start = start,
                   .retries_until = deadline,
                   .deadline = deadline},
                  stop, "stopped before the screen was stable", ends);

    const bool incomparable = options.before != nullptr && !shows(*options.before, area);
    result.changed =
        incomparable ? std::vector{area} : moved_by(motion.changed(toggling), area.origin());
    if (options.ignore_toggling) result.toggling = moved_by(motion.toggling(), area.origin());
    result.frame = std::move(state_->last);
    return result;
}

Reacted
Settler::wait_for_reaction(Desktop& desktop, Capturer& capturer, const BeforeAction& before,
                           const ReactionOptions& options, const SettleOptions& settle,
                           std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    auto& motion = state_->motion;
    const Rect area{before.frame.origin.x, before.frame.origin.y, before.frame.pixels.width(),
                    before.frame.pixels.height()};
    const auto toggling = settle.ignore_toggling ? Toggling::is_ignored : Toggling::counts;
    const auto start = Clock::now();
    ReactionMachine machine(before.expectation, before.acted, options, settle);
    WindowWatch windows(desktop, before);
    std::vector<Rect> changed;
    std::optional<Clock::time_point> of_changed; // the change after which `changed` was determined
    Reacted result;
    Watch watch{.area = area,
                .before = &before.frame,
                .interval = settle.interval,
                .toggling = toggling,
                .ambient = settle.ambient,
                .start = start,
                .retries_until = base::deadline_after(
                    start, std::max({settle.timeout, options.reaction_timeout,
                                     options.launch_timeout, options.busy_timeout})),
                .deadline = Clock::time_point::max()};
    const auto ends = [&](const Moment& moment) {
        if (!moment.seen) return false;
        const auto latest_change = motion.latest_change(toggling);
        if (latest_change != of_changed) {
            changed = moved_by(motion.progressed(toggling), area.origin());
            of_changed = latest_change;
        }
        const auto end_with = [&](bool must) {
            windows.look(moment.now, must);
            return machine.note(
                {.now = moment.now,
                 .extent = extent_of(changed, before.target, before.dpi, before.control),
                 .latest_change = std::max(latest_change, windows.latest_change),
                 .quiet_since = std::max(moment.quiet_since, windows.latest_change.value_or(start)),
                 .windows_changed = windows.changed,
                 .other_windows = windows.other_windows,
                 .busy = windows.busy});
        };
        // The decision is made with a current list of windows.
        auto end = end_with(false);
        if (end) end = end_with(true);
        watch.deadline = machine.next_limit(moment.now).value_or(Clock::time_point::max());
        if (!end) return false;
        result.end = *end;
        result.waited = elapsed(start, moment.now);
        return true;
    };
    state_->watch(capturer, watch, stop, "stopped before the screen had reacted", ends);
    if (const auto at = machine.reacted_at()) result.reacted_after = elapsed(before.acted, *at);
    result.changed = moved_by(motion.changed(toggling), area.origin());
    if (settle.ignore_toggling) result.toggling = moved_by(motion.toggling(), area.origin());
    result.frame = std::move(state_->last);
    return result;
}

Settled wait_until_stable(Capturer& capturer, const Rect& area, const SettleOptions& options,
                          std::stop_token stop) {
    return Settler().wait(capturer, area, options, std::move(stop));
}

void capture_patiently(Capturer& capturer, const Rect& area, Frame& into, milliseconds retry_time,
                       std::stop_token stop) { // NOLINT(performance-unnecessary-value-param)
    constexpr milliseconds between_tries{50};
    constexpr const char* stopped = "stopped before the screen could be captured";
    const auto deadline = base::deadline_after(Clock::now(), retry_time);
    for (;;) {
        throw_if_stopped(stop, stopped);
        if (try_capture(capturer, area, into, deadline)) return;
        if (base::wait_for(between_tries, stop) == base::Waited::stopped)
            throw Error(errc::cancelled, stopped);
    }
}

} // namespace eyehand::winio
