// Acting, and seeing what came of it.
//
//     Hands hands(*desktop, area);
//     const auto capturer = desktop->open_capturer({});
//     const ActionReport report = act_and_look(hands, *capturer, gesture::click({640, 360}));
//     if (report.effect == ActionEffect::no_visible_change) ...
#pragma once

#include "winio/hands.hpp"
#include "winio/settle.hpp"

namespace winio {

enum class ActionEffect {
    confirmed,         ///< the pointer is where the plan left it, and the screen changed; of a plan
                       ///< that only moves the pointer, nothing more is expected
    no_visible_change, ///< all was carried out, but that is not to be seen: the screen is as it
                       ///< was, or the pointer is elsewhere
    refused,           ///< not all was carried out: `hands` says why
};

/// "confirmed", "no_visible_change", "refused".
[[nodiscard]] const char* to_string(ActionEffect effect) noexcept;

struct ActionReport {
    ActionEffect effect = ActionEffect::refused;
    HandsReport hands{}; ///< what was sent, and why not all
    Settled after{};     ///< the screen afterwards; `after.changed` is what the action changed
    /// False: the pointer is elsewhere than the plan's last move (a user's hand, a clip rectangle),
    /// or unknown. A desktop that does not know its pointer is believed as to the screen.
    bool pointer_arrived = true;
};

/// Captures the hands' fence, carries out the plan, waits until the screen is stable and tells what
/// became of it. Also after a refusal the screen is looked at: a part may have been carried out.
///
/// What is seen to toggle by itself (a spinner) does not count as a change. A caret that blinks
/// more slowly than `settle` waits cannot be told from a change: `settle.minimum` of two seconds
/// would show it. And what comes up only later (a program that was launched) is not seen yet: see
/// `wait_for_window`.
///
/// `settle.before` is filled in by this function. Throws what the capturer throws and
/// Error{cancelled}.
[[nodiscard]] ActionReport act_and_look(Hands& hands, Capturer& capturer, const Plan& plan,
                                        SettleOptions settle = {}, std::stop_token stop = {});

} // namespace winio
