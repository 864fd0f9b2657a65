#include "winio/confirm.hpp"

#include "winio/error.hpp"

#include "stoppable_wait.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace winio {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

enum class Pointer { there, elsewhere, unknown };

std::optional<Point> last_move(const Plan& plan) {
    std::optional<Point> to;
    for (const Step& step : plan.steps)
        if (const auto* batch = std::get_if<Batch>(&step.effect))
            for (const InputEvent& event : *batch)
                if (const auto* move = std::get_if<PointerMove>(&event)) to = move->to;
    return to;
}

bool only_moves(const Plan& plan) {
    return last_move(plan) && std::ranges::all_of(plan.steps, [](const Step& step) {
               const auto* batch = std::get_if<Batch>(&step.effect);
               return batch != nullptr && std::ranges::all_of(*batch, [](const InputEvent& event) {
                          return std::holds_alternative<PointerMove>(event);
                      });
           });
}

// The pointer may lag behind: up to 105 ms were seen under Wine.
Pointer look_for_pointer(Desktop& desktop, Point wanted, milliseconds longest_lag,
                         const std::stop_token& stop) {
    const auto deadline = Clock::now() + longest_lag;
    for (;;) {
        const auto at = desktop.pointer();
        if (!at) return Pointer::unknown;
        if (*at == wanted) return Pointer::there;
        if (Clock::now() >= deadline) return Pointer::elsewhere;
        if (wait_for(milliseconds{5}, stop) == Waited::stopped)
            throw Error(errc::cancelled, "stopped while looking for the pointer");
    }
}

Pointer where_the_pointer_is(Desktop& desktop, const Plan& plan, const HandsReport& hands,
                             const std::stop_token& stop) {
    const auto wanted = last_move(plan);
    if (!wanted) return Pointer::there;
    // What was not sent will not arrive.
    const milliseconds longest_lag{hands.complete() ? 200 : 0};
    return look_for_pointer(desktop, *wanted, longest_lag, stop);
}

ActionEffect judge(const Plan& plan, const ActionReport& report, Pointer pointer) {
    if (!report.hands.complete()) return ActionEffect::refused;
    const bool screen_changed = !report.after.changed.empty();
    const bool is_seen = (only_moves(plan) && pointer == Pointer::there) ||
                         (screen_changed && pointer != Pointer::elsewhere);
    return is_seen ? ActionEffect::confirmed : ActionEffect::no_visible_change;
}

} // namespace

const char* to_string(ActionEffect effect) noexcept {
    switch (effect) {
    case ActionEffect::confirmed:
        return "confirmed";
    case ActionEffect::no_visible_change:
        return "no_visible_change";
    case ActionEffect::refused:
        return "refused";
    }
    return "?";
}

ActionReport act_and_look(Hands& hands, Capturer& capturer, const Plan& plan, SettleOptions settle,
                          std::stop_token stop) {
    const Rect& area = hands.fence().bounds();
    Frame before;
    capture_patiently(capturer, area, before, settle.timeout, stop);
    settle.before = &before;

    ActionReport report;
    report.hands = hands.carry_out(plan, stop);
    const Pointer pointer = where_the_pointer_is(hands.desktop(), plan, report.hands, stop);
    report.pointer_arrived = pointer == Pointer::there;
    report.after = wait_until_stable(capturer, area, settle, std::move(stop));
    report.effect = judge(plan, report, pointer);
    return report;
}

} // namespace winio
