#include "eyehand/winio/input_executor.hpp"

#include "eyehand/winio/error.hpp"
#include "eyehand/winio/gesture.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "printing.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

using namespace eyehand::winio;
using namespace std::chrono_literals;
using testing::ClipboardUse;
using testing::MemoryDesktop;

namespace {

const WorkArea everywhere({0, 0, 1920, 1080});
const ButtonChange left_down{Button::left, Press::down};
const KeyChange ctrl_down{NamedKey::ctrl, Press::down};
const KeyChange shift_down{NamedKey::shift, Press::down};

Plan plan_of(std::vector<Step> steps) { return {std::move(steps), {}}; }

// A desktop without windows, with a `send` that the test defines.
class BareDesktop : public Desktop {
public:
    std::function<SendReport(std::span<const InputEvent>)> on_send;
    std::function<void()> on_renewal;
    std::function<Point()> on_pointer; ///< if empty, the pointer's position is unknown
    std::vector<InputEvent> sent;
    Clipboard* its_clipboard = nullptr; ///< not owned
    std::chrono::milliseconds its_double_click_time{};

    std::vector<Display> displays() override { return {}; }
    std::unique_ptr<Capturer> open_capturer(const CaptureOptions&) override { return nullptr; }
    SendReport send(std::span<const InputEvent> events) override {
        sent.insert(sent.end(), events.begin(), events.end());
        if (on_send) return on_send(events);
        return {events.size(), events.size(), {}, {}};
    }
    std::optional<Point> pointer() override {
        return on_pointer ? std::optional(on_pointer()) : std::nullopt;
    }
    std::chrono::milliseconds double_click_time() override { return its_double_click_time; }
    void launch(const LaunchCommand&) override {}
    Clipboard* clipboard() noexcept override { return its_clipboard; }
    void renew_hold() override {
        if (on_renewal) on_renewal();
    }
};

} // namespace

TEST_CASE("an executor executes all steps of a plan") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::click({640, 360}));
    CHECK(report.complete());
    CHECK(report.events == 3);
    CHECK(report.released == 0);
    CHECK(desktop.pointer() == Point{640, 360});
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("a target outside the fence is refused before anything is sent") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    Plan plan = gesture::click({150, 150});
    plan.targets.push_back({200, 150});
    const auto report = executor.execute(plan);
    CHECK(report.error == errc::outside_work_area);
    CHECK_THAT(report.problem, ContainsSubstring("(200, 150)"));
    CHECK(desktop.events().empty());
}

TEST_CASE("a move outside the fence is refused even if it is not a target") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    const auto report = executor.execute(
        plan_of({Step{Batch{PointerMove{{150, 150}}}}, Step{Batch{PointerMove{{99, 150}}}}}));
    CHECK(report.error == errc::outside_work_area);
    CHECK(desktop.events().empty());
}

TEST_CASE("a click or wheel turn at the pointer's position needs the pointer inside the fence") {
    for (const Plan& plan : {gesture::click_here(), plan_of({Step{Batch{WheelTurn{1}}}}),
                             plan_of({Step{Batch{left_down, PointerMove{{150, 150}}}}})}) {
        MemoryDesktop desktop; // its pointer is at (0, 0)
        InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
        const auto report = executor.execute(plan);
        CHECK(report.error == errc::outside_work_area);
        CHECK_THAT(report.problem, ContainsSubstring("(0, 0)"));
        CHECK(desktop.events().empty());
        REQUIRE(executor.execute(gesture::move({150, 150})).complete());
        CHECK(executor.execute(plan).complete());
    }
}

TEST_CASE("nothing is pressed if the pointer is moved out of the fence after a plan's move") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{5}}});
    desktop.on_window = [&](const WindowCommand&) { // the user moves the pointer while the plan
                                                    // waits
        const InputEvent push = PointerMove{{500, 500}};
        REQUIRE(desktop.send({&push, 1}).complete());
    };
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    const auto report = executor.execute(
        plan_of({Step{Batch{PointerMove{{150, 150}}}}, Step{WindowCommand{WindowId{5}, {}, {}}},
                 Step{Batch{left_down}}, Step{Batch{PointerMove{{160, 160}}}},
                 Step{Batch{ButtonChange{Button::left, Press::up}}}}));
    CHECK(report.error == errc::outside_work_area);
    CHECK_THAT(report.problem, ContainsSubstring("(500, 500)"));
    CHECK(desktop.events().size() == 2); // the two moves
}

