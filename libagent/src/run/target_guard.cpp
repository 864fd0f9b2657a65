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

std::optional<winio::StaleTarget>
TargetGuard::compare(const winio::ScreenState& seen, const winio::ScreenState& now,
                     const winio::Plan& plan, std::vector<winio::Rect> ambient, int dpi) const {
    using winio::Expectation;
    if (own_action_ == Expectation::click || own_action_ == Expectation::command ||
        own_action_ == Expectation::launch)
        return std::nullopt;
    winio::TargetCheck how;
    how.complete = !own_action_;
    how.ignored = std::move(ambient);
    how.ignored.insert(how.ignored.end(), toggling_.begin(), toggling_.end());
    if (moved_to_)
        how.ignored.push_back({moved_to_->x - hover_radius, moved_to_->y - hover_radius,
                               2 * hover_radius + 1, 2 * hover_radius + 1});
    how.dpi = dpi;
    const auto& then = seen.frame.pointer;
    const auto& pointer = now.frame.pointer;
    if (then && pointer && then->position == pointer->position) how.pointer = pointer->position;
    return winio::check_target(seen, now, plan, how);
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
