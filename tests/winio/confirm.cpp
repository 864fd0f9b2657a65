#include "eyehand/winio/confirm.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <stdexcept>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::MemoryDesktop;

namespace {

const WorkArea area({0, 0, 320, 240});
const SettleOptions quick{.minimum = 0ms, .quiet = 10ms, .timeout = 60s, .interval = 1ms};
const InputEvent press_left = ButtonChange{Button::left, Press::down};

// A program with one button, which is painted when it is pressed.
struct ConfirmStage {
    ConfirmStage() {
        desktop.on_input = [this](const InputEvent& event) {
            if (event == press_left && button.contains(*desktop.pointer()))
                desktop.screen().fill(button, {.red = 200});
        };
    }

    ActionReport act(const Plan& plan) {
        InputExecutor executor(desktop, area);
        return act_and_look(executor, *capturer, plan, quick);
    }

    const Rect button{40, 40, 64, 16};
    MemoryDesktop desktop{{320, 240}};
    std::unique_ptr<Capturer> capturer = desktop.open_capturer({});
};

// Calls back before each capture.
class Watched final : public Capturer {
public:
    std::function<void(int)> before;
    explicit Watched(MemoryDesktop& desktop) : inner_(desktop.open_capturer({})) {}
    void capture(const Rect& what, Frame& into) override {
        before(count_++);
        inner_->capture(what, into);
    }

private:
    std::unique_ptr<Capturer> inner_;
    int count_ = 0;
};

// The user holds the pointer at one place.
class HeldPointer final : public Desktop {
public:
    std::optional<Point> held;
    bool screen_reacts = false;
    MemoryDesktop inner{{320, 240}};

    std::vector<Display> displays() override { return inner.displays(); }
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override {
        return inner.open_capturer(options);
    }
    SendReport send(std::span<const InputEvent> events) override {
        if (screen_reacts) inner.screen().fill({0, 0, 8, 8}, {.red = 1});
        return inner.send(events);
    }
    std::optional<Point> pointer() override { return held; }
    void launch(const LaunchCommand&) override {}
    std::chrono::milliseconds double_click_time() override { return {}; }
};

} // namespace

TEST_CASE("each effect of an action has a name") {
    CHECK(to_string(ActionEffect::confirmed) == std::string("confirmed"));
    CHECK(to_string(ActionEffect::no_visible_change) == std::string("no_visible_change"));
    CHECK(to_string(ActionEffect::refused) == std::string("refused"));
}

TEST_CASE("a click that changes the screen is confirmed, with the changed region") {
    ConfirmStage stage;
    const ActionReport report = stage.act(gesture::click({50, 50}));
    CHECK(report.effect == ActionEffect::confirmed);
    CHECK(report.pointer_arrived);
    CHECK(report.execution.events == 3);
    CHECK(report.after.changed == std::vector{stage.button});
    CHECK(report.after.frame.pixels.at(50, 50) == Color{.red = 200});
}

TEST_CASE("a click that does not change the screen has no visible change") {
    ConfirmStage stage;
    const ActionReport report = stage.act(gesture::click({200, 200}));
    CHECK(report.effect == ActionEffect::no_visible_change);
    CHECK(report.execution.complete());
    CHECK(report.after.changed.empty());
}

TEST_CASE("a change while the screen settles belongs to the action") {
    ConfirmStage stage;
    stage.desktop.on_input = {};
    Watched capturer(stage.desktop);
    // Capture 0 is before the action, 1 the first one after it. A busy machine may not capture a
    // third time.
    capturer.before = [&](int n) {
        if (n == 2) stage.desktop.screen().fill(stage.button, {.red = 200});
    };
    InputExecutor executor(stage.desktop, area);
    auto settle = quick;
    settle.quiet = 200ms;
    CHECK(act_and_look(executor, capturer, gesture::press(*parse_chord("enter")), settle).effect ==
          ActionEffect::confirmed);
}

TEST_CASE("differences from before the action do not count as its change") {
    ConfirmStage stage;
    stage.desktop.screen().fill({0, 0, 100, 100}, {.green = 9});
    CHECK(stage.act(gesture::click({200, 200})).effect == ActionEffect::no_visible_change);
}

