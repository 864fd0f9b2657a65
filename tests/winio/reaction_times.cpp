#include "eyehand/winio/reaction_times.hpp"

#include "catch.hpp"

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

std::chrono::milliseconds limit(const ReactionTimes& times, std::string_view process,
                                Expectation expectation, const ReactionOptions& options = {}) {
    return times.limits(process, expectation, options).reaction_timeout;
}

} // namespace

TEST_CASE("reaction times: eight quick reactions shorten the wait, to at least 300 ms") {
    ReactionTimes times;
    for (int i = 0; i < 7; ++i) times.add("notepad.exe", Expectation::click, 40ms);
    CHECK(limit(times, "notepad.exe", Expectation::click) == 1000ms);
    times.add("NOTEPAD.EXE", Expectation::click, 40ms);
    CHECK(limit(times, "Notepad.exe", Expectation::click) == 300ms);
    CHECK(limit(times, "other.exe", Expectation::click) == 1000ms);
    CHECK(limit(times, "notepad.exe", Expectation::command) == 1000ms);
}

TEST_CASE("reaction times: the longest of the latest eight counts one and a half times") {
    ReactionTimes times;
    times.add("a", Expectation::command, 5000ms);
    for (int i = 0; i < 7; ++i) times.add("a", Expectation::command, 100ms);
    CHECK(limit(times, "a", Expectation::command) == 1000ms); // never longer than wanted
    times.add("a", Expectation::command, 400ms);              // forgets the first one
    CHECK(limit(times, "a", Expectation::command) == 600ms);
    CHECK(limit(times, "a", Expectation::command, {.reaction_timeout = 200ms}) == 200ms);
}

TEST_CASE("reaction times: other limits and other expectations stay") {
    ReactionTimes times;
    for (const auto expectation : {Expectation::text, Expectation::scroll, Expectation::launch,
                                   Expectation::nothing, Expectation::paste})
        for (int i = 0; i < 8; ++i) times.add("a", expectation, 10ms);
    for (const auto expectation :
         {Expectation::text, Expectation::scroll, Expectation::launch, Expectation::nothing})
        CHECK(limit(times, "a", expectation) == 1000ms);
    CHECK(limit(times, "a", Expectation::paste) == 300ms);
    const ReactionOptions limits = times.limits("a", Expectation::paste, {});
    CHECK(limits.feedback_timeout == 400ms);
    CHECK(limits.launch_timeout == 5000ms);
    CHECK(limits.busy_timeout == 5000ms);
}

TEST_CASE("reaction times: an unknown program is not learned, and old programs are forgotten") {
    ReactionTimes times;
    for (int i = 0; i < 8; ++i) times.add("", Expectation::click, 10ms);
    CHECK(limit(times, "", Expectation::click) == 1000ms);
    for (int i = 0; i < 8; ++i) times.add("kept", Expectation::click, 10ms);
    for (int i = 0; i < 8; ++i) times.add("old", Expectation::click, 10ms);
    for (int i = 0; i < 63; ++i) {
        times.add("program " + std::to_string(i), Expectation::click, 10ms);
        times.add("kept", Expectation::click, 10ms);
    }
    CHECK(limit(times, "kept", Expectation::click) == 300ms);
    CHECK(limit(times, "old", Expectation::click) == 1000ms);
}
