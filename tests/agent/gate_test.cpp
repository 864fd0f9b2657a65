// The guard in a run: what it allows, denies and asks about, and what the journal says.
#include "virtual_run.hpp"

#include "catch.hpp"
#include "thinking_model.hpp"

#include <thread>

using namespace eyehand;
using namespace agent;
using test::all_of;
using test::Thought;

namespace {

constexpr const char* click = R"({"label":"OK","box":[410,410]})";

winio::WindowInfo window(std::uint64_t id, std::string process) {
    winio::WindowInfo it;
    it.id = winio::WindowId{id};
    it.title = "window " + std::to_string(id);
    it.process = std::move(process);
    it.process_id = static_cast<std::uint32_t>(1000000 + id);
    it.bounds = {0, 0, 251, 251};
    it.foreground = true;
    return it;
}

Thought calls(const std::string& tool, const std::string& arguments = "{}") {
    return {.reply = test::ThinkingModel::called(tool, arguments)};
}

class RecoversOnce final : public Mode {
public:
    [[nodiscard]] Command next() const override {
        if (done_) return Finish{Outcome::completed, "done"};
        return Recover{"a loop"};
    }
    void apply(const Fact& fact) override {
        done_ = done_ || std::holds_alternative<Recovered>(fact);
    }
    [[nodiscard]] ModeState state() const override { return {}; }

private:
    bool done_ = false;
};

struct GuardedRun : test::ScriptedRun {
    explicit GuardedRun(std::vector<Thought> thoughts, GuardLevel level = GuardLevel::standard)
        : ScriptedRun(std::move(thoughts)) {
        options.guard = Guard(level);
        desktop.set_windows({window(1, "editor")});
    }
    /// Answers each approval request; returns what was requested.
    std::vector<ApprovalRequest>
    answer(const std::function<Approval(const ApprovalRequest&)>& decide) {
        options.approvals = Approvals::user;
        std::vector<ApprovalRequest> asked;
        {
            // Another thread: a callback of `on_change` must not answer itself. Only this thread
            // records requests: it can answer one before `on_change` reports it.
            std::jthread user([&](const std::stop_token& stop) {
                while (!stop.stop_requested()) {
                    for (const ApprovalRequest& request : control.status().approval_requests) {
                        if (!asked.empty() && asked.back().id == request.id) continue;
                        asked.push_back(request);
                        (void)control.resolve(request.id, decide(request));
                    }
                    std::this_thread::yield();
                }
            });
            (void)run(mode ? mode() : nullptr);
        }
        return asked;
    }
    std::function<std::unique_ptr<Mode>()> mode{}; ///< empty: the profile's
};

std::vector<GuardRecord> records(const std::vector<Event>& events) {
    std::vector<GuardRecord> all;
    for (const Invoked& call : all_of<Invoked>(events))
        if (call.guard) all.push_back(*call.guard);
    return all;
}

constexpr auto grant = [](const ApprovalRequest&) { return Approval{true, {}, "test"}; };

} // namespace

TEST_CASE("gate: an ordinary click is carried out, and the journal names the decision") {
    GuardedRun run({calls("click_element", click)});
    CHECK(run.run().outcome == Outcome::completed);
    CHECK_FALSE(run.desktop.events().empty());
    CHECK(records(run.events) == std::vector{GuardRecord{true, "default", "rule", {}}});
}

TEST_CASE("gate: without a user, what needs approval is denied, and the model is told why") {
    GuardedRun run({calls("press_key", R"({"key":"windows"})")});
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().empty());
    CHECK(records(run.events) ==
          std::vector{GuardRecord{false, "built_in: system chord", "unattended", {}}});
    const auto invoked = all_of<Invoked>(run.events);
    CHECK_FALSE(invoked[0].action.acts);
    CHECK_THAT(invoked[0].result_json, ContainsSubstring("no user can be asked"));
    CHECK_THAT(invoked[0].result_json, ContainsSubstring("opens a menu or a dialog"));
}

TEST_CASE("gate: the user is asked with the rule, and the answer is journaled") {
    const bool granted = GENERATE(true, false);
    GuardedRun run({calls("press_key", R"({"key":"windows"})")});
    const auto asked = run.answer([&](const ApprovalRequest&) {
        return Approval{granted, granted ? "" : "Not now.", "test"};
    });
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].rule == "built_in: system chord");
    CHECK_FALSE(asked[0].reason.empty());
    CHECK(run.desktop.events().empty() != granted);
    CHECK(records(run.events) ==
          std::vector{GuardRecord{granted, "built_in: system chord", "user", "test"}});
    if (!granted)
        CHECK_THAT(all_of<Invoked>(run.events)[0].result_json, ContainsSubstring("Not now."));
}