TEST_CASE("a button is released wherever the pointer was moved") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{5}}});
    desktop.on_window = [&](const WindowCommand&) {
        const InputEvent push = PointerMove{{500, 500}};
        REQUIRE(desktop.send({&push, 1}).complete());
    };
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    const auto report = executor.execute(plan_of(
        {Step{Batch{PointerMove{{150, 150}}, left_down}}, Step{WindowCommand{WindowId{5}, {}, {}}},
         Step{Batch{ButtonChange{Button::left, Press::up}}}}));
    CHECK(report.complete());
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("a pointer that follows its last move late is waited for") {
    BareDesktop desktop;
    int asked = 0;
    desktop.on_pointer = [&] { return ++asked < 5 ? Point{0, 0} : Point{150, 150}; };
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    CHECK(executor.execute(gesture::click_here()).complete());
    CHECK(asked == 5);
}

TEST_CASE("a click is allowed if the pointer's position is unknown") {
    BareDesktop desktop;
    InputExecutor executor(desktop, WorkArea({100, 100, 100, 100}));
    CHECK(executor.execute(gesture::click_here()).complete());
}

TEST_CASE("a half-accepted batch is reported, and the keys that it pressed are released") {
    MemoryDesktop desktop;
    desktop.accept_at_most(2);
    desktop.on_input = [&](const InputEvent&) { desktop.accept_everything(); };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::click({5, 5}));
    CHECK(report.error == errc::input_refused);
    CHECK(report.events == 2);
    CHECK(report.released == 1);
    CHECK_THAT(report.problem, ContainsSubstring("2 of 3"));
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("presses that the system did not accept are not released") {
    MemoryDesktop desktop;
    desktop.accept_at_most(1);
    desktop.on_input = [&](const InputEvent&) { desktop.accept_everything(); };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::click({5, 5}));
    CHECK(report.released == 0);
    CHECK(desktop.events() == std::vector<InputEvent>{PointerMove{{5, 5}}});
}

TEST_CASE("the cause of a refusal is passed on") {
    BareDesktop desktop;
    desktop.on_send = [](std::span<const InputEvent> events) {
        return SendReport{events.size(), 0, "it runs as administrator", errc::input_not_permitted};
    };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::click({5, 5}));
    CHECK(report.error == errc::input_not_permitted);
    CHECK_THAT(report.problem, ContainsSubstring("administrator"));
}

TEST_CASE("nothing that a plan pressed stays pressed, and the last pressed is released first") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(plan_of({Step{Batch{ctrl_down, shift_down, left_down}}}));
    CHECK(report.complete());
    CHECK(report.released == 3);
    CHECK(desktop.events() == std::vector<InputEvent>{ctrl_down, shift_down, left_down,
                                                      ButtonChange{Button::left, Press::up},
                                                      KeyChange{NamedKey::shift, Press::up},
                                                      KeyChange{NamedKey::ctrl, Press::up}});
}

TEST_CASE("the destructor releases the keys that the system refused to release earlier") {
    MemoryDesktop desktop;
    {
        InputExecutor executor(desktop, everywhere);
        desktop.accept_at_most(1);
        CHECK(executor.execute(plan_of({Step{Batch{left_down}}})).released == 0);
        CHECK(desktop.holds(Button::left));
        desktop.accept_everything();
    }
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("one refused release does not prevent the others") {
    BareDesktop desktop;
    desktop.on_send = [](std::span<const InputEvent> events) {
        const auto refused =
            std::ranges::find(events, InputEvent{KeyChange{NamedKey::shift, Press::up}});
        return SendReport{
            events.size(), static_cast<std::size_t>(refused - events.begin()), {}, {}};
    };
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{Batch{ctrl_down, shift_down}}})).released == 1);
    const InputEvent ctrl_up = KeyChange{NamedKey::ctrl, Press::up};
    CHECK(std::ranges::find(desktop.sent, ctrl_up) != desktop.sent.end());
}

