#include "modes/loop_detector.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace eyehand::agent {
namespace {

bool same(const Action& a, const Action& b, double distance) {
    const auto near = [&](const winio::NormPoint& p, const winio::NormPoint& q) {
        return std::abs(p.x - q.x) <= distance && std::abs(p.y - q.y) <= distance;
    };
    return a.tool == b.tool && a.subject == b.subject &&
           std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(), near);
}

} // namespace

std::string LoopDetector::in_words(const Action& action) const {
    std::string words = action.tool;
    for (const winio::NormPoint& point : action.points)
        words += numbers_ ? " " + numbers_->text(point)
                          : fmt::format(" [{:.0f}, {:.0f}]", point.x, point.y);
    if (!action.subject.empty()) words += " " + shorten(one_line(action.subject), 40);
    return words;
}

void LoopDetector::acted(const Action& action) {
    if (action.acts) add({action, std::nullopt, false});
}

void LoopDetector::refused(const Action& action) { add({action, true, false}); }

void LoopDetector::add(Step step) {
    steps_.push_back(std::move(step));
    if (steps_.size() >
        static_cast<std::size_t>(rules_.max_cycle) * static_cast<std::size_t>(rules_.repetitions))
        steps_.pop_front();
}

void LoopDetector::saw(bool still) {
    for (Step& step : steps_) {
        step.of_latest_look = !step.still;
        if (!step.still) step.still = still;
    }
}

void LoopDetector::revise(bool still) {
    for (Step& step : steps_)
        if (step.of_latest_look && !still) step.still = false;
}

bool LoopDetector::repeats(std::size_t period) const {
    const std::size_t length = period * static_cast<std::size_t>(rules_.repetitions);
    if (steps_.size() < length) return false;
    const auto first = steps_.end() - static_cast<std::ptrdiff_t>(length);
    // The first time may have had an effect: the control that is clicked again and again has got the
    // pointer and the focus.
    const auto second = first + static_cast<std::ptrdiff_t>(period);
    for (auto step = second; step != steps_.end(); ++step)
        if (!step->still.value_or(false) ||
            !same(step->action, (step - static_cast<std::ptrdiff_t>(period))->action,
                  rules_.distance))
            return false;
    return true;
}

std::optional<std::string> LoopDetector::loop() const {
    for (std::size_t period = 1; period <= static_cast<std::size_t>(rules_.max_cycle); ++period) {
        if (!repeats(period)) continue;
        std::string words;
        for (std::size_t i = 0; i < period; ++i)
            words += (i == 0 ? "" : ", then ") +
                     in_words((steps_.end() - static_cast<std::ptrdiff_t>(period - i))->action);
        return fmt::format("{}, {} times without progress", words, rules_.repetitions);
    }
    return std::nullopt;
}

void LoopDetector::reset() { steps_.clear(); }

Action as_tried(const Invoked& fact, const std::string& arguments) {
    if (fact.ok || fact.action.acts) return fact.action;
    return {fact.tool, {}, arguments, true};
}

std::string words_on_loop(std::string_view loop) {
    return fmt::format("You were in a loop ({}).", loop);
}

std::string words_on_loop(std::string_view loop, const Recovered& recovered) {
    std::string words = words_on_loop(loop);
    if (recovered.problem.empty())
        return words + " Escape was pressed and the pointer moved away; on a whole display, its "
                       "bottom left corner was clicked and Ctrl+Escape pressed, too.";
    return words + fmt::format(" Escape, moving the pointer away and perhaps a click in the bottom "
                               "left corner were tried, but may be incomplete: {}.",
                               recovered.problem);
}

} // namespace eyehand::agent
