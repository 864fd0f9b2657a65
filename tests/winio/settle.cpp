#include "winio/settle.hpp"

#include "winio/error.hpp"
#include "winio/testing/memory_desktop.hpp"

#include "catch.hpp"

using namespace winio;
using namespace std::chrono_literals;
using testing::MemoryDesktop;

namespace {

constexpr Rect area{0, 0, 64, 64};

// Calls back before each capture, so that a test can repaint the screen.
class Watched final : public Capturer {
public:
    Watched(MemoryDesktop& desktop, std::function<void(int)> before)
        : inner_(desktop.open_capturer({})), before_(std::move(before)) {}
    void capture(const Rect& what, Frame& into) override {
        before_(count_++);
        inner_->capture(what, into);
    }

private:
    std::unique_ptr<Capturer> inner_;
    std::function<void(int)> before_;
    int count_ = 0;
};

void paint(MemoryDesktop& desktop, int n) {
    desktop.screen().fill(area, {.red = static_cast<std::uint8_t>(n)});
}

const SettleOptions quick{.minimum = 0ms, .quiet = 30ms, .timeout = 5s, .interval = 1ms};

} // namespace

TEST_CASE("a still screen is stable after the quiet period") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    const Settled settled = wait_until_stable(*capturer, area, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(settled.waited >= 30ms);
}

TEST_CASE("the minimum is waited even when the screen is quiet") {
    MemoryDesktop desktop({64, 64});
    const auto capturer = desktop.open_capturer({});
    auto options = quick;
    options.minimum = 60ms;
    CHECK(wait_until_stable(*capturer, area, options).waited >= 60ms);
}

TEST_CASE("a screen that changes for a while is returned as it looked in the end") {
    MemoryDesktop desktop({64, 64});
    Watched capturer(desktop, [&](int n) { paint(desktop, std::min(n, 10)); });
    const Settled settled = wait_until_stable(capturer, area, quick);
    CHECK(settled.end == SettleEnd::stable);
    CHECK(int{settled.frame.pixels.at(3, 3).red} == 10);
}

TEST_CASE("a screen that never rests is returned at the timeout") {
    MemoryDesktop desktop({64, 64});
    Watched capturer(desktop, [&](int n) { paint(desktop, n % 250); });
    auto options = quick;
    options.timeout = 80ms;
    const Settled settled = wait_until_stable(capturer, area, options);
    CHECK(settled.end == SettleEnd::timed_out);
    CHECK(settled.waited >= 80ms);
    CHECK(settled.frame.pixels.size() == Size{64, 64});
}

TEST_CASE("a pointer that moves does not keep the screen from being stable") {
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

TEST_CASE("captures that fail for a moment are repeated") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_unavailable, 3);
    const auto capturer = desktop.open_capturer({});
    CHECK(wait_until_stable(*capturer, area, quick).end == SettleEnd::stable);
}

TEST_CASE("what happened during a failed capture nobody knows: the quiet period starts anew") {
    MemoryDesktop desktop({64, 64});
    const auto start = std::chrono::steady_clock::now();
    auto failed_at = start;
    Watched capturer(desktop, [&](int n) {
        if (n != 5) return;
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

TEST_CASE("a capture that fails for good is not repeated") {
    MemoryDesktop desktop({64, 64});
    desktop.fail_next_captures(errc::capture_failed, 1);
    const auto capturer = desktop.open_capturer({});
    CHECK_THROWS_AS(wait_until_stable(*capturer, area, quick), Error);
    CHECK(desktop.captures() == 0);
}

TEST_CASE("a stop ends the waiting") {
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