TEST_CASE("an exception releases held keys and is passed on to the caller") {
    BareDesktop desktop;
    desktop.on_send = [](std::span<const InputEvent> events) {
        if (std::ranges::find(events, InputEvent{TypedScalar{U'!'}}) != events.end())
            throw std::bad_alloc();
        return SendReport{events.size(), events.size(), {}, {}};
    };
    InputExecutor executor(desktop, everywhere);
    CHECK_THROWS_AS(
        executor.execute(plan_of({Step{Batch{left_down}}, Step{Batch{TypedScalar{U'!'}}}})),
        std::bad_alloc);
    CHECK(desktop.sent.back() == InputEvent{ButtonChange{Button::left, Press::up}});
}

TEST_CASE("a stop ends a long wait within 100 ms and releases the button") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    std::mutex mutex;
    std::condition_variable pressed;
    bool is_pressed = false;
    desktop.on_input = [&](const InputEvent&) {
        const std::lock_guard lock(mutex);
        is_pressed = true;
        pressed.notify_one();
    };
    std::stop_source stop;
    std::jthread stopper([&] {
        std::unique_lock lock(mutex);
        pressed.wait(lock, [&] { return is_pressed; });
        stop.request_stop();
    });
    // Without the stop, this exceeds the time limit of the test.
    const auto report = executor.execute(plan_of({Step{Batch{left_down}, 24h}}), stop.get_token());
    CHECK(report.error == errc::cancelled);
    CHECK(report.released == 1);
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("a stop before the start sends nothing") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    std::stop_source stop;
    stop.request_stop();
    CHECK(executor.execute(gesture::click({1, 1}), stop.get_token()).error == errc::cancelled);
    CHECK(desktop.events().empty());
}

TEST_CASE("waits between steps are observed") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    const auto start = std::chrono::steady_clock::now();
    CHECK(executor.execute(plan_of({Step{Batch{PointerMove{{1, 1}}}, 30ms}})).complete());
    CHECK(std::chrono::steady_clock::now() - start >= 30ms);
}

TEST_CASE("clipboard, windows and programs are controlled through the parts of the desktop") {
    MemoryDesktop desktop;
    desktop.set_windows({{.id = WindowId{5}, .title = "editor"}});
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(
        plan_of({Step{ClipboardWrite{"text"}}, Step{WindowCommand{WindowId{5}, {}, {}}},
                 Step{LaunchCommand{"notepad"}}}));
    CHECK(report.complete());
    CHECK(desktop.clipboard()->text() == "text");
    CHECK(desktop.window_commands().size() == 1);
    CHECK(desktop.launches() == std::vector<LaunchCommand>{{"notepad"}});
}

TEST_CASE("a part that the desktop lacks is reported as not supported") {
    BareDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{ClipboardWrite{"x"}}})).error == errc::not_supported);
    CHECK(executor.execute(plan_of({Step{WindowCommand{}}})).error == errc::not_supported);
}

TEST_CASE("the error of an effect is in the report and ends the plan") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    const auto report =
        executor.execute(plan_of({Step{Batch{left_down}}, Step{WindowCommand{WindowId{9}, {}, {}}},
                                  Step{LaunchCommand{"x"}}}));
    CHECK(report.error == errc::window_not_found);
    CHECK(report.released == 1);
    CHECK(desktop.launches().empty());
}

TEST_CASE("text that is invalid for a clipboard or a command line is reported") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    for (const std::string& text : {std::string("caf\xe9"), std::string("a\0b", 3)}) {
        const auto written = executor.execute(plan_of({Step{ClipboardWrite{text}}}));
        CHECK(written.error == errc::clipboard_failed);
        CHECK_THAT(written.problem, ContainsSubstring("clipboard") && ContainsSubstring("byte"));
        const auto launched = executor.execute(plan_of({Step{LaunchCommand{text}}}));
        CHECK(launched.error == errc::launch_failed);
        CHECK_THAT(launched.problem, ContainsSubstring("command") && ContainsSubstring("byte"));
    }
    CHECK(desktop.launches().empty());
}