TEST_CASE("a plan that breaks off is refused, and the changes of its executed part are reported") {
    ConfirmStage stage;
    stage.desktop.accept_at_most(2); // the move and the press
    const ActionReport report = stage.act(gesture::click({50, 50}));
    CHECK(report.effect == ActionEffect::refused);
    CHECK(report.execution.error == errc::input_refused);
    CHECK(report.after.changed == std::vector{stage.button});
    CHECK(report.pointer_arrived);
    stage.desktop.accept_everything();
}

TEST_CASE("a plan outside the fence is refused, and the pointer has not arrived") {
    ConfirmStage stage;
    const ActionReport report = stage.act(gesture::click({5000, 50}));
    CHECK(report.effect == ActionEffect::refused);
    CHECK(report.execution.error == errc::outside_work_area);
    CHECK_FALSE(report.pointer_arrived);
    CHECK(stage.desktop.events().empty());
}

TEST_CASE("a plan that only moves is confirmed by the pointer") {
    ConfirmStage stage;
    CHECK(stage.act(gesture::move({5, 5})).effect == ActionEffect::confirmed);
}

TEST_CASE("a plan that only moves is not confirmed if the pointer does not arrive") {
    HeldPointer desktop;
    const auto capturer = desktop.open_capturer({});
    InputExecutor executor(desktop, area);
    for (const auto& held : {std::optional<Point>({3, 3}), std::optional<Point>()}) {
        desktop.held = held;
        const ActionReport report = act_and_look(executor, *capturer, gesture::move({5, 5}), quick);
        CHECK(report.effect == ActionEffect::no_visible_change);
        CHECK(report.execution.complete());
        CHECK_FALSE(report.pointer_arrived);
    }
}

TEST_CASE("a change confirms the action even if the pointer was moved away, which is reported") {
    HeldPointer desktop;
    desktop.screen_reacts = true;
    desktop.held = Point{3, 3};
    const auto capturer = desktop.open_capturer({});
    InputExecutor executor(desktop, area);
    const ActionReport report = act_and_look(executor, *capturer, gesture::click({5, 5}), quick);
    CHECK(report.effect == ActionEffect::confirmed);
    CHECK_FALSE(report.after.changed.empty());
    CHECK_FALSE(report.pointer_arrived);
}

TEST_CASE("if the pointer's position is unknown, a change confirms the action") {
    HeldPointer desktop;
    desktop.screen_reacts = true;
    const auto capturer = desktop.open_capturer({});
    InputExecutor executor(desktop, area);
    const ActionReport report = act_and_look(executor, *capturer, gesture::click({5, 5}), quick);
    CHECK(report.effect == ActionEffect::confirmed);
    CHECK_FALSE(report.pointer_arrived);
}

TEST_CASE("a pointer that arrives late is waited for") {
    class Lagging final : public Desktop {
    public:
        int asked = 0;
        MemoryDesktop inner{{320, 240}};
        std::vector<Display> displays() override { return inner.displays(); }
        std::unique_ptr<Capturer> open_capturer(const CaptureOptions& options) override {
            return inner.open_capturer(options);
        }
        SendReport send(std::span<const InputEvent> events) override { return inner.send(events); }
        std::optional<Point> pointer() override {
            return ++asked < 4 ? Point{0, 0} : inner.pointer();
        }
        void launch(const LaunchCommand&) override {}
        std::chrono::milliseconds double_click_time() override { return {}; }
    } desktop;
    const auto capturer = desktop.open_capturer({});
    InputExecutor executor(desktop, area);
    CHECK(act_and_look(executor, *capturer, gesture::move({5, 5}), quick).effect ==
          ActionEffect::confirmed);
    CHECK(desktop.asked == 4);
}

TEST_CASE("a toggling region does not confirm an action") {
    ConfirmStage stage;
    Watched capturer(stage.desktop);
    capturer.before = [&](int n) {
        stage.desktop.screen().fill({8, 8, 2, 16}, {.red = static_cast<std::uint8_t>(n % 2)});
    };
    InputExecutor executor(stage.desktop, area);
    const ActionReport nothing =
        act_and_look(executor, capturer, gesture::click({200, 200}), quick);
    CHECK(nothing.effect == ActionEffect::no_visible_change);
    CHECK(nothing.after.end == SettleEnd::stable);
    CHECK(nothing.after.toggling == std::vector<Rect>{{8, 8, 8, 16}});
    const ActionReport click = act_and_look(executor, capturer, gesture::click({50, 50}), quick);
    CHECK(click.effect == ActionEffect::confirmed);
    CHECK(click.after.changed == std::vector{stage.button});
}

