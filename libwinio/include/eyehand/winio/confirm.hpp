// Executes a plan and determines its effect on the screen.
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
    confirmed,         ///< the plan was executed and the screen changed; for a plan that only moves
                       ///< the pointer: the pointer arrived
    no_visible_change, ///< the plan was executed, but the screen did not change
    unseen,            ///< the plan was executed, but the screen could not be captured afterwards:
                       ///< see `look_error`
    refused,           ///< the plan was not executed completely: see `execution`
};

/// "confirmed", "no_visible_change", "unseen", "refused".
[[nodiscard]] EYEHAND_WINIO_API const char* to_string(ActionEffect effect) noexcept;

struct ActionReport {
    ActionEffect effect = ActionEffect::refused;
    ExecutionReport execution{}; ///< what was sent, and the cause if a part was not
    Settled after{}; ///< the screen afterwards; `after.changed` is what the action changed
    std::error_code look_error{}; ///< why `after` is missing: `cancelled`, `capture_unavailable`
                                  ///< (the click locked the screen), ...; or empty
    /// False: the pointer is not where the plan moved it last (because of the user, a clip
    /// rectangle, or a program that moves it), or its position is unknown.
    bool pointer_arrived = true;
};

/// Captures the executor's fence, executes the plan, waits until the screen is stable and reports
/// the effect. Captures the screen also after a refusal, because a part of the plan may have been
/// executed.
///
/// A region that toggles by itself (a spinner) does not count as a change. A caret that blinks more
/// slowly than `settle` waits cannot be distinguished from a change; with a `settle.minimum` of
/// four seconds, a caret that blinks twice a second counts as toggling. A window that appears later
/// (of a program that the plan launched) is not detected: see `wait_for_window`.
///
/// `check` as for `InputExecutor::execute`. This function sets `settle.before`. Before it executes
/// the plan, it throws Error{cancelled} and whatever the capturer throws; after that, it reports
/// every Error. Exceptions of other types, which a custom desktop may throw, are passed on to the
/// caller.
[[nodiscard]] EYEHAND_WINIO_API ActionReport act_and_look(InputExecutor& executor,
                                                          Capturer& capturer, const Plan& plan,
                                                          SettleOptions settle = {},
                                                          std::stop_token stop = {},
                                                          const CheckBatch& check = {});
/// The same with a settler that remembers toggling regions from action to action.
[[nodiscard]] EYEHAND_WINIO_API ActionReport
act_and_look(InputExecutor& executor, Capturer& capturer, Settler& settler, const Plan& plan,
             SettleOptions settle = {}, std::stop_token stop = {}, const CheckBatch& check = {});

} // namespace eyehand::winio
