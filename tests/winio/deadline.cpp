#include "deadline.hpp"

#include "poll.hpp"
#include "stoppable_wait.hpp"

#include "catch.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;
using std::chrono::milliseconds;

TEST_CASE("a deadline is as far away as the patience") {
    CHECK(deadline_after(Time{5s}, 250ms) == Time{5250ms});
}

TEST_CASE("a deadline that the clock cannot tell never comes") {
    CHECK(deadline_after(Time{5s}, milliseconds::max()) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 10ms) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 11ms) == Time::max());
    CHECK(deadline_after(Time::max() - 10ms, 9ms) == Time::max() - 1ms);
}

TEST_CASE("who has no patience has reached the deadline") {
    CHECK(deadline_after(Time{5s}, 0ms) == Time{5s});
    CHECK(deadline_after(Time{5s}, milliseconds::min()) == Time{5s});
}

TEST_CASE("polling forever ends when it is done") {
    int looks = 0;
    CHECK(poll(milliseconds::max(), [&] { return ++looks == 2; }));
}

TEST_CASE("a stop ends waiting forever") {
    std::stop_source stop;
    stop.request_stop();
    CHECK(wait_for(milliseconds::max(), stop.get_token()) == Waited::stopped);
}