TEST_CASE("a held key is released if the plan within fails") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    const Plan failing{{Step{WindowCommand{WindowId{9}, {}, {}}}}, {}};
    const auto report = executor.execute(gesture::holding(*parse_chord("ctrl+shift"), failing));
    CHECK(report.error == errc::window_not_found);
    CHECK(report.released == 2);
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE(
    "keys that a failed send may have pressed are released, even if its batch releases them") {
    MemoryDesktop inner;
    BareDesktop desktop;
    bool first = true;
    desktop.on_send = [&](std::span<const InputEvent> events) {
        if (!std::exchange(first, false)) return inner.send(events);
        (void)inner.send(events.first(2)); // the move and the press
        throw std::runtime_error("the connection broke");
    };
    InputExecutor executor(desktop, everywhere);
    CHECK_THROWS_AS(executor.execute(gesture::click({5, 5})), std::runtime_error);
    CHECK_FALSE(inner.holds_anything());
}

TEST_CASE("a release that throws does not prevent the others") {
    BareDesktop desktop;
    const InputEvent shift_up = KeyChange{NamedKey::shift, Press::up};
    const InputEvent ctrl_up = KeyChange{NamedKey::ctrl, Press::up};
    desktop.on_send = [&](std::span<const InputEvent> events) {
        if (events.front() == shift_up) throw std::runtime_error("the connection broke");
        return SendReport{events.size(), events.size(), {}, {}};
    };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(plan_of({Step{Batch{ctrl_down, shift_down}}}));
    CHECK(report.released == 1);
    CHECK(std::ranges::find(desktop.sent, ctrl_up) != desktop.sent.end());
}

TEST_CASE("keys that the system does not release are reported by name") {
    MemoryDesktop desktop;
    desktop.accept_at_most(2);
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(plan_of({Step{Batch{ctrl_down, left_down}}}));
    CHECK(report.error == errc::input_refused);
    CHECK(report.released == 0);
    CHECK_THAT(report.problem, ContainsSubstring("ctrl, left button"));
    desktop.accept_everything();
}

TEST_CASE("the first failure remains the cause if a release fails, too") {
    MemoryDesktop desktop;
    desktop.accept_at_most(1);
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(
        plan_of({Step{Batch{left_down}}, Step{WindowCommand{WindowId{9}, {}, {}}}}));
    CHECK(report.error == errc::window_not_found);
    CHECK_THAT(report.problem, ContainsSubstring("; ") && ContainsSubstring("left button"));
    desktop.accept_everything();
}

TEST_CASE("a paste leaves the text in the program and the old text on the clipboard") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    std::string pasted;
    desktop.on_input = [&](const InputEvent& event) {
        if (event == InputEvent{KeyChange{U'v', Press::down}}) pasted = desktop.clipboard()->text();
    };
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(gesture::paste("new", *parse_chord("ctrl+v"), 1ms)).complete());
    CHECK(pasted == "new");
    CHECK(desktop.clipboard()->text() == "old");
}

TEST_CASE("an image on the clipboard is restored") {
    MemoryDesktop desktop;
    Image image({2, 1});
    image.fill({0, 0, 1, 1}, {.blue = 9, .red = 7});
    desktop.clipboard()->set_image(image.view());
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{ClipboardWrite{"x"}}, Step{ClipboardRestore{}}}))
              .complete());
    const auto after = desktop.clipboard()->image();
    REQUIRE(after);
    CHECK(after->size() == Size{2, 1});
    CHECK(after->at(0, 0) == image.at(0, 0));
    CHECK(desktop.clipboard()->text().empty());
}

TEST_CASE("an empty clipboard is empty again after a plan") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{ClipboardWrite{"x"}}, Step{ClipboardRestore{}}}))
              .complete());
    CHECK(desktop.clipboard()->text().empty());
}

TEST_CASE("after several writes, the content from before the first one is restored") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    InputExecutor executor(desktop, everywhere);
    CHECK(executor
              .execute(plan_of(
                  {Step{ClipboardWrite{"x"}}, Step{ClipboardWrite{"y"}}, Step{ClipboardRestore{}}}))
              .complete());
    CHECK(desktop.clipboard()->text() == "old");
}

