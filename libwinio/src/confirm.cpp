#include "eyehand/winio/confirm.hpp"

#include "eyehand/winio/error.hpp"

#include "eyehand/base/stoppable_wait.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eyehand::winio {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

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

// The pointer may arrive late: by up to 105 ms under Wine, as measured.
bool pointer_arrives(Desktop& desktop, const Plan& plan, const ExecutionReport& execution,
                     const std::stop_token& stop) {
    const auto wanted = last_move(plan);
    if (!wanted) return true;
    // An incomplete plan may not have sent the last move.
    const milliseconds longest_lag{execution.complete() ? 200 : 0};
    const auto deadline = Clock::now() + longest_lag;
    for (;;) {
        const auto at = desktop.pointer();
        if (!at || *at == *wanted) return at.has_value();
        if (Clock::now() >= deadline) return false;
        if (base::wait_for(milliseconds{5}, stop) == base::Waited::stopped) return false;
    }
}

ActionEffect judge(const Plan& plan, const ActionReport& report) {
    if (!report.execution.complete()) return ActionEffect::refused;
    if (only_moves(plan) && report.pointer_arrived) return ActionEffect::confirmed;
    if (report.look_error) return ActionEffect::unseen;
    return report.after.changed.empty() ? ActionEffect::no_visible_change : ActionEffect::confirmed;
}

} // namespace

const char* to_string(ActionEffect effect) noexcept {
    switch (effect) {
    case ActionEffect::confirmed:
        return "confirmed";
    case ActionEffect::no_visible_change:
        return "no_visible_change";
    case ActionEffect::unseen:
        return "unseen";
    case ActionEffect::refused:
        return "refused";
    }
    return "?";
}

ActionReport act_and_look(InputExecutor& executor, Capturer& capturer, Settler& settler,
                          const Plan& plan, SettleOptions settle, std::stop_token stop,
                          const CheckBatch& check) {
    const Rect& area = executor.fence().bounds();
    Frame before;
    capture_patiently(capturer, area, before, settle.timeout, stop);
    settle.before = &before;

    ActionReport report;
    report.execution = executor.execute(plan, stop, check);
    report.pointer_arrived = pointer_arrives(executor.desktop(), plan, report.execution, stop);
    // The caller must receive the report of the action even if the capture fails.
    try {
        report.after = settler.wait(capturer, area, settle, std::move(stop));
    } catch (const Error& error) {
        report.look_error = error.code();
    }
    report.effect = judge(plan, report);
    return report;
}

ActionReport act_and_look(InputExecutor& executor, Capturer& capturer, const Plan& plan,
                          SettleOptions settle, std::stop_token stop, const CheckBatch& check) {
    Settler settler;
    return act_and_look(executor, capturer, settler, plan, std::move(settle), std::move(stop),
                        check);
}

} // namespace eyehand::winio
