#include "modes/effect_of_action.hpp"

#include "eyehand/winio/reaction.hpp"

#include <utility>

namespace eyehand::agent {

std::optional<winio::ActionEffect> EffectOfAction::shown_by(const Observed& fact) {
    if (!std::exchange(is_awaited_, false)) return std::nullopt;
    using winio::ActionEffect;
    using winio::ReactionEnd;
    const auto ended = [&](ReactionEnd end) { return fact.end == to_string(end); };
    // After a timeout, it is not known yet.
    if (ended(ReactionEnd::timeout) || ended(ReactionEnd::busy_timeout)) return std::nullopt;
    // A caret that blinks slowly is a change for the wait, but not for `still`.
    if (ended(ReactionEnd::no_reaction) || (fact.still && fact.changed.empty()))
        return ActionEffect::no_visible_change;
    if ((!fact.still || fact.returned) &&
        (ended(ReactionEnd::reacted) || ended(ReactionEnd::local_only)))
        return ActionEffect::confirmed;
    return std::nullopt;
}

} // namespace eyehand::agent
