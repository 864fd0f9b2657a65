#include "eyehand/base/deadline.hpp"
#include "eyehand/base/stoppable_wait.hpp"

#include "catch.hpp"

#include <thread>

using namespace eyehand::base;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using std::chrono::milliseconds;

TEST_CASE("a deadline is the start plus the patience") {
    CHECK(deadline_after(Time{5s}, 250ms) == Time{5250ms});
}

TEST_CASE("a deadline beyond the range of the clock is never reached") {
    CHECK(deadline_after(Time{5s}, milliseconds::max()) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 10ms) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 11ms) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 9ms) == Time::max() - 1ms);
}

TEST_CASE("without patience the deadline is the start") {
    CHECK(deadline_after(Time{5s}, 0ms) == Time{5s});
    CHECK(deadline_after(Time{5s}, milliseconds::min()) == Time{5s});
}

TEST_CASE("a wait without a stop lasts to its end") {
    CHECK(wait_for(15ms, {}) == Waited::to_the_end);
    const Time end = Clock::now() + 15ms;
    CHECK(wait_until(end, {}) == Waited::to_the_end);
    CHECK(Clock::now() >= end);
}

TEST_CASE("a wait whose deadline has passed does not wait") {
    CHECK(wait_for(0ms, {}) == Waited::to_the_end);
    CHECK(wait_for(milliseconds::min(), {}) == Waited::to_the_end);
    CHECK(wait_until(Time{}, {}) == Waited::to_the_end);
}

TEST_CASE("a stop ends waiting forever") {
    std::stop_source stop;
    stop.request_stop();
    CHECK(wait_for(milliseconds::max(), stop.get_token()) == Waited::stopped);
    CHECK(wait_until(Time::max(), stop.get_token()) == Waited::stopped);
}

TEST_CASE("a stop by another thread ends waiting forever") {
    std::stop_source stop;
    std::thread other([&] { stop.request_stop(); });
    CHECK(wait_for(milliseconds::max(), stop.get_token()) == Waited::stopped);
    other.join();
}