TEST_CASE("gate: the clipboard is read only with permission") {
    GuardedRun run({calls("read_clipboard")});
    run.options.with = {"read_clipboard"};
    int reads = 0;
    run.desktop.on_clipboard = [&](winio::testing::ClipboardUse) { ++reads; };
    SECTION("denied") {
        CHECK(run.run().outcome == Outcome::completed);
        CHECK(reads == 0);
        CHECK_FALSE(all_of<Invoked>(run.events)[0].ok);
    }
    SECTION("approved") {
        CHECK(run.answer(grant).size() == 1);
        CHECK(reads == 1);
        CHECK(all_of<Invoked>(run.events)[0].ok);
    }
    REQUIRE(records(run.events).size() == 1);
    CHECK(records(run.events)[0].rule == "built_in: read the clipboard");
}

TEST_CASE("gate: an approval is for the window that it showed") {
    GuardedRun run({calls("type_text", R"({"text":"ls"})")});
    run.desktop.set_windows({window(1, "xterm")});
    int approvals = 0;
    const auto asked = run.answer([&](const ApprovalRequest&) {
        // While the request is pending, another terminal takes the focus, once.
        if (++approvals == 1) run.desktop.set_windows({window(2, "konsole")});
        return Approval{true, {}, "test"};
    });
    CHECK(asked.size() == 2);
    CHECK(run.desktop.typed() == "ls");
}

TEST_CASE("gate: strict asks before each step of a recovery, and a denial ends it") {
    const bool granted = GENERATE(true, false);
    GuardedRun run({}, GuardLevel::strict);
    run.mode = [] { return std::make_unique<RecoversOnce>(); };
    const auto asked = run.answer([&](const ApprovalRequest&) {
        return Approval{granted, {}, "test"};
    });
    CHECK(asked.size() == (granted ? 6 : 1));
    CHECK(run.desktop.events().empty() != granted);
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    REQUIRE(recovered[0].guard);
    CHECK(recovered[0].guard->allowed == granted);
    CHECK(recovered[0].guard->decider == "user");
    CHECK(recovered[0].problem == (granted ? "" : "the user did not allow it"));
}

TEST_CASE("gate: a recovery does not click into a terminal without approval") {
    GuardedRun run({});
    run.mode = [] { return std::make_unique<RecoversOnce>(); };
    run.desktop.set_windows({window(1, "xterm")});
    (void)run.run(run.mode());
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    CHECK(run.desktop.events().empty());
    CHECK(recovered[0].problem == "the guard did not permit it");
}

TEST_CASE("gate: five denied calls in a row end the run as refused") {
    std::vector<Thought> thoughts(10, calls("press_key", R"({"key":"windows"})"));
    GuardedRun run(thoughts);
    const Finish finish = run.run();
    CHECK(finish.outcome == Outcome::refused);
    CHECK_THAT(finish.reason, ContainsSubstring("built_in: system chord"));
    CHECK(records(run.events).size() == 5);
}

TEST_CASE("gate: an allowed call between denied ones keeps the run going") {
    std::vector<Thought> thoughts;
    for (int i = 0; i < 6; ++i) {
        thoughts.push_back(calls("press_key", R"({"key":"windows"})"));
        thoughts.push_back(calls("press_key", R"({"key":"tab"})"));
    }
    GuardedRun run(thoughts);
    run.profile.max_turns = 50;
    CHECK(run.run().outcome == Outcome::completed);
}

TEST_CASE("gate: without a guard, nothing is journaled about it") {
    GuardedRun run({calls("press_key", R"({"key":"windows"})")}, GuardLevel::off);
    CHECK(run.run().outcome == Outcome::completed);
    CHECK_FALSE(run.desktop.events().empty());
    CHECK(records(run.events).empty());
}

TEST_CASE("gate: the keyboard does not reach a window outside the crop") {
    GuardedRun run({calls("type_text", R"({"text":"secret"})")});
    run.options.area.crop = winio::NormBox{0, 0, 500, 500};
    winio::WindowInfo elsewhere = window(1, "editor");
    elsewhere.bounds = {150, 150, 100, 100};
    run.desktop.set_windows({elsewhere});
    (void)run.run();
    CHECK(run.desktop.typed().empty());
    REQUIRE(records(run.events).size() == 1);
    CHECK(records(run.events)[0].rule == "invariant: outside the chosen area");
}

