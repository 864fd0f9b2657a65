#include "reaction_machine.hpp"

#include <algorithm>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds silence_after_text{300};
constexpr milliseconds silence_after_scroll{400};
constexpr milliseconds left_after_busy{250};

} // namespace

ReactionMachine::ReactionMachine(Expectation expectation, Time acted,
                                 const ReactionOptions& options, const SettleOptions& settle)
    : expectation_(expectation), acted_(acted), options_(options), settle_(settle) {}

std::optional<ReactionEnd> ReactionMachine::note(const Look& look) {
    if (!start_) start_ = look.now;
    if (!reacting_since_ && is_reaction(look)) reacting_since_ = look.now;
    if (!local_since_ && (look.latest_change || look.extent != Extent::nothing))
        local_since_ = look.now;
    if (look.busy) {
        latest_busy_ = look.now;
        if (look.now - acted_ >= options_.busy_timeout) return ReactionEnd::busy_timeout;
        return std::nullopt;
    }
    const bool rests_after_busy = !latest_busy_ || look.now - *latest_busy_ >= left_after_busy;
    const bool quiet = look.now - look.quiet_since >= settle_.quiet &&
                       look.now - *start_ >= settle_.minimum && rests_after_busy;
    if (reacting_since_) {
        if (quiet) return ReactionEnd::reacted;
        const Time since = std::max(*reacting_since_, latest_busy_.value_or(*reacting_since_));
        if (look.now - since >= settle_.timeout) return ReactionEnd::timeout;
        return std::nullopt;
    }
    if (local_since_ && look.now - *local_since_ >= settle_.timeout) return ReactionEnd::timeout;
    if (!quiet || !silence_ends(look)) return std::nullopt;
    return local_since_ ? ReactionEnd::local_only : ReactionEnd::no_reaction;
}

bool ReactionMachine::is_reaction(const Look& look) const {
    switch (expectation_) {
    case Expectation::launch:
        return look.new_window;
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

/// Whether a screen without a reaction has been waited for long enough.
bool ReactionMachine::silence_ends(const Look& look) const {
    const auto since_action = look.now - acted_;
    switch (expectation_) {
    case Expectation::nothing:
        return true;
    case Expectation::text:
        return since_action >= std::min(silence_after_text, options_.reaction_timeout);
    case Expectation::scroll:
        return since_action >= std::min(silence_after_scroll, options_.reaction_timeout);
    case Expectation::launch:
        return since_action >= options_.launch_timeout;
    case Expectation::click:
        if (local_since_)
            return look.now - look.quiet_since >=
                   std::min(options_.feedback_timeout, options_.reaction_timeout);
        break;
    case Expectation::paste:
    case Expectation::command:
        break;
    }
    return since_action >= options_.reaction_timeout;
}

} // namespace eyehand::winio
