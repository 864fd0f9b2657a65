// Runs in virtual time on a screen that changes at known times.
#include "virtual_run.hpp"

#include "modes/watched_mode.hpp"

#include "catch.hpp"
#include "thinking_model.hpp"

using namespace eyehand;
using namespace agent;
using std::chrono::milliseconds;
using test::all_of;
using test::image_of;
using test::Thought;
using test::VirtualRun;

namespace {

constexpr winio::Rect elsewhere{180, 180, 48, 24};
constexpr const char* click = R"({"label":"OK","box":[410,410]})";

Thought calls(const std::string& tool, const std::string& arguments = "{}") {
    return {.reply = test::ThinkingModel::called(tool, arguments)};
}
Thought says(const std::string& text) {
    Thought thought;
    thought.reply.text = text;
    return thought;
}

/// Answers the requests in this order.
class Script {
public:
    Script(std::vector<Thought> thoughts) : thoughts_(std::move(thoughts)) {}
    Thought operator()(const vlm::ChatRequest& request) {
        requests->push_back(request);
        return thoughts_.at(requests->size() - 1);
    }
    std::shared_ptr<std::vector<vlm::ChatRequest>> requests =
        std::make_shared<std::vector<vlm::ChatRequest>>();

private:
    std::vector<Thought> thoughts_;
};

/// Looks in each turn and keeps the latest screenshots, without overriding `revise`.
class KeptScreenshots final : public Mode {
public:
    /// `count`: 0 for a single request without a screenshot.
    explicit KeptScreenshots(std::size_t count) : count_(count), looks_(count > 0) {}
    [[nodiscard]] Command next() const override {
        if (finished_) return Finish{Outcome::completed, "done"};
        if (looks_) return Observe{turn_ + 1};
        Ask ask{"agent", {}};
        ask.request.messages = {vlm::Message::system("look")};
        for (const std::string& sha256 : seen_)
            ask.request.messages.push_back(vlm::Message::user("now", vlm::Image{sha256, nullptr}));
        return ask;
    }
    void apply(const Fact& fact) override {
        if (const auto* seen = std::get_if<Observed>(&fact)) {
            seen_.push_back(seen->sha256);
            if (seen_.size() > count_) seen_.erase(seen_.begin());
            looks_ = false;
            ++turn_;
        } else if (std::holds_alternative<Replied>(fact)) {
            looks_ = true;
            finished_ = count_ == 0 || turn_ == 3;
        }
    }
    [[nodiscard]] ModeState state() const override { return {.turn = turn_}; }

private:
    std::size_t count_;
    std::vector<std::string> seen_;
    int turn_ = 0;
    bool looks_;
    bool finished_ = false;
};

} // namespace

