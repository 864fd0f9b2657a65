#include "run/limit_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::agent {

LimitWatch::LimitWatch(const RunLimits& limits, const RunPort& control, const RunStore& store,
                       std::chrono::milliseconds elapsed)
    : limits_(limits), control_(control), store_(store) {
    if (!limits_.max_time) return;
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365); // no overflow
    const auto left = std::min(*limits_.max_time, longest) - elapsed;
    if (left.count() <= 0) { // before the first request to the model
        stop_at_time_limit();
        return;
    }
    const Time end = std::chrono::steady_clock::now() + left;
    timer_ = std::thread([this, end] { wait_until(end); });
}

LimitWatch::~LimitWatch() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    ending_.notify_all();
    if (timer_.joinable()) timer_.join();
}

void LimitWatch::wait_until(Time end) {
    std::unique_lock lock(mutex_);
    if (ending_.wait_until(lock, end, [this] { return ended_; })) return;
    lock.unlock(); // the listeners of the control may take their time
    stop_at_time_limit();
}

void LimitWatch::stop_at_time_limit() {
    const std::chrono::duration<double> limit = *limits_.max_time;
    control_.stop_at_limit(fmt::format("the time limit of {:g} s is reached", limit.count()));
}

void LimitWatch::count(const vlm::Usage& usage) {
    tokens_ += usage.prompt_tokens.value_or(0) + std::int64_t{usage.completion_tokens.value_or(0)};
    if (limits_.max_tokens && tokens_ >= *limits_.max_tokens)
        control_.stop_at_limit(fmt::format("the token limit of {} is reached: {} tokens",
                                           *limits_.max_tokens, tokens_));
}

void LimitWatch::acted(Time now) {
    if (!limits_.max_actions_per_minute) return;
    latest_.push_back(now);
    while (latest_.front() + std::chrono::minutes(1) <= now) latest_.pop_front();
    if (latest_.size() > static_cast<std::size_t>(*limits_.max_actions_per_minute))
        control_.stop_at_limit(fmt::format("the limit of {} actions per minute is exceeded",
                                           *limits_.max_actions_per_minute));
}

void LimitWatch::on_event(const Event& event) {
    visit(
        event, [this](const Replied& fact) { count(fact.reply.usage); },
        [this](const Superseded& fact) { count({.prompt_tokens = fact.spent_tokens()}); },
        [this](const Invoked& fact) {
            if (fact.action.acts) acted(std::chrono::steady_clock::now());
        },
        [this](const Recovered&) { acted(std::chrono::steady_clock::now()); }, [](const auto&) {});
    if (!limits_.max_bytes) return;
    if (const std::uint64_t size = store_.size(); size >= *limits_.max_bytes)
        control_.stop_at_limit(fmt::format("the limit of {} bytes for the run's files is reached: "
                                           "{} bytes",
                                           *limits_.max_bytes, size));
}

} // namespace eyehand::agent
