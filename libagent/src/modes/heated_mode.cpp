#include "modes/heated_mode.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

constexpr const char* explanation =
    "\n\nOrange spots in the screenshots are not part of the screen: they mark where you acted, "
    "with a "
    "number and the place; older ones are smaller and paler. If nothing has changed at a spot, "
    "acting there again will not help.";

} // namespace

HeatedMode::HeatedMode(std::unique_ptr<Mode> inner, int trail_turns)
    : inner_(std::move(inner)), trail_turns_(static_cast<std::size_t>(std::max(trail_turns, 1))) {}

Command HeatedMode::next() const {
    Command command = inner_->next();
    auto* look = std::get_if<Observe>(&command);
    const bool any = std::any_of(trail_.begin(), trail_.end(),
                                 [](const std::vector<Mark>& marks) { return !marks.empty(); });
    // At full resolution, a mark would cover small targets.
    if (look != nullptr && any && !look->zoom)
        look->annotation = Annotation{{trail_.begin(), trail_.end()}, {}};
    return command;
}

void HeatedMode::apply(const Fact& fact) {
    if (const auto* invoked = std::get_if<Invoked>(&fact)) add(*invoked);
    inner_->apply(fact);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

void HeatedMode::add(const Invoked& fact) {
    if (!fact.ok || !fact.action.acts) return;
    if (const int turn = inner_->state().turn; turn != latest_turn_) {
        latest_turn_ = turn;
        trail_.emplace_front();
        if (trail_.size() > trail_turns_) trail_.pop_back();
    }
    std::vector<Mark>& marks = trail_.front();
    const auto& points = fact.action.points;
    if (points.empty()) return;
    Mark mark{static_cast<int>(marks.size()) + 1, points.front(), {}};
    if (points.size() > 1) mark.to = points.back(); // a drag
    marks.push_back(mark);
}

Profile with_heat_explained(Profile profile) {
    mode_of(profile).screenshot_prompt(profile) += explanation;
    return profile;
}

} // namespace eyehand::agent
