#include "poll.hpp"

#include "catch.hpp"

using namespace eyehand::winio;
using std::chrono::milliseconds;

TEST_CASE("polling without a limit ends when the condition holds") {
    int looks = 0;
    CHECK(poll(milliseconds::max(), [&] { return ++looks == 2; }));
}
