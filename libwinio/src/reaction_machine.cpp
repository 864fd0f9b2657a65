#include "reaction_machine.hpp"

#include "eyehand/base/deadline.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;
using Time = ReactionMachine::Time;

constexpr milliseconds limit_after_text{300};
constexpr milliseconds limit_after_scroll{400};
constexpr milliseconds left_after_busy{250};
/// A program shows feedback within this time: more, and a user notices the delay (R. B. Miller,
/// "Response time in man-computer conversational transactions", 1968).
constexpr milliseconds prompt_feedback{100};
/// A program needs this time to draw: a reaction at the limit is visible a little later.
constexpr milliseconds until_drawn{6};

/// How long a reaction may still follow feedback that took `prompt_feedback`.
milliseconds after_feedback(const ReactionOptions& options) {
    return std::max(options.feedback_timeout - prompt_feedback, milliseconds::zero());
}

/// In milliseconds: a limit of milliseconds::max() is too long for nanoseconds.
milliseconds passed(Time from, Time to) {
    return std::chrono::duration_cast<milliseconds>(to - from);
}

} // namespace

ReactionMachine::ReactionMachine(Expectation expectation, Time acted,
                                 const ReactionOptions& options, const SettleOptions& settle)
    : expectation_(expectation), acted_(acted), options_(options), settle_(settle) {}

std::optional<ReactionEnd> ReactionMachine::note(const Look& look) {
    if (!start_) start_ = look.now;
    measure_step(look.now);
    if (!reacting_since_ && is_reaction(look)) reacting_since_ = look.now;
    if (!local_since_ && (look.latest_change || look.extent != Extent::nothing))
        local_since_ = look.now;
    if (waits_while_busy(look)) return std::nullopt;
    if (!silent_since_ && silent_long_enough(look.now)) silent_since_ = look.now;
    const auto limit = reacting_since_ ? reacting_since_ : silent_since_;
    if (!limit) return std::nullopt;
    const bool quiet = is_quiet(look);
    if (!quiet) {
        const Time since = std::max(*limit, latest_busy_.value_or(*limit));
        if (passed(since, look.now) < settle_.timeout) return std::nullopt;
    }
    if (busy_too_long_) return ReactionEnd::busy_timeout;
    if (!quiet) return ReactionEnd::timeout;
    if (reacting_since_) return ReactionEnd::reacted;
    return local_since_ ? ReactionEnd::local_only : ReactionEnd::no_reaction;
}

/// The shortest time between two looks: a single slow one must not end the wait early.
void ReactionMachine::measure_step(Time now) {
    if (latest_look_ == now) return; // noted again, with a new list of windows
    if (latest_look_) {
        const milliseconds step = std::max(std::chrono::ceil<milliseconds>(now - *latest_look_),
                                           std::max(settle_.interval, milliseconds{1}));
        step_ = std::min(step_.value_or(step), step);
    }
    latest_look_ = now;
}

bool ReactionMachine::waits_while_busy(const Look& look) {
    const bool busy = windows_come_and_go(look) || look.busy;
    if (!busy || options_.busy_timeout <= milliseconds::zero() || busy_too_long_) return false;
    latest_busy_ = look.now;
    busy_too_long_ = passed(std::max(acted_, *start_), look.now) >= options_.busy_timeout;
    return !busy_too_long_;
}

/// A program that opens and closes several windows, such as a splash screen and then its main window,
/// goes on. The first change is the reaction.
bool ReactionMachine::windows_come_and_go(const Look& look) {
    const int known = std::exchange(known_other_windows_, look.other_windows);
    return look.other_windows > 1 && look.other_windows != known;
}

bool ReactionMachine::is_reaction(const Look& look) const {
    switch (expectation_) {
    case Expectation::launch:
        return look.other_windows > 0;
    case Expectation::nothing:
    case Expectation::text:
    case Expectation::paste:
    case Expectation::scroll:
        if (look.latest_change || look.extent != Extent::nothing) return true;
        break;
    case Expectation::click:
    case Expectation::command:
        break;
    }
    return look.extent == Extent::wide || look.windows_changed;
}

/// Whether the limit for a reaction is reached: a further look would come after it, even if it
/// comes as soon as possible.
bool ReactionMachine::silent_long_enough(Time now) const {
    const milliseconds step = step_.value_or(std::max(settle_.interval, milliseconds{1}));
    const auto reached = [&](Time since, milliseconds limit) {
        return limit - passed(since, now) < step;
    };
    switch (expectation_) {
    case Expectation::nothing:
        return true;
    case Expectation::text:
        return reached(acted_, std::min(limit_after_text, options_.reaction_timeout));
    case Expectation::scroll:
        return reached(acted_, std::min(limit_after_scroll, options_.reaction_timeout));
    case Expectation::launch:
        return reached(acted_, options_.launch_timeout);
    case Expectation::click:
        if (local_since_)
            return now >= feedback_limit() &&
                   passed(*local_since_, now) >= after_feedback(options_);
        break;
    case Expectation::paste:
    case Expectation::command:
        break;
    }
    return reached(acted_, options_.reaction_timeout);
}

Time ReactionMachine::feedback_limit() const {
    return base::deadline_after(base::deadline_after(acted_, options_.feedback_timeout),
                                until_drawn);
}

bool ReactionMachine::has_only_feedback() const {
    return expectation_ == Expectation::click && local_since_ && !reacting_since_;
}

std::optional<Time> ReactionMachine::next_limit(Time now) const {
    if (!has_only_feedback() || now >= feedback_limit()) return std::nullopt;
    return feedback_limit();
}

bool ReactionMachine::is_quiet(const Look& look) const {
    const milliseconds needed =
        has_only_feedback() ? std::max(settle_.quiet, after_feedback(options_)) : settle_.quiet;
    return passed(look.quiet_since, look.now) >= needed &&
           passed(*start_, look.now) >= settle_.minimum &&
           (busy_too_long_ || !latest_busy_ || passed(*latest_busy_, look.now) >= left_after_busy);
}

} // namespace eyehand::winio
