// Acting, and seeing what came of it.
//
//     InputExecutor executor(*desktop, area);
//     const auto capturer = desktop->open_capturer({});
//     const ActionReport report = act_and_look(executor, *capturer, gesture::click({640, 360}));
//     if (report.effect == ActionEffect::no_visible_change) ...
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/settle.hpp"

#include <system_error>

namespace eyehand::winio {

enum class ActionEffect {
    confirmed,         ///< all was carried out and the screen changed; of a plan that only moves
                       ///< the pointer: it is there
    no_visible_change, ///< all was carried out, but that is not to be seen
    unseen,            ///< all was carried out, but the screen could not be looked at afterwards:
                       ///< `look_error` says why
    refused,           ///< not all was carried out: `execution` says why
};

/// "confirmed", "no_visible_change", "unseen", "refused".
[[nodiscard]] EYEHAND_WINIO_API const char* to_string(ActionEffect effect) noexcept;

struct ActionReport {
    ActionEffect effect = ActionEffect::refused;
    ExecutionReport execution{}; ///< what was sent, and why not all
    Settled after{}; ///< the screen afterwards; `after.changed` is what the action changed
    std::error_code look_error{}; ///< why there is no `after`: `cancelled`, `capture_unavailable`
                                  ///< (the click locked the screen), ...; or empty
    /// False: the pointer is elsewhere than the plan's last move (a user's hand, a clip rectangle, a
    /// program that moves it), or unknown.
    bool pointer_arrived = true;
};

/// Captures the hands' fence, carries out the plan, waits until the screen is stable and tells what
/// became of it. Also after a refusal the screen is looked at: a part may have been carried out.
///
/// What is seen to toggle by itself (a spinner) does not count as a change. A caret that blinks
/// more slowly than `settle` waits cannot be told from a change: `settle.minimum` of four seconds
/// would show it. And what comes up only later (a program that was launched) is not seen yet: see
/// `wait_for_window`.
///
/// `settle.before` is filled in by this function. As long as nothing has been done it throws what
/// the capturer throws and Error{cancelled}; from then on every Error is reported. What a desktop
/// of the caller's own throws besides goes on to the caller.
[[nodiscard]] EYEHAND_WINIO_API ActionReport act_and_look(InputExecutor& executor,
                                                          Capturer& capturer, const Plan& plan,
                                                          SettleOptions settle = {},
                                                          std::stop_token stop = {});
/// The same with a settler that remembers from action to action what toggles.
[[nodiscard]] EYEHAND_WINIO_API ActionReport act_and_look(InputExecutor& executor,
                                                          Capturer& capturer, Settler& settler,
                                                          const Plan& plan,
                                                          SettleOptions settle = {},
                                                          std::stop_token stop = {});

} // namespace eyehand::winio
