// The guard in a run: what it allows, denies and asks about, and what the journal says.
#include "virtual_run.hpp"

#include "catch.hpp"
#include "recovers_once.hpp"
#include "thinking_model.hpp"

#include "eyehand/agent/journal_reader.hpp"

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

struct GuardedRun : test::ScriptedRun {
    explicit GuardedRun(std::vector<Thought> thoughts, GuardLevel level = GuardLevel::standard)
        : ScriptedRun(std::move(thoughts)) {
        options.guard = Guard(level);
        journals_decisions = true;
        desktop.set_windows({window(1, "editor")});
    }
    void recover() {
        mode = [] { return std::make_unique<test::RecoversOnce>(); };
    }
    /// The last entry of the journal, as another program would read it now.
    [[nodiscard]] Event latest_entry() const { return read_journal(store).back(); }
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

/// The decision of an entry; one with the decider "none" for any other entry.
Judged decision_in(const Event& event) {
    const auto* judged = std::get_if<Judged>(&event.payload);
    return judged == nullptr ? Judged{.guard = {.decider = "none"}} : *judged;
}

/// "press Escape: user"
std::vector<std::string> steps_of(const std::vector<Event>& events) {
    std::vector<std::string> all;
    for (const Judged& it : all_of<Judged>(events))
        all.push_back(it.step + ": " + it.guard.decider);
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

TEST_CASE("gate: what a tool may do itself counts as an action") {
    GuardedRun run({calls("read_clipboard"), calls("read_clipboard")});
    run.options.with = {"read_clipboard"};
    run.options.guard.add(parse_guard_rules(R"({"rules":[
            {"name":"slowly","when":{"rate":1},"then":"deny"},
            {"name":"read","when":{"effect":"clipboard_read"},"then":"allow"}]})",
                                            "rules"),
                          RuleOrigin::user);
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(records(run.events) == std::vector{GuardRecord{true, "user: read", "rule", {}},
                                             GuardRecord{false, "user: slowly", "rule", {}}});
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
        if (++approvals == 1)
            run.desktop.change([&] { run.desktop.set_windows({window(2, "konsole")}); });
        return Approval{true, {}, "test"};
    });
    CHECK(asked.size() == 2);
    CHECK(run.desktop.typed() == "ls");
}

TEST_CASE("gate: strict asks before each step of a recovery, and a denial ends it") {
    const bool granted = GENERATE(true, false);
    GuardedRun run({}, GuardLevel::strict);
    run.recover();
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
    run.recover();
    run.desktop.set_windows({window(1, "xterm")});
    (void)run.run(run.mode());
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    CHECK(run.desktop.events().empty());
    CHECK(recovered[0].problem == "the guard did not permit it");
}

TEST_CASE("gate: a decision is in the journal before the action, and agrees with its result") {
    GuardedRun run({calls("press_key", R"({"key":"windows"})")});
    std::vector<Judged> found;
    run.desktop.on_input = [&](const winio::InputEvent&) {
        found.push_back(decision_in(run.latest_entry()));
    };
    CHECK(run.answer(grant).size() == 1);
    REQUIRE_FALSE(found.empty());
    for (const Judged& it : found) {
        CHECK(it.guard == GuardRecord{true, "built_in: system chord", "user", "test"});
        CHECK(it.tool == "press_key");
        CHECK(it.call_id == "call");
        CHECK(it.step.empty());
    }
    CHECK(records(run.events) == std::vector{found[0].guard});
    const auto judged = all_of<Judged>(run.events);
    REQUIRE(judged.size() == 1);
    CHECK(judged[0].policy == all_of<Invoked>(run.events)[0].policy);
}

TEST_CASE("gate: a denial is in the journal, and the call has no other decision") {
    GuardedRun run({calls("press_key", R"({"key":"windows"})")});
    CHECK(run.run().outcome == Outcome::completed);
    const auto judged = all_of<Judged>(run.events);
    REQUIRE(judged.size() == 1);
    CHECK(judged[0].guard == records(run.events).at(0));
    CHECK_FALSE(judged[0].guard.allowed);
}

TEST_CASE("gate: the clipboard is read after the decision is in the journal") {
    GuardedRun run({calls("read_clipboard")});
    run.options.with = {"read_clipboard"};
    std::vector<Judged> found;
    run.desktop.on_clipboard = [&](winio::testing::ClipboardUse) {
        found.push_back(decision_in(run.latest_entry()));
    };
    CHECK(run.answer(grant).size() == 1);
    REQUIRE(found.size() == 1);
    CHECK(found[0].guard.decider == "user");
    CHECK(found[0].tool == "read_clipboard");
}