TEST_CASE("text that is written after the last restore stays") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    InputExecutor executor(desktop, everywhere);
    const auto report =
        executor.execute(plan_of({Step{ClipboardWrite{"x"}}, Step{ClipboardRestore{}},
                                  Step{ClipboardWrite{"y"}}, Step{WindowCommand{}}}));
    CHECK(report.error == errc::window_not_found);
    CHECK(desktop.clipboard()->text() == "y");
}

TEST_CASE("a plan that breaks off restores the clipboard") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    InputExecutor executor(desktop, everywhere);
    Plan plan = gesture::paste("new");

    SECTION("at a refusal") {
        desktop.accept_at_most(0);
        CHECK(executor.execute(plan).error == errc::input_refused);
    }
    SECTION("at a stop") {
        std::stop_source stop;
        desktop.on_input = [&](const InputEvent&) { stop.request_stop(); };
        CHECK(executor.execute(plan, stop.get_token()).error == errc::cancelled);
    }
    SECTION("at an exception") {
        desktop.on_input = [&](const InputEvent& event) {
            if (event == InputEvent{ctrl_down}) throw std::runtime_error("the connection broke");
        };
        CHECK_THROWS_AS(executor.execute(plan), std::runtime_error);
    }
    CHECK(desktop.clipboard()->text() == "old");
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("a clipboard that cannot be read is not written to if it must be restored") {
    MemoryDesktop desktop;
    desktop.on_clipboard = [](ClipboardUse use) {
        if (use == ClipboardUse::read) throw Error(errc::clipboard_failed, "another program's");
        FAIL("written");
    };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::paste("new"));
    CHECK(report.error == errc::clipboard_failed);
    CHECK(report.events == 0);
}

TEST_CASE("a clipboard that need not be restored is not read") {
    MemoryDesktop desktop;
    desktop.on_clipboard = [](ClipboardUse use) { CHECK(use == ClipboardUse::write); };
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{ClipboardWrite{"x"}}})).complete());
}

TEST_CASE("a clipboard that cannot be restored is reported although all steps were executed") {
    MemoryDesktop desktop;
    int writes = 0;
    desktop.on_clipboard = [&](ClipboardUse use) {
        if (use == ClipboardUse::write && ++writes == 2)
            throw Error(errc::clipboard_failed, "another program holds it");
    };
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::paste("new", *parse_chord("ctrl+v"), 1ms));
    CHECK(report.error == errc::clipboard_failed);
    CHECK(report.events == 4);
    CHECK_THAT(report.problem,
               ContainsSubstring("could not be restored") && ContainsSubstring("holds it"));
    CHECK(writes == 2);
}

TEST_CASE("a clipboard that cannot be restored after a refusal is reported in addition") {
    MemoryDesktop desktop;
    int writes = 0;
    desktop.on_clipboard = [&](ClipboardUse use) {
        if (use == ClipboardUse::write && ++writes == 2)
            throw Error(errc::clipboard_failed, "another program holds it");
    };
    desktop.accept_at_most(0);
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::paste("new"));
    CHECK(report.error == errc::input_refused);
    CHECK_THAT(report.problem, ContainsSubstring("could not be restored"));
}

TEST_CASE("a paste does not destroy content that cannot be restored") {
    MemoryDesktop desktop;
    desktop.put_other_on_clipboard();
    InputExecutor executor(desktop, everywhere);
    const auto report = executor.execute(gesture::paste("new"));
    CHECK(report.error == errc::clipboard_failed);
    CHECK_THAT(report.problem, ContainsSubstring("neither text nor an image"));
    CHECK(report.events == 0);
    CHECK(desktop.clipboard()->holds_other());
}

TEST_CASE("content that another program copies during a paste stays on the clipboard") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    desktop.on_input = [&](const InputEvent& event) {
        if (event == InputEvent{KeyChange{U'v', Press::up}}) desktop.clipboard()->set_text("newer");
    };
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(gesture::paste("new", *parse_chord("ctrl+v"), 1ms)).complete());
    CHECK(desktop.clipboard()->text() == "newer");
}

