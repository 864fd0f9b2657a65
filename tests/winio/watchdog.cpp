// What a watchdog does when, in virtual time, and what it is told.
#include "eyehand/winio/error.hpp"
#include "watchdog/hold.hpp"
#include "watchdog/input_releaser.hpp"
#include "watchdog/release_timer.hpp"

#include "catch.hpp"

#include <chrono>

using namespace eyehand::winio;
using namespace std::chrono_literals;

namespace {

using WatchdogKind = HoldMessage::Kind;
using Codes = std::vector<ReleaseCode>;

constexpr ReleaseTimer::Time begin{};

HoldMessage hold(Codes codes) { return {.kind = WatchdogKind::hold, .codes = std::move(codes)}; }
HoldMessage rest(Codes codes) { return {.kind = WatchdogKind::rest, .codes = std::move(codes)}; }

/// The times of the releases until the timer waits for a message.
std::vector<std::chrono::milliseconds> releases(ReleaseTimer& timer) {
    std::vector<std::chrono::milliseconds> times;
    while (const auto next = timer.next()) {
        if (!timer.due(*next).codes.empty())
            times.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(*next - begin));
    }
    return times;
}

/// Checks whenever the timer wants it, but not after `end`. The first check that releases something.
ReleaseTimer::Due first_release(ReleaseTimer& timer, ReleaseTimer::Time end) {
    while (timer.next() && *timer.next() <= end)
        if (auto due = timer.due(*timer.next()); !due.codes.empty()) return due;
    return {};
}

struct Releaser final : InputReleaser {
    void release(std::span<const ReleaseCode>) override {}
    void restore_clipboard(const std::string&, ClipboardNumber) override {}
    using InputReleaser::try_repeatedly;
};

} // namespace

TEST_CASE("watchdog: the clipboard is restored although another program holds it for a while") {
    int attempts = 0;
    const auto succeed_at = [&](int attempt) {
        attempts = 0;
        Releaser::try_repeatedly([&attempts, attempt] {
            if (++attempts < attempt)
                throw Error(errc::clipboard_failed, "another program holds it");
        });
    };
    succeed_at(4);
    CHECK(attempts == 4);
    succeed_at(1000); // gives up without an error
    CHECK(attempts == 10);
}

TEST_CASE("watchdog: messages are lines") {
    const HoldMessage messages[]{
        hold({0x1, 0xFFFFFFFFFFFFFFFF}),
        rest({}),
        rest({0x326}),
        {.kind = WatchdogKind::display, .text = "host:1.0"},
        {.kind = WatchdogKind::clipboard, .text = "two\nlines"},
        {.kind = WatchdogKind::clipboard, .text = ""},
        {.kind = WatchdogKind::owner, .owner = 0xFFFFFFFF},
        {.kind = WatchdogKind::restored},
        {.kind = WatchdogKind::watch, .text = "ctrl+alt+pause"},
        {.kind = WatchdogKind::watch},
    };
    for (const HoldMessage& message : messages) {
        std::string line = to_line(message);
        CHECK(line.back() == '\n');
        line.pop_back();
        CHECK(message_of(line) == message);
    }
    for (const std::string_view other :
         {"", "hold 1 x", "hold 11111111111111111", "hold  1", "hold -1", "keep 1", "HOLD",
          "clipboard !", "owner", "owner 100000000", "restored 1"})
        CHECK_FALSE(message_of(other));
}

TEST_CASE("watchdog: a program that has ended holds nothing after 300 ms") {
    ReleaseTimer timer;
    timer.note(hold({7}), begin);
    timer.ended(begin + 10ms);
    CHECK_FALSE(timer.finished());
    CHECK(releases(timer) == std::vector{10ms, 60ms, 160ms, 310ms});
    CHECK(timer.finished());
}

TEST_CASE("watchdog: a program that ends while nothing is pressed needs no release") {
    ReleaseTimer timer;
    timer.note(hold({7}), begin);
    timer.note(rest({}), begin + 10ms);
    CHECK_FALSE(timer.next());
    timer.ended(begin + 20ms);
    CHECK(timer.finished());
}

TEST_CASE("watchdog: releases that may not have arrived are repeated when the program has ended") {
    ReleaseTimer timer;
    timer.note(rest({7}), begin);
    CHECK_FALSE(timer.next());
    timer.ended(begin);
    CHECK(timer.due(begin).codes == Codes{7});
}

TEST_CASE("watchdog: 400 ms after the latest heartbeat, the program is told, and all is released") {
    ReleaseTimer timer;
    timer.note(hold({7, 8}), begin);
    timer.note(hold({7, 8}), begin + 50ms);
    CHECK(first_release(timer, begin + 449ms).codes.empty());
    const auto due = first_release(timer, begin + 450ms);
    CHECK(due.expired);
    CHECK(due.codes == Codes{7, 8});
    const auto again = timer.due(begin + 500ms);
    CHECK_FALSE(again.expired);
    CHECK(again.codes == Codes{7, 8});

    timer.note(rest({}), begin + 510ms); // the program goes on
    CHECK_FALSE(timer.next());
}

TEST_CASE("watchdog: the time in which the watchdog did not run itself does not count") {
    ReleaseTimer timer;
    timer.note(hold({7}), begin);
    CHECK(timer.due(begin + 2s).codes.empty()); // counts as 20 ms
    CHECK(first_release(timer, begin + 2s + 379ms).codes.empty());
    CHECK(first_release(timer, begin + 2s + 380ms).expired);

    timer.note(hold({7}), begin + 3s);
    int checks = 1;
    while (!timer.due(begin + 3s + checks * 60ms).expired) ++checks;
    CHECK(checks == 20);
}

TEST_CASE("watchdog: a stopped program that is killed may have pressed something before its end") {
    ReleaseTimer timer;
    timer.note(hold({7}), begin);
    CHECK(releases(timer) == std::vector{400ms, 450ms, 550ms, 700ms});
    CHECK_FALSE(timer.finished());
    timer.ended(begin + 1s);
    CHECK(releases(timer) == std::vector{1000ms, 1050ms, 1150ms, 1300ms});
    CHECK(timer.finished());
}
