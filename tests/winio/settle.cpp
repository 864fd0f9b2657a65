#include "eyehand/winio/settle.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"
#include "watched.hpp"

#include <algorithm>
#include <functional>
#include <set>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::MemoryDesktop;

namespace {

constexpr Rect area{0, 0, 64, 64};

void paint(MemoryDesktop& desktop, int n) {
    desktop.screen().fill(area, {.red = static_cast<std::uint8_t>(n)});
}

void blink(MemoryDesktop& desktop, int n) {
    desktop.screen().fill({8, 8, 2, 16}, {.red = static_cast<std::uint8_t>(n % 2)});
}

const SettleOptions quick{.minimum = 0ms, .quiet = 30ms, .timeout = 60s, .interval = 1ms};

} // namespace

TEST_CASE("a still screen is stable after the quiet period") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    const Settled settled = wait_until_stable(*capturer, area, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.waited >= 30ms);
}

TEST_CASE("the wait lasts for the minimum even if the screen is quiet") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.minimum = 60ms;
    CHECK(wait_until_stable(*capturer, area, options).waited >= 60ms);
}

TEST_CASE("the wait lasts for the minimum even if it exceeds the timeout") {
    MemoryDesktop desktop({64, 64});
    Watched capturer(desktop, [&](int n) { paint(desktop, n % 250); });
    auto options = quick;
    options.minimum = 60ms;
    options.timeout = 10ms;
    const Settled settled = wait_until_stable(capturer, area, options);
    CHECK(settled.waited >= 60ms);
    CHECK(settled.end == SettleEnd::timed_out);
}

TEST_CASE("a timeout may be unlimited") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 2);
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.timeout = std::chrono::milliseconds::max();
    CHECK(wait_until_stable(*capturer, area, options).end == SettleEnd::stable);
}

TEST_CASE("a wait with a timeout of zero captures once") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.timeout = std::chrono::milliseconds::min();
    CHECK(wait_until_stable(*capturer, area, options).end == SettleEnd::timed_out);
    CHECK(desktop.captures() == 1);
}

TEST_CASE("a screen that changes for a while is returned in its final state") {
    MemoryDesktop desktop({64, 64});
    Watched capturer(desktop, [&](int n) { paint(desktop, std::min(n, 10)); });
    const Settled settled = wait_until_stable(capturer, area, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(int{settled.frame.pixels.at(3, 3).red} == 10);
}

TEST_CASE("a screen that never stops changing is returned at the timeout") {
    MemoryDesktop desktop({64, 64});
    Watched capturer(desktop, [&](int n) { paint(desktop, n % 250); });
    auto options = quick;
    options.timeout = 80ms;
    const Settled settled = wait_until_stable(capturer, area, options);
    CHECK(settled.end == SettleEnd::timed_out);
    CHECK(settled.waited >= 80ms);
    CHECK(settled.frame.pixels.size() == Size{64, 64});
}

TEST_CASE("a moving pointer does not prevent the screen from being stable") {
    MemoryDesktop desktop({64, 64});
    PointerShape shape;
    shape.pixels = Image({2, 2});
    desktop.set_pointer_shape(shape);
    Watched capturer(desktop, [&](int n) {
        const InputEvent move = PointerMove{{n % 60, 5}};
        CHECK(desktop.send({&move, 1}).complete());
    });
    CHECK(wait_until_stable(capturer, area, quick).end == SettleEnd::stable);
}

TEST_CASE("captures that fail temporarily are repeated") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 3);
    const auto capturer = desktop.open_capturer({});
    CHECK(wait_until_stable(*capturer, area, quick).end == SettleEnd::stable);
}

TEST_CASE("the quiet period restarts after a failed capture, which may have missed changes") {
    MemoryDesktop desktop({64, 64});
    const auto start = std::chrono::steady_clock::now();
    auto failed_at = start;
    Watched capturer(desktop, [&](int n) {
        if (n != 1) return; // a busy machine may not capture a third time within the quiet period
        failed_at = std::chrono::steady_clock::now();
        throw Error(errc::capture_unavailable, "locked for a moment");
    });
    const Settled settled = wait_until_stable(capturer, area, quick);
    const auto ready_at = std::chrono::steady_clock::now();
    CHECK(failed_at > start);
    CHECK(ready_at - failed_at >= 30ms);
    CHECK(settled.end == SettleEnd::stable);
}

TEST_CASE("captures that keep failing end with their error at the timeout") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 1'000'000);
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.timeout = 50ms;
    try {
        (void)wait_until_stable(*capturer, area, options);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::capture_unavailable);
    }
}

TEST_CASE("a capture that fails permanently is not repeated") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_failed, 1);
    const auto capturer = desktop.open_capturer({});
    CHECK_THROWS_AS(wait_until_stable(*capturer, area, quick), Error);
    CHECK(desktop.captures() == 0);
}