TEST_CASE("a stopped paste gives the program time to read") {
    MemoryDesktop desktop;
    desktop.clipboard()->set_text("old");
    std::stop_source stop;
    std::chrono::steady_clock::time_point pressed;
    desktop.on_input = [&](const InputEvent&) {
        pressed = std::chrono::steady_clock::now();
        stop.request_stop();
    };
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(gesture::paste("new"), stop.get_token()).error == errc::cancelled);
    CHECK(std::chrono::steady_clock::now() - pressed >= 80ms);
    CHECK(desktop.clipboard()->text() == "old");
}

TEST_CASE("line breaks of all kinds are converted to the system's on the clipboard") {
    MemoryDesktop desktop;
    desktop.set_line_break("\r\n");
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(plan_of({Step{ClipboardWrite{"a\nb\r\nc\rd\n\r"}}})).complete());
    CHECK(desktop.clipboard()->text() == "a\r\nb\r\nc\r\nd\r\n\r\n");
}

TEST_CASE("two clicks of different plans at nearly the same place are not a double-click") {
    MemoryDesktop desktop;
    desktop.set_double_click_time(30ms);
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(gesture::click({5, 5})).complete());
    CHECK(executor.execute(gesture::click({8, 5})).complete());
    CHECK(desktop.double_clicks() == 0);
}

TEST_CASE("clicks within a plan are not delayed, so a double-click stays a double-click") {
    MemoryDesktop desktop;
    desktop.set_double_click_time(60s);
    InputExecutor executor(desktop, everywhere);
    CHECK(executor.execute(gesture::click({5, 5}, Button::left, 2)).complete());
    CHECK(desktop.double_clicks() == 1);
    const Step click{gesture::click({500, 5}).steps[0]};
    CHECK(executor.execute(plan_of({click, click})).complete());
    CHECK(desktop.double_clicks() == 2);
}

TEST_CASE("a click waits for the double-click time only if it could form a double-click") {
    // This desktop requests a stop when its double-click time is queried, so a plan that waits for
    // it is canceled.
    class Impatient final : public BareDesktop {
    public:
        std::stop_source stop;
        std::chrono::milliseconds double_click_time() override {
            stop.request_stop();
            return 60s;
        }
    } desktop;
    InputExecutor executor(desktop, everywhere);
    const auto after_a_click = [&](const Plan& plan) {
        REQUIRE(executor.execute(gesture::click({100, 100})).complete());
        return executor.execute(plan, desktop.stop.get_token()).error;
    };

    SECTION("elsewhere: no wait") { CHECK_FALSE(after_a_click(gesture::click({109, 100}))); }
    SECTION("another button: no wait") {
        CHECK_FALSE(after_a_click(gesture::click({100, 100}, Button::right)));
    }
    SECTION("a move, keys, the wheel: no wait") {
        CHECK_FALSE(after_a_click(gesture::move({100, 100})));
        CHECK_FALSE(executor.execute(gesture::type("x"), desktop.stop.get_token()).error);
        CHECK_FALSE(executor.execute(gesture::scroll({1, 1}, 1), desktop.stop.get_token()).error);
    }
    SECTION("a few pixels away: a wait, which a stop ends") {
        const auto before = desktop.sent.size();
        CHECK(after_a_click(gesture::click({108, 92})) == errc::cancelled);
        CHECK(desktop.sent.size() == before + 3); // only the first click
    }
    SECTION("at an unknown position: a wait") {
        CHECK(after_a_click(gesture::click_here()) == errc::cancelled);
    }
}

TEST_CASE(
    "a check can withhold a batch that presses something, and moves and releases need no check") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    std::size_t checked = 0;
    const auto withholding = [&](std::size_t withheld) {
        checked = 0;
        return [&, withheld](const Batch&) -> std::optional<std::string> {
            if (++checked == withheld) return "the test says so";
            return std::nullopt;
        };
    };
    const Plan plan = plan_of({{Batch{PointerMove{{1, 1}}}, {}},
                               {Batch{ctrl_down}, {}},
                               {Batch{left_down}, {}},
                               {Batch{ButtonChange{Button::left, Press::up}}, {}},
                               {Batch{WheelTurn{1}}, {}}});
    auto report = executor.execute(plan, {}, withholding(9));
    CHECK(report.complete());
    CHECK(checked == 3);

    report = executor.execute(plan, {}, withholding(2));
    CHECK(report.error == errc::raced);
    CHECK(report.problem == "the test says so");
    CHECK(report.events == 2);
    CHECK(report.released == 1);
    CHECK_FALSE(desktop.holds_anything());
}