TEST_CASE("gate: calls that do not act have no decision") {
    GuardedRun run({calls("observe_screen")});
    CHECK(run.run().outcome == Outcome::completed);
    CHECK(all_of<Judged>(run.events).empty());
}

TEST_CASE("gate: the decision on each step of a recovery is in the journal before the step") {
    GuardedRun run({});
    run.recover();
    std::vector<std::string> steps; // as the journal names them when their input arrives
    run.desktop.on_input = [&](const winio::InputEvent&) {
        const Judged decision = decision_in(run.latest_entry());
        CHECK(decision.guard.allowed);
        if (steps.empty() || steps.back() != decision.step) steps.push_back(decision.step);
    };
    (void)run.run(run.mode());
    CHECK(steps == std::vector<std::string>{"press Escape", "move the pointer to the center",
                                            "move the pointer to the corner", "click in the corner",
                                            "press Ctrl+Escape", "press Escape to close the menu"});
    CHECK(all_of<Judged>(run.events).size() == 6);
}

TEST_CASE("gate: the approval of a recovery's first step is not replaced by decisions of rules") {
    GuardedRun run({});
    run.recover();
    winio::WindowInfo terminal = window(2, "xterm");
    terminal.bounds = {0, 0, 50, 50}; // has the keyboard, but is not under the pointer
    run.desktop.set_windows({terminal, window(1, "editor")});
    run.desktop.on_input = [&](const winio::InputEvent&) {
        // Escape has closed the terminal.
        if (run.desktop.events().size() == 2) run.desktop.set_windows({window(1, "editor")});
    };
    const auto asked = run.answer(grant);
    REQUIRE(asked.size() == 1);
    CHECK_THAT(asked[0].text, ContainsSubstring("press Escape"));
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    CHECK(recovered[0].problem.empty());
    CHECK(recovered[0].guard == GuardRecord{true, asked[0].rule, "user", "test"});
    CHECK(steps_of(run.events) ==
          std::vector<std::string>{"press Escape: user", "move the pointer to the center: rule",
                                   "move the pointer to the corner: rule",
                                   "click in the corner: rule", "press Ctrl+Escape: rule",
                                   "press Escape to close the menu: rule"});
}

TEST_CASE("gate: the denial of a recovery's step is stricter than an approval before it") {
    GuardedRun run({}, GuardLevel::strict);
    run.recover();
    const auto asked = run.answer([&](const ApprovalRequest& request) {
        return Approval{request.id == 1, {}, "test"};
    });
    CHECK(asked.size() == 2);
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    REQUIRE(recovered[0].guard);
    CHECK_FALSE(recovered[0].guard->allowed);
    CHECK(steps_of(run.events).size() == 2);
}

TEST_CASE("gate: the time of a recovery's decisions is the sum of its steps") {
    GuardedRun run({}, GuardLevel::strict);
    run.recover();
    (void)run.answer(grant);
    std::chrono::microseconds sum{};
    for (const Judged& it : all_of<Judged>(run.events)) sum += it.policy;
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    CHECK(sum > std::chrono::microseconds(0)); // six answers of another thread
    CHECK(recovered[0].policy == sum);
}

TEST_CASE("gate: a recovery does not click on a window that came up after the decision") {
    GuardedRun run({});
    run.recover();
    run.on_event = [&](const Event& event) {
        if (decision_in(event).step == "click in the corner")
            run.desktop.set_windows({window(2, "xterm"), window(1, "editor")});
    };
    const Finish finish = run.run(run.mode());
    CHECK(finish.outcome == Outcome::completed);
    CHECK(std::ranges::none_of(run.desktop.events(), [](const winio::InputEvent& event) {
        return std::holds_alternative<winio::ButtonChange>(event);
    }));
    const auto recovered = all_of<Recovered>(run.events);
    REQUIRE(recovered.size() == 1);
    CHECK_THAT(recovered[0].problem, ContainsSubstring("another window than before"));
    CHECK(recovered[0].desktop_failure.empty()); // the run goes on
    CHECK(steps_of(run.events).size() == 4);     // no further step
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
    CHECK(all_of<Judged>(run.events).empty());
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
        if (request.id == 1 && changes)
            run.desktop.change([&] { run.desktop.screen().fill({90, 90, 30, 30}, {10, 20, 30}); });
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