TEST_CASE("a stop ends the wait") {
    MemoryDesktop desktop({64, 64});
    std::stop_source stop;
    Watched capturer(desktop, [&](int n) {
        paint(desktop, n % 250);
        if (n == 3) stop.request_stop();
    });
    try {
        (void)wait_until_stable(capturer, area, quick, stop.get_token());
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::cancelled);
    }
}

TEST_CASE("a small region that keeps toggling is reported and not waited for") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) { blink(desktop, n); });
    const Settled settled = wait_until_stable(capturer, {0, 0, 320, 240}, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.toggling == std::vector<Rect>{{8, 8, 8, 16}});
    CHECK(settled.changed.empty());
}

TEST_CASE("a clicked button counts as changed once the screen is stable") {
    MemoryDesktop desktop({320, 240});
    const Rect button{40, 40, 40, 16};
    Frame before;
    desktop.open_capturer({})->capture({0, 0, 320, 240}, before);
    Watched capturer(desktop, [&](int n) { // hovered, pressed, hovered
        desktop.screen().fill(button, {.red = static_cast<std::uint8_t>(n == 1 ? 20 : 10)});
    });
    auto options = quick;
    options.before = &before;
    options.interval = 20ms;
    const Settled settled = wait_until_stable(capturer, {0, 0, 320, 240}, options);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.changed == std::vector{button});
    CHECK(settled.toggling.empty());
}

TEST_CASE("toggling regions are waited for if the options request it") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) { blink(desktop, n); });
    auto options = quick;
    options.timeout = 80ms;
    options.ignore_toggling = false;
    const Settled settled = wait_until_stable(capturer, {0, 0, 320, 240}, options);
    CHECK(settled.end == SettleEnd::timed_out);
    CHECK(settled.toggling.empty());
}

TEST_CASE("other changes are waited for beside a toggling region") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) {
        blink(desktop, n);
        desktop.screen().fill({0, 100, std::min(n, 20) * 10, 8}, {.green = 200});
    });
    const Settled settled = wait_until_stable(capturer, {0, 0, 320, 240}, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.frame.pixels.at(199, 100) == Color{.green = 200});
    CHECK(settled.changed.size() == 1);
}

TEST_CASE("a small area that changes everywhere is waited for until the timeout") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) {
        desktop.screen().fill({0, 0, 160, 240}, {.red = static_cast<std::uint8_t>(n % 2)});
    });
    auto options = quick;
    options.timeout = 80ms;
    const Settled settled = wait_until_stable(capturer, {0, 0, 320, 240}, options);
    CHECK(settled.end == SettleEnd::timed_out);
    CHECK(settled.toggling.empty());
}

TEST_CASE("regions that change by themselves are neither waited for nor reported") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) {
        desktop.screen().fill({0, 0, 160, 200}, {.red = static_cast<std::uint8_t>(n % 200)});
        // On a busy machine, the second capture may be the last one.
        // A busy machine may leave no time for a third capture.
        if (n == 1) desktop.screen().fill({200, 200, 16, 16}, {.blue = 9});
    });
    auto options = quick;
    options.ambient = {{-8, 0, 168, 200}};
    const Rect whole{0, 0, 320, 240};
    SECTION("a wait until the screen is stable") {
        const Settled settled = wait_until_stable(capturer, whole, options);
        CHECK(settled.end == SettleEnd::stable);
        CHECK(settled.changed == std::vector{Rect{200, 200, 16, 16}});
    }
    SECTION("a wait for a reaction") {
        BeforeAction before;
        desktop.open_capturer({})->capture(whole, before.frame);
        before.expectation = Expectation::text;
        before.acted = std::chrono::steady_clock::now();
        const Reacted reacted = Settler().wait_for_reaction(desktop, capturer, before,
                                                            {.reaction_timeout = 60s}, options);
        CHECK(reacted.end == ReactionEnd::reacted);
        CHECK(reacted.changed == std::vector{Rect{200, 200, 16, 16}});
    }
    SECTION("more than half of the area counts") {
        options.ambient = {{0, 0, 320, 200}};
        options.timeout = 80ms;
        CHECK(wait_until_stable(capturer, whole, options).end == SettleEnd::timed_out);
    }
}

TEST_CASE("changes are the difference from the frame before the action, in desktop coordinates") {
    MemoryDesktop desktop({320, 240});
    const Rect part{100, 40, 64, 64};
    const auto capturer = desktop.open_capturer({});
    Frame before;
    capturer->capture(part, before);
    desktop.screen().fill({108, 48, 16, 8}, {.red = 1});
    auto options = quick;
    options.before = &before;
    CHECK(wait_until_stable(*capturer, part, options).changed ==
          std::vector<Rect>{{108, 48, 16, 8}});
    capturer->capture(part, before);
    CHECK(wait_until_stable(*capturer, part, options).changed.empty());
}

