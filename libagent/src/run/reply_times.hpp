// How long a model's replies have taken.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <vector>

namespace eyehand::agent {

class ReplyTimes {
public:
    void add(std::chrono::milliseconds time) {
        times_.push_back(time);
        if (times_.size() > max_times) times_.pop_front();
    }
    /// Whether a request that has taken this long has probably more than half of its time left, so
    /// that it is better sent again than awaited: less than half of the median of the latest replies.
    [[nodiscard]] bool is_early(std::chrono::milliseconds time) const {
        if (times_.size() < min_times) return true;
        std::vector<std::chrono::milliseconds> times(times_.begin(), times_.end());
        const auto median = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), median, times.end());
        return time < *median / 2;
    }

private:
    static constexpr std::size_t min_times = 3; // a median of fewer says little
    static constexpr std::size_t max_times = 9;
    std::deque<std::chrono::milliseconds> times_;
};

} // namespace eyehand::agent
