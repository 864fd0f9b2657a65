#include "loop_detector.hpp"

#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace agent {
namespace {

constexpr double same_place = 10; // units of 0..1000, on each axis
constexpr std::size_t longest_cycle = 4;
constexpr std::size_t repetitions = 3;

bool near(const winio::NormPoint& a, const winio::NormPoint& b) {
    return std::abs(a.x - b.x) <= same_place && std::abs(a.y - b.y) <= same_place;
}

bool same(const Action& a, const Action& b) {
    return a.tool == b.tool && a.subject == b.subject &&
           std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(), near);
}

std::string in_words(const Action& action) {
    std::string words = action.tool;
    for (const winio::NormPoint& point : action.points)
        words += fmt::format(" [{:.0f}, {:.0f}]", point.x, point.y);
    if (!action.subject.empty()) words += " " + shorten(one_line(action.subject), 40);
    return words;
}

} // namespace

void LoopDetector::acted(const Action& action) {
    if (pending_) saw(false); // nobody looked in between
    if (action.acts) pending_ = action;
}

void LoopDetector::saw(bool still) {
    if (!pending_) return;
    steps_.push_back({*std::move(pending_), still});
    pending_.reset();
    if (steps_.size() > longest_cycle * repetitions) steps_.pop_front();
}

bool LoopDetector::repeats(std::size_t period) const {
    const std::size_t length = period * repetitions;
    if (steps_.size() < length) return false;
    const auto first = steps_.end() - static_cast<std::ptrdiff_t>(length);
    for (auto step = first; step != steps_.end(); ++step) {
        if (!step->still) return false;
        if (step - first >= static_cast<std::ptrdiff_t>(period) &&
            !same(step->action, (step - static_cast<std::ptrdiff_t>(period))->action))
            return false;
    }
    return true;
}

std::optional<std::string> LoopDetector::loop() const {
    for (std::size_t period = 1; period <= longest_cycle; ++period) {
        if (!repeats(period)) continue;
        std::string words;
        for (std::size_t i = 0; i < period; ++i)
            words += (i == 0 ? "" : ", then ") +
                     in_words((steps_.end() - static_cast<std::ptrdiff_t>(period - i))->action);
        return fmt::format("{}, {} times without effect", words, repetitions);
    }
    return std::nullopt;
}

void LoopDetector::reset() {
    steps_.clear();
    pending_.reset();
}

} // namespace agent