TEST_CASE("compared with a frame of another origin or size, the whole area has changed") {
    MemoryDesktop desktop({320, 240});
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    for (const Rect& other : {Rect{1, 0, 64, 64}, Rect{0, 0, 64, 63}}) {
        Frame before;
        capturer->capture(other, before);
        options.before = &before;
        CHECK(wait_until_stable(*capturer, area, options).changed == std::vector{area});
    }
}

TEST_CASE("without an earlier frame, changes are the difference from the first capture") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) {
        desktop.screen().fill({16, 16, 8, 8}, {.red = 3}); // before the first capture
        if (n == 1) desktop.screen().fill({40, 16, 8, 8}, {.red = 3});
    });
    CHECK(wait_until_stable(capturer, {0, 0, 320, 240}, quick).changed ==
          std::vector<Rect>{{40, 16, 8, 8}});
}

TEST_CASE("the quiet period begins with the first capture, even if it equals the frame before") {
    MemoryDesktop desktop({64, 64});
    Frame before;
    desktop.open_capturer({})->capture(area, before);
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.before = &before;
    CHECK(wait_until_stable(*capturer, area, options).waited >= 30ms);
}

TEST_CASE("a settler needs no new memory for its frames") {
    MemoryDesktop desktop({320, 240});
    std::set<const std::uint8_t*> used;
    class Noting final : public Capturer {
    public:
        std::set<const std::uint8_t*>* used = nullptr;
        std::unique_ptr<Capturer> inner;
        void capture(const Rect& what, Frame& into) override {
            inner->capture(what, into);
            used->insert(into.pixels.data());
        }
    } capturer;
    capturer.used = &used;
    capturer.inner = desktop.open_capturer({});
    Settler settler;
    for (int turn = 0; turn < 5; ++turn) {
        Settled look = settler.wait(capturer, {0, 0, 320, 240}, quick);
        settler.reuse(std::move(look.frame));
    }
    CHECK(used.size() == 2);
}

TEST_CASE("a settler recognizes in the next wait the regions that toggled in this one") {
    MemoryDesktop desktop({320, 240});
    Watched capturer(desktop, [&](int n) { blink(desktop, n); });
    const Rect all{0, 0, 320, 240};
    Settler settler;
    REQUIRE(settler.wait(capturer, all, quick).end == SettleEnd::stable);
    int looks = 0;
    Watched counted(desktop, [&](int n) {
        blink(desktop, n);
        looks = n + 1;
    });
    auto options = quick;
    options.quiet = 1ms;
    CHECK(settler.wait(counted, all, options).end == SettleEnd::stable);
    CHECK(looks <= 3);
}

TEST_CASE(
    "a settler waits for text that streams in where everything changed in the previous wait") {
    MemoryDesktop desktop({320, 240});
    const Rect all{0, 0, 320, 240};
    Watched video(desktop, [&](int n) {
        desktop.screen().fill(all, {.red = static_cast<std::uint8_t>(n % 2)});
    });
    auto options = quick;
    options.timeout = 100ms;
    Settler settler;
    REQUIRE(settler.wait(video, all, options).end == SettleEnd::timed_out);
    Watched text(desktop, [&](int n) {
        desktop.screen().fill({0, 100, std::min(n, 150) * 2, 8}, {.green = 200});
    });
    const Settled settled = settler.wait(text, all, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.frame.pixels.at(299, 100) == Color{.green = 200});
}

TEST_CASE("a stopped settler works again in the next wait") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    Settler settler;
    std::stop_source stop;
    stop.request_stop();
    CHECK_THROWS_AS(settler.wait(*capturer, area, quick, stop.get_token()), Error);
    CHECK(settler.wait(*capturer, area, quick).end == SettleEnd::stable);
}

TEST_CASE("a patient capture retries while the screen cannot be read") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 2);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    capture_patiently(*capturer, area, frame, 60s);
    CHECK(frame.pixels.size() == area.size());
}

TEST_CASE("a patient capture may retry without a limit") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 1);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    capture_patiently(*capturer, area, frame, std::chrono::milliseconds::max());
    CHECK(frame.pixels.size() == area.size());
}

TEST_CASE("a patient capture throws the capturer's error after the patience is over") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 1'000'000);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    try {
        capture_patiently(*capturer, area, frame, 1ms);
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::capture_unavailable);
    }
}

TEST_CASE("a patient capture does not retry after a permanent error") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_failed, 1);
    const auto capturer = desktop.open_capturer({});
    Frame frame;
    CHECK_THROWS_AS(capture_patiently(*capturer, area, frame, 60s), Error);
    CHECK_NOTHROW(capture_patiently(*capturer, area, frame, 60s));
}

TEST_CASE("a stop ends a patient capture") {
    MemoryDesktop desktop({64, 64});
    std::stop_source stop;
    Watched capturer(desktop, [&](int n) {
        if (n == 1) stop.request_stop();
        throw Error(errc::capture_unavailable, "locked");
    });
    Frame frame;
    try {
        capture_patiently(capturer, area, frame, 60s, stop.get_token());
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == errc::cancelled);
    }
}
