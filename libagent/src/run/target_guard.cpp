#include "run/target_guard.hpp"

#include <cstdlib>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr int max_refused = 2;
/// Targets at most this far apart on each axis are the same, in pixels.
constexpr int same_target = 24;
/// How far from the pointer a control may look different below it, in pixels.
constexpr int hover_radius = 96;

} // namespace

void TargetGuard::on_screenshot(std::vector<winio::Rect> toggling) {
    toggling_ = std::move(toggling);
    own_ = {};
}

void TargetGuard::on_action(const winio::Plan& plan,
                            const std::optional<std::vector<winio::WindowInfo>>& before) {
    refused_.reset();
    if (!plan.targets.empty()) own_.pointed_at.push_back(plan.targets.back());
    const auto expected = winio::expectation_of(plan);
    if (expected == winio::Expectation::nothing) return;
    own_.latest = expected;
    own_.windows = before;
    own_.process.reset();
    if (!before || own_.pointed_at.empty()) return;
    const winio::WindowInfo* clicked = winio::window_at(*before, own_.pointed_at.back());
    if (clicked != nullptr && clicked->process_id != 0) own_.process = clicked->process_id;
}

void TargetGuard::on_unknown_action() {
    own_.latest = winio::Expectation::command;
    own_.windows.reset();
    own_.process.reset();
}

void TargetGuard::before_another_action(const winio::ScreenState& before) {
    if (own_.latest && !own_.first) own_.first = before;
}

std::optional<winio::StaleTarget>
TargetGuard::compare(const winio::ScreenState& seen, const winio::ScreenState& now,
                     const winio::Plan& plan, std::vector<winio::Rect> ambient, int dpi) const {
    winio::TargetCheck how;
    how.ignored = std::move(ambient);
    how.ignored.insert(how.ignored.end(), toggling_.begin(), toggling_.end());
    for (const winio::Point& at : own_.pointed_at)
        how.ignored.push_back(
            {at.x - hover_radius, at.y - hover_radius, 2 * hover_radius + 1, 2 * hover_radius + 1});
    how.dpi = dpi;
    const auto& then = seen.frame.pointer;
    const auto& pointer = now.frame.pointer;
    if (then && pointer && then->position == pointer->position) how.pointer = pointer->position;
    if (!own_.latest) return winio::check_target(seen, now, plan, how);
    if (own_.first && !plan.targets.empty())
        if (auto stale = winio::check_target(seen, *own_.first, plan, how);
            stale && winio::check_target(seen, now, plan, how))
            return stale;
    return compare_windows(now, plan, std::move(how));
}

std::optional<winio::StaleTarget> TargetGuard::compare_windows(const winio::ScreenState& now,
                                                               const winio::Plan& plan,
                                                               winio::TargetCheck how) const {
    using winio::Expectation;
    how.complete = false;
    if (own_.latest == Expectation::command || own_.latest == Expectation::launch)
        return std::nullopt;
    if (own_.latest == Expectation::click) {
        if (!own_.process) return std::nullopt;
        how.clicked_process = own_.process;
    }
    return winio::check_target({{}, own_.windows}, now, plan, how);
}

bool TargetGuard::refuses(const winio::StaleTarget& stale, const winio::Plan& plan) {
    const winio::Point target = plan.targets.empty() ? winio::Point{} : plan.targets.back();
    const std::vector<winio::Rect> window =
        plan.targets.empty() ? stale.rects : std::vector<winio::Rect>();
    const bool again = refused_ && refused_->reason == stale.reason && refused_->window == window &&
                       std::abs(refused_->target.x - target.x) <= same_target &&
                       std::abs(refused_->target.y - target.y) <= same_target;
    if (!again) refused_ = Refused{stale.reason, target, window, 0};
    if (refused_->times >= max_refused) return false;
    ++refused_->times;
    return true;
}

} // namespace eyehand::agent