namespace {

struct ProfileScript {
    std::string profile;
    std::vector<Thought> replies;
    std::size_t interruptions; ///< expected
    int clicks;
    friend std::ostream& operator<<(std::ostream& out, const ProfileScript& script) {
        return out << script.profile;
    }
};

const std::string team_click = R"({"justification":"asked","label":"OK","position":[410,410]})";
const std::string planner_click =
    R"({"reasoning":"asked","element_name":"OK","position":[410,410]})";
const std::string story_click =
    R"({"observation":"A button.","bboxes":[],"actions":[{"name":"click","x1":410,"y1":410}]})";

/// Gives the replies of a script. The screen changes while the model thinks about a screenshot, and
/// the reply comes when it is asked again.
class InterruptedModel {
public:
    InterruptedModel(VirtualRun& run, const ProfileScript& script) : run_(run), script_(script) {
        run_.on_event = [this](const Event& event) {
            looked_ = looked_ || std::holds_alternative<Observed>(event.payload);
        };
    }
    Thought operator()(const vlm::ChatRequest& request) {
        requests.push_back(request);
        if (given_ == script_.replies.size()) {
            (void)run_.control.stop("enough");
            return {};
        }
        const bool looked = std::exchange(looked_, false) && !image_of(request).empty();
        if (looked && !std::exchange(interrupted_, true)) {
            interruptions.push_back(requests.size() - 1);
            run_.timeline.at(run_.timeline.elapsed() + milliseconds(200), [this] {
                const auto shade = static_cast<std::uint8_t>(40 * interruptions.size());
                run_.desktop.screen().fill(elsewhere, {shade, 20, 30});
            });
            return {.time = milliseconds(10'000)};
        }
        interrupted_ = false;
        Thought thought = script_.replies[given_++];
        thought.time = milliseconds(4000); // later requests are canceled within half of it
        return thought;
    }
    std::vector<vlm::ChatRequest> requests;
    std::vector<std::size_t> interruptions; ///< indices of the requests

private:
    VirtualRun& run_;
    ProfileScript script_;
    std::size_t given_ = 0;
    bool looked_ = false;
    bool interrupted_ = false;
};

} // namespace

TEST_CASE("watch: in each profile, a change while the model thinks reaches it in the same turn") {
    // Leads plan without a screenshot, and `basic` has none before it asks for one.
    const auto script = GENERATE(
        ProfileScript{
            "commander",
            {calls("spawn_operator", R"({"operator_instructions":"Click OK.","rationale":"Now."})"),
             calls("click_element", team_click), calls("click_element", team_click)},
            2,
            2},
        ProfileScript{
            "planner",
            {calls("update_execution_plan", R"({"instructions":"Click OK.","reasoning":"Now."})"),
             calls("click_screen_element", planner_click),
             calls("click_screen_element", planner_click)},
            2,
            2},
        ProfileScript{
            "observer",
            {calls("click_element", click), calls("observe_screen"), calls("click_element", click)},
            2,
            2},
        ProfileScript{"basic", {calls("take_screenshot"), calls("click_mouse")}, 1, 1},
        ProfileScript{"story", {says(story_click), says(story_click)}, 2, 2});
    CAPTURE(script);
    std::function<Thought(const vlm::ChatRequest&)> think;
    VirtualRun run([&](const vlm::ChatRequest& request) { return think(request); });
    run.profile = load_profile(script.profile);
    InterruptedModel model(run, script);
    think = std::ref(model);
    int clicks = 0;
    run.desktop.on_input = [&](const winio::InputEvent& event) { // the button changes its color
        if (event ==
            winio::InputEvent{winio::ButtonChange{winio::Button::left, winio::Press::down}})
            run.desktop.screen().fill({90, 90, 30, 30},
                                      {static_cast<std::uint8_t>(100 * ++clicks), 0, 0});
    };
    CHECK(run.run().outcome == Outcome::cancelled);

    CHECK(all_of<Superseded>(run.events).size() == script.interruptions);
    CHECK(all_of<AskFailed>(run.events).empty());
    REQUIRE(model.interruptions.size() == script.interruptions);
    for (const std::size_t index : model.interruptions) {
        const auto& before = model.requests.at(index).messages;
        const auto& after = model.requests.at(index + 1).messages;
        CHECK(image_of(model.requests.at(index)) != image_of(model.requests.at(index + 1)));
        REQUIRE(before.size() == after.size());
        for (std::size_t i = 0; i < before.size(); ++i) CHECK(before[i].text() == after[i].text());
    }
    std::optional<int> canceled;
    for (const Event& event : run.events) {
        if (std::holds_alternative<Superseded>(event.payload)) canceled = event.turn;
        if (std::holds_alternative<Replied>(event.payload) && canceled)
            CHECK(std::exchange(canceled, std::nullopt) == event.turn);
    }
    CHECK(clicks == script.clicks);
}

TEST_CASE("watch: a run that was held looks again before it asks") {
    VirtualRun run(Script({says("Done.")}));
    run.options.watch = Watch::check;
    bool held = false;
    run.on_event = [&](const Event& event) {
        if (!std::holds_alternative<Observed>(event.payload) || std::exchange(held, true)) return;
        run.timeline.pass(milliseconds(1001));
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.timeline.requests().size() == 1);
    const auto superseded = all_of<Superseded>(run.events);
    REQUIRE(superseded.size() == 1);
    CHECK(superseded[0].after.count() == 0);
    CHECK(superseded[0].changed == std::vector{winio::Rect{176, 176, 56, 32}});
    const auto notes = all_of<Noted>(run.events);
    REQUIRE(notes.size() == 1);
    CHECK_THAT(notes[0].text, ContainsSubstring("the screen changed before the request"));
}

TEST_CASE("watch: a run that was held for a moment does not look again") {
    VirtualRun run(Script({says("Done."), says("Done.")}));
    run.options.watch = Watch::check;
    run.on_event = [&](const Event& event) {
        if (!std::holds_alternative<Observed>(event.payload)) return;
        run.timeline.pass(milliseconds(900));
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(all_of<Superseded>(run.events).empty());
}

TEST_CASE("watch: a window that opens while the screenshot is stored is not part of it") {
    VirtualRun run(Script({calls("click_element", click), says("Done."), says("Done.")}));
    run.options.watch = Watch::check;
    const winio::Rect whole{0, 0, 251, 251};
    run.desktop.set_windows({{.id = winio::WindowId{1}, .bounds = whole}});
    bool opened = false;
    run.on_event = [&](const Event& event) {
        if (!std::holds_alternative<Observed>(event.payload) || std::exchange(opened, true)) return;
        run.desktop.set_windows({{.id = winio::WindowId{2}, .bounds = {50, 50, 150, 150}},
                                 {.id = winio::WindowId{1}, .bounds = whole}});
    };
    (void)run.run();
    const auto invoked = all_of<Invoked>(run.events);
    REQUIRE(invoked.size() == 1);
    REQUIRE(invoked[0].stale);
    CHECK(invoked[0].stale->reason == "window");
}

TEST_CASE("watch: without it, a click on a target that has changed is carried out") {
    const Watch watch = GENERATE(Watch::off, Watch::check);
    Script script({calls("click_element", click), says("Done."), says("Done.")});
    VirtualRun run(script);
    run.options.watch = watch;
    run.timeline.at(milliseconds(500), [&] {
        run.desktop.screen().fill({90, 90, 30, 30}, {10, 20, 30});
    });
    (void)run.run();
    CHECK(run.desktop.events().empty() == (watch == Watch::check));
}

TEST_CASE("watch: a request is cancelled only in the first half of the usual time") {
    const auto late = GENERATE(milliseconds(0), milliseconds(400));
    std::vector<Thought> thoughts(4, calls("observe_screen"));
    thoughts.push_back(calls("observe_screen"));
    thoughts.push_back(says("Done."));
    thoughts.push_back(says("Done."));
    VirtualRun run{Script(thoughts)};
    // In the fifth request, from 4000 to 5000 ms. It is noticed 300 to 400 ms later.
    run.timeline.at(milliseconds(4001) + late, [&] {
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
    });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(all_of<Superseded>(run.events).size() == (late.count() == 0 ? 1U : 0U));
}

TEST_CASE("watch: a stop ends the run during a request, also if the screen has changed") {
    VirtualRun run(Script({calls("observe_screen"), {.time = milliseconds(10'000)}}));
    run.timeline.at(milliseconds(1500), [&] {
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
        (void)run.control.stop("enough");
    });
    const Finish finish = run.run();
    CHECK(finish.outcome == Outcome::cancelled);
    CHECK(run.timeline.requests().size() == 2);
    CHECK(run.timeline.elapsed() < milliseconds(3000));
}

TEST_CASE("watch: a screen that cannot be captured for a moment does not end the request") {
    VirtualRun run(Script({calls("observe_screen"), calls("observe_screen"), says("Done.")}));
    run.timeline.at(milliseconds(1500),
                    [&] { run.desktop.fail_next_captures(winio::errc::capture_failed, 1); });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.timeline.requests().size() == 3);
}

TEST_CASE("watch: a failed capture does not end the watch during a request") {
    VirtualRun run(Script(
        {calls("observe_screen"), {.time = milliseconds(20'000)}, says("Done."), says("Done.")}));
    run.options.watch = Watch::resend;
    run.timeline.at(milliseconds(1500),
                    [&] { run.desktop.fail_next_captures(winio::errc::capture_failed, 1); });
    run.timeline.at(milliseconds(4000), [&] {
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
    });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(all_of<Superseded>(run.events).size() == 1);
}

TEST_CASE("watch: a cancelled request is estimated to have as many tokens as the one before") {
    Thought look = calls("observe_screen");
    look.reply.usage = {.prompt_tokens = 100, .completion_tokens = 1};
    VirtualRun run(Script({look, {.time = milliseconds(20'000)}, says("Done."), says("Done.")}));
    run.options.watch = Watch::resend;
    run.timeline.at(milliseconds(4000), [&] {
        run.desktop.screen().fill(elsewhere, {10, 20, 30});
    });
    CHECK(run.run().outcome == Outcome::completed);
    const auto superseded = all_of<Superseded>(run.events);
    REQUIRE(superseded.size() == 1);
    CHECK(superseded[0].estimated_tokens == 100);
}

TEST_CASE("watch: without a capture directly before the press, the windows are compared") {
    winio::WindowInfo window{.id = winio::WindowId{1}, .title = "a", .process = "a"};
    window.bounds = {0, 0, 251, 251};
    window.foreground = true;
    const bool same = GENERATE(true, false);
    VirtualRun run(Script({calls("click_element", click), says("Done."), says("Done.")}));
    run.options.watch = Watch::check;
    run.desktop.set_windows({window});
    run.timeline.at(milliseconds(999), [&] {
        run.desktop.fail_next_captures(winio::errc::capture_failed, 1);
        if (!same) window.id = winio::WindowId{2};
        run.desktop.set_windows({window});
    });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().empty() != same);
}

TEST_CASE("watch: a change that cannot be looked at again is a change") {
    VirtualRun run(Script({calls("click_element", click), says("Done."), says("Done.")}));
    run.options.watch = Watch::check;
    bool suspected = false;
    run.timeline.at(milliseconds(999), [&] {
        run.desktop.screen().fill({90, 90, 30, 30}, {10, 20, 30});
        run.desktop.on_capture = [&] { // the one after this one fails
            if (!std::exchange(suspected, true))
                run.timeline.at(run.timeline.elapsed() + milliseconds(1), [&] {
                    run.desktop.fail_next_captures(winio::errc::capture_failed, 1);
                });
        };
    });
    (void)run.run();
    CHECK(suspected);
    CHECK(run.desktop.events().empty());
}

TEST_CASE("watch: a request with the client's annotations is not cancelled") {
    VirtualRun run(Script({says("Done."), says("Done.")}));
    run.options.annotation = Source::client;
    run.timeline.at(milliseconds(300), [&] { run.desktop.screen().fill(elsewhere, {10, 20, 30}); });
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(all_of<Superseded>(run.events).empty());
}

TEST_CASE("watch: the screen is not captured during a request without a screenshot") {
    VirtualRun run(Script({says("I see.")}));
    auto mode = std::make_unique<WatchedMode>(std::make_unique<KeptScreenshots>(0));
    CHECK(run.run(std::move(mode)).outcome == Outcome::completed);
    CHECK(run.desktop.captures() == 0);
}

TEST_CASE("watch: a mode that ignores the new screenshot can still send the replaced one") {
    std::vector<Thought> thoughts(4, says("I see."));
    thoughts[0] = {.time = milliseconds(5000), .reply = thoughts[1].reply};
    VirtualRun run{Script(thoughts)};
    run.timeline.at(milliseconds(500), [&] { run.desktop.screen().fill(elsewhere, {10, 20, 30}); });
    auto mode = std::make_unique<WatchedMode>(std::make_unique<KeptScreenshots>(2));
    CHECK(run.run(std::move(mode)).outcome == Outcome::completed);
    CHECK(all_of<Superseded>(run.events).size() == 1);
    CHECK(run.timeline.requests().size() == 4);
}