TEST_CASE("gate: a window that adopts the chosen title is another window") {
    GuardedRun run({calls("observe_screen"), calls("observe_screen")});
    run.options.area.window = winio::WindowQuery{.title = "window 1"};
    bool first = true;
    run.on_event = [&](const Event& event) {
        if (!std::holds_alternative<Observed>(event.payload) || !std::exchange(first, false))
            return;
        winio::WindowInfo other = window(2, "other");
        other.title = "window 1";
        run.desktop.set_windows({other});
    };
    const Finish finish = run.run();
    CHECK(all_of<Observed>(run.events).size() == 1);
    CHECK(finish.outcome == Outcome::desktop_failed);
}

TEST_CASE("gate: text is not typed on into a window that has taken the focus") {
    const std::string text(250, 'x'); // three batches
    GuardedRun run({calls("type_text", R"({"text":")" + text + R"("})")});
    run.desktop.on_input = [&](const winio::InputEvent&) {
        if (run.desktop.events().size() == 100)
            run.desktop.set_windows({window(2, "xterm"), window(1, "editor")});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().size() == 100);
    const auto invoked = all_of<Invoked>(run.events);
    CHECK_FALSE(invoked[0].ok);
    CHECK(invoked[0].wants_screenshot);
    CHECK_THAT(invoked[0].result_json, ContainsSubstring("raced"));
}

TEST_CASE("gate: text is not typed on into a password field that has taken the focus") {
    const std::string text(250, 'x'); // three batches
    GuardedRun run({calls("type_text", R"({"text":")" + text + R"("})")});
    const bool focused = GENERATE(true, false);
    run.desktop.on_input = [&](const winio::InputEvent&) {
        if (run.desktop.events().size() == 100)
            run.desktop.set_password_fields({{winio::WindowId{1}, {10, 10, 50, 20}, focused}});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().size() == (focused ? 100U : 250U));
    if (focused) CHECK_THAT(all_of<Invoked>(run.events)[0].result_json, ContainsSubstring("raced"));
}

TEST_CASE("gate: text into a password field is typed after an approval") {
    GuardedRun run({calls("type_text", R"({"text":"abc"})")});
    run.desktop.set_password_fields({{winio::WindowId{1}, {10, 10, 50, 20}, true}});
    const bool approved = GENERATE(true, false);
    int asked = 0;
    (void)run.answer([&](const ApprovalRequest&) {
        ++asked;
        return Approval{approved, {}, "test"};
    });
    CHECK(asked == 1);
    CHECK(run.desktop.events().size() == (approved ? 3U : 0U));
}

TEST_CASE("gate: a window that appears elsewhere does not break off an action") {
    const std::string text(250, 'x');
    GuardedRun run({calls("type_text", R"({"text":")" + text + R"("})")});
    run.desktop.on_input = [&](const winio::InputEvent&) {
        winio::WindowInfo other = window(2, "xterm");
        other.foreground = false;
        run.desktop.set_windows({window(1, "editor"), other});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().size() == 250);
    CHECK(all_of<Invoked>(run.events)[0].ok);
}

TEST_CASE("gate: what changes while the user is asked is noticed before the press") {
    const bool changes = GENERATE(true, false);
    GuardedRun run({calls("click_element", click)}, GuardLevel::strict);
    run.options.watch = Watch::check;
    (void)run.answer([&](const ApprovalRequest& request) {
        if (request.id == 1 && changes) run.desktop.screen().fill({90, 90, 30, 30}, {10, 20, 30});
        return Approval{true, {}, "test"};
    });
    const auto invoked = all_of<Invoked>(run.events);
    REQUIRE_FALSE(invoked.empty());
    CHECK(invoked[0].stale.has_value() == changes);
    CHECK(run.desktop.events().empty() == changes);
}

TEST_CASE("gate: a button is not pressed on a window that came up after the decision") {
    GuardedRun run({calls("click_element", click)});
    // The capture directly before the press, after the guard has judged.
    run.desktop.on_capture = [&] {
        if (run.requests.size() == 1)
            run.desktop.set_windows({window(2, "xterm"), window(1, "editor")});
    };
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(run.desktop.events().empty());
    CHECK_THAT(all_of<Invoked>(run.events)[0].result_json, ContainsSubstring("raced"));
}