TEST_CASE("an executor renews the hold while it waits with something pressed") {
    BareDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    int renewals = 0;
    std::stop_source stop;
    desktop.on_renewal = [&] {
        if (++renewals == 3) stop.request_stop();
    };
    const auto report = executor.execute(
        plan_of({{Batch{ctrl_down}, 24h}, {Batch{left_down}, 0ms}}), stop.get_token());
    CHECK(report.error == errc::cancelled);
    CHECK(renewals == 3);
}

TEST_CASE("an executor renews the hold while it leaves a program time to read the clipboard") {
    MemoryDesktop memory;
    BareDesktop desktop;
    desktop.its_clipboard = memory.clipboard();
    InputExecutor executor(desktop, everywhere);
    std::stop_source stop;
    desktop.on_renewal = [&] { stop.request_stop(); };
    CHECK(executor.execute(gesture::paste("new", *parse_chord("ctrl+v"), 24h), stop.get_token())
              .error == errc::cancelled);
}

TEST_CASE("an executor renews the hold before and after a check of a batch") {
    BareDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    std::string calls;
    desktop.on_renewal = [&] { calls += "renewal "; };
    const auto check = [&](const Batch&) -> std::optional<std::string> {
        calls += "check ";
        return std::nullopt;
    };
    CHECK(executor.execute(plan_of({{Batch{ctrl_down}, 0ms}, {Batch{left_down}, 0ms}}), {}, check)
              .complete());
    CHECK(calls == "check renewal check renewal ");
}

TEST_CASE("an executor renews the hold while it keeps clicks apart during a paste") {
    MemoryDesktop memory;
    BareDesktop desktop;
    desktop.its_clipboard = memory.clipboard();
    desktop.its_double_click_time = 60s;
    InputExecutor executor(desktop, everywhere);
    const Batch click{PointerMove{{1, 1}}, left_down, ButtonChange{Button::left, Press::up}};
    REQUIRE(executor.execute(plan_of({{click, 0ms}})).complete());
    std::stop_source stop;
    desktop.on_renewal = [&] { stop.request_stop(); };
    const auto report = executor.execute(
        plan_of({{ClipboardWrite{"new"}, 0ms}, {click, 0ms}, {ClipboardRestore{}, 0ms}}),
        stop.get_token());
    CHECK(report.error == errc::cancelled);
}

TEST_CASE("an executor does not renew a hold while nothing is pressed") {
    BareDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    desktop.on_renewal = [] { FAIL("nothing is pressed"); };
    CHECK(executor.execute(plan_of({{Batch{PointerMove{{5, 5}}}, 60ms}})).complete());
}

TEST_CASE("a watchdog knows the text of the user from before a paste until it is restored") {
    MemoryDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    desktop.clipboard()->set_text("old");
    std::vector<std::optional<std::string>> known;
    desktop.on_clipboard = [&](ClipboardUse use) {
        if (use == ClipboardUse::write) known.push_back(desktop.text_to_restore());
    };
    REQUIRE(executor.execute(gesture::paste("new", *parse_chord("ctrl+v"), 1ms)).complete());
    CHECK(known == std::vector<std::optional<std::string>>{"old", "old"});
    CHECK_FALSE(desktop.text_to_restore());
}

TEST_CASE("an executor ends a plan whose keys the watchdog has released") {
    BareDesktop desktop;
    InputExecutor executor(desktop, everywhere);
    desktop.on_renewal = [] { throw Error(errc::interrupted, "released"); };
    const auto report =
        executor.execute(plan_of({{Batch{ctrl_down}, 24h}, {Batch{left_down}, 0ms}}));
    CHECK(report.error == errc::interrupted);
    CHECK(report.released == 1);
    CHECK(desktop.sent.size() == 2); // Ctrl down and up
}