TEST_CASE("an action that does not change the screen has no visible change") {
    ConfirmStage stage;
    for (const Plan& plan : {Plan{}, Plan{{Step{ClipboardWrite{"x"}}}, {}},
                             Plan{{Step{LaunchCommand{"notepad"}}}, {}}}) {
        const ActionReport report = stage.act(plan);
        CHECK(report.effect == ActionEffect::no_visible_change);
        CHECK(report.pointer_arrived);
        CHECK(report.execution.complete());
    }
}

TEST_CASE("a launched program whose window appears at once is confirmed") {
    ConfirmStage stage;
    stage.desktop.on_launch = [&](const LaunchCommand&) {
        stage.desktop.screen().fill({0, 0, 200, 200}, {.green = 200});
    };
    CHECK(stage.act({{Step{LaunchCommand{"notepad"}}}, {}}).effect == ActionEffect::confirmed);
}

TEST_CASE("if the screen cannot be captured, the plan is not executed") {
    ConfirmStage stage;
    stage.desktop.fail_next_captures(errc::capture_failed, 1);
    CHECK_THROWS_AS(stage.act(gesture::click({50, 50})), Error);
    CHECK(stage.desktop.events().empty());
}

TEST_CASE("a screen that is locked for a moment is waited for before acting") {
    ConfirmStage stage;
    stage.desktop.fail_next_captures(errc::capture_unavailable, 1);
    CHECK(stage.act(gesture::click({50, 50})).effect == ActionEffect::confirmed);
}

TEST_CASE("exceptions of the desktop are passed on to the caller") {
    ConfirmStage stage;
    stage.desktop.on_input = [](const InputEvent&) { throw std::runtime_error("broken"); };
    CHECK_THROWS_AS(stage.act(gesture::click({50, 50})), std::runtime_error);
}

TEST_CASE("a stop ends the wait for the screen, and the executed plan is reported") {
    ConfirmStage stage;
    std::stop_source stop;
    stage.desktop.on_input = [&](const InputEvent&) { stop.request_stop(); };
    InputExecutor executor(stage.desktop, area);
    const ActionReport report =
        act_and_look(executor, *stage.capturer, gesture::click({50, 50}), quick, stop.get_token());
    CHECK(report.effect == ActionEffect::unseen);
    CHECK(report.look_error == errc::cancelled);
    CHECK(report.execution.events == 3);
    CHECK(report.execution.complete());
    CHECK_FALSE(stage.desktop.holds_anything());
}

TEST_CASE("a stop during the plan is a refusal, and the releases are reported") {
    ConfirmStage stage;
    std::stop_source stop;
    stage.desktop.on_input = [&](const InputEvent& event) {
        if (event == InputEvent{press_left}) stop.request_stop();
    };
    InputExecutor executor(stage.desktop, area);
    const ActionReport report = act_and_look(
        executor, *stage.capturer, gesture::drag({50, 50}, {60, 60}), quick, stop.get_token());
    CHECK(report.effect == ActionEffect::refused);
    CHECK(report.execution.error == errc::cancelled);
    CHECK(report.execution.released == 1);
}

TEST_CASE("a screen that the action made unreadable is reported with the executed plan") {
    ConfirmStage stage;
    stage.desktop.on_input = [&](const InputEvent&) {
        stage.desktop.fail_next_captures(errc::capture_failed, 1);
    };
    const ActionReport report = stage.act(gesture::click({50, 50}));
    CHECK(report.effect == ActionEffect::unseen);
    CHECK(report.look_error == errc::capture_failed);
    CHECK(report.execution.events == 3);
    CHECK(to_string(report.effect) == std::string("unseen"));
}

TEST_CASE("a stop before the plan is an error") {
    ConfirmStage stage;
    std::stop_source stop;
    stop.request_stop();
    stage.desktop.fail_next_captures(errc::capture_unavailable, 1);
    InputExecutor executor(stage.desktop, area);
    CHECK_THROWS_AS(
        act_and_look(executor, *stage.capturer, gesture::click({50, 50}), quick, stop.get_token()),
        Error);
    CHECK(stage.desktop.events().empty());
}
