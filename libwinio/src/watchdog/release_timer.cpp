#include "watchdog/release_timer.hpp"

#include <algorithm>
#include <array>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;

/// For machines under load several intervals; together with the release below the 500 ms in which an
/// agent's input must be undone.
constexpr milliseconds lease = 8 * renewal_interval;

/// A check that comes later counts as this late: a watchdog that the system does not run in time knows
/// nothing of the program, which the same system runs, too.
constexpr milliseconds check_interval{10};
constexpr milliseconds longest_counted{2 * check_interval};

/// Input that the program sent before it ended can arrive late, so a single release can be too early.
constexpr std::array attempts{milliseconds{0}, milliseconds{50}, milliseconds{150},
                              milliseconds{300}};

} // namespace

void ReleaseTimer::note(const HoldMessage& message, Time now) {
    codes_ = message.codes;
    attempts_ = 0;
    next_.reset();
    if (message.kind != HoldMessage::Kind::hold) return;
    left_ = lease;
    checked_ = now;
    next_ = now + check_interval;
}

void ReleaseTimer::ended(Time now) {
    ended_ = true;
    attempts_ = 0;
    next_.reset();
    if (codes_.empty()) return;
    fault_ = now;
    attempts_ = 1; // the first one is due
    next_ = now;
}

bool ReleaseTimer::has_expired(Time now) {
    left_ -= std::min<std::chrono::nanoseconds>(now - checked_, longest_counted);
    checked_ = now;
    next_ = now + check_interval;
    return left_.count() <= 0;
}

ReleaseTimer::Due ReleaseTimer::due(Time now) {
    if (!next_ || now < *next_) return {};
    if (attempts_ == 0 && !has_expired(now)) return {};
    Due due{.codes = codes_};
    if (attempts_ == 0) {
        due.expired = true;
        fault_ = now;
        attempts_ = 1;
    }
    if (attempts_ < attempts.size())
        next_ = fault_ + attempts[attempts_++];
    else
        next_.reset();
    return due;
}

} // namespace eyehand::winio
