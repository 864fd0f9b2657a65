#include "eyehand/winio/reaction_times.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::winio {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t times_needed = 8;
constexpr std::size_t max_programs = 64;
constexpr milliseconds min_limit{300};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

} // namespace

void ReactionTimes::add(std::string_view process, Expectation expectation, milliseconds time) {
    if (process.empty()) return;
    std::string name = lower(process);
    auto known = std::ranges::find_if(all_, [&](const Times& times) {
        return times.process == name && times.expectation == expectation;
    });
    if (known == all_.end()) {
        if (all_.size() >= max_programs) all_.erase(all_.begin());
        all_.push_back({std::move(name), expectation, {}});
    } else {
        std::rotate(known, known + 1, all_.end());
    }
    std::deque<milliseconds>& latest = all_.back().latest;
    latest.push_back(time);
    if (latest.size() > times_needed) latest.pop_front();
}

ReactionOptions ReactionTimes::limits(std::string_view process, Expectation expectation,
                                      const ReactionOptions& options) const {
    ReactionOptions limited = options;
    const bool learns = expectation == Expectation::click || expectation == Expectation::command ||
                        expectation == Expectation::paste;
    const std::string name = lower(process);
    const auto known = std::ranges::find_if(all_, [&](const Times& times) {
        return times.process == name && times.expectation == expectation;
    });
    if (!learns || known == all_.end() || known->latest.size() < times_needed) return limited;
    const milliseconds longest = *std::ranges::max_element(known->latest);
    limited.reaction_timeout =
        std::min(options.reaction_timeout, std::max(longest + longest / 2, min_limit));
    return limited;
}

} // namespace eyehand::winio
