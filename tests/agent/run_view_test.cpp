#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/agent/run_view.hpp"

#include "catch.hpp"
#include "source_folder.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

std::filesystem::path golden(const std::string& name) {
    return test::source_folder() / "tests/data" / "runs-0.1" / name;
}

std::string word_for(const std::optional<bool>& ok) {
    return ok ? (*ok ? "ok" : "failed") : "under way";
}

std::string in_words(const TurnItem& item) {
    struct Visitor {
        std::string operator()(const Replied& it) const {
            return fmt::format("reply of {} with {} calls", it.reply.text.size(),
                               it.reply.tool_calls.size());
        }
        std::string operator()(const CallView& it) const {
            return fmt::format("{} {}{}", it.tool, word_for(it.ok),
                               it.interrupted ? ", interrupted" : "");
        }
        std::string operator()(const RecoveryView& it) const {
            return "recovery " + word_for(it.ok);
        }
        std::string operator()(const FailureView& it) const { return it.error; }
        std::string operator()(const Noted& it) const { return "*" + it.kind; }
        std::string operator()(const UserMessage& it) const { return "user: " + it.text; }
        std::string operator()(const Stopped& it) const { return "stopped: " + it.reason; }
        std::string operator()(const RunResumed&) const { return "resumed"; }
        std::string operator()(const RequestView& it) const {
            return fmt::format("request {} after {}: {} the same, {} for {}", it.number,
                               it.previous, it.same, it.added.size(), it.replaced.size());
        }
    };
    return std::visit(Visitor{}, item);
}

/// "2 commander EVALUATION (1 to 2): reply of 40 with 1 calls, brief ok"
std::string in_words(const TurnView& turn) {
    std::vector<std::string> items;
    for (const TurnItem& item : turn.items) items.push_back(in_words(item));
    const auto number = [](const std::shared_ptr<const ScreenshotView>& view) {
        return view ? fmt::format("{}", view->number) : std::string("-");
    };
    return fmt::format("{} {} {} ({}{} to {}): {}", turn.number, turn.role, turn.phase,
                       number(turn.seen), turn.seen_by_model ? "" : " unseen", number(turn.after),
                       fmt::join(items, ", "));
}

std::vector<std::string> in_words(const RunView& run) {
    std::vector<std::string> turns;
    for (std::size_t i = 0; i < run.turn_count(); ++i) turns.push_back(in_words(run.turn(i)));
    return turns;
}

Event event(Payload payload, int turn = 1) {
    static std::uint64_t seq = 0;
    return {++seq, std::chrono::milliseconds(10 * seq), turn, std::move(payload), {}};
}

Replied replied(const std::string& text) { return Replied{{.text = text}}; }

RunView view(const char* profile = "observer", RunViewLimits limits = {}) {
    return RunView(load_profile(profile), limits);
}

} // namespace

TEST_CASE("run view: older runs are folded into turns") {
    struct Row {
        const char* name;
        const char* task;
        const char* outcome;
        std::vector<std::string> turns;
    };
    // NOLINTBEGIN(bugprone-suspicious-missing-comma): some lines of a report are long
    const Row row = GENERATE(
        Row{"conversation",
            "Write a note.",
            "completed",
            {"1 agent asking (1 to -): reply of 15 with 1 calls, click_element ok",
             "2 agent asking (1 to 3): reply of 7 with 1 calls, observe_screen ok",
             "3 agent asking (3 to -): reply of 7 with 1 calls, type_text ok",
             "4 agent asking (3 to -): reply of 18 with 1 calls, click_element failed",
             "5 agent asking (3 to -): reply of 7 with 1 calls, drag ok",
             "6 agent asking (3 to -): reply of 11 with 0 calls"}},
        Row{"team",
            "write a greeting",
            "completed",
            {"1 commander EVALUATION (0 unseen to -): reply of 34 with 1 calls, spawn_operator ok",
             "2 operator EXECUTION (2 to 3): *phase, reply of 13 with 1 calls, click_element ok",
             "3 operator EXECUTION (3 to -): reply of 0 with 1 calls, report_progress ok",
             "4 commander EVALUATION (3 unseen to -): *phase, reply of 14 with 1 calls, "
             "spawn_operator ok",
             "5 commander EVALUATION (3 unseen to -): *phase, *phase, reply of 14 with 1 calls, "
             "spawn_operator ok",
             "6 operator EXECUTION (6 to 7): *phase, reply of 0 with 1 calls, report_completion "
             "failed",
             "7 operator EXECUTION (7 to -): reply of 0 with 1 calls, report_completion ok"}},
        Row{"visual_loop",
            "Draw a line.",
            "completed",
            {"1   (- unseen to 1): ",
             "2 agent calling_model (1 to 2): reply of 180 with 0 calls, click ok, drag ok",
             "3 agent calling_model (2 to 3): reply of 86 with 0 calls, click ok",
             "4 agent calling_model (3 to 4): reply of 73 with 0 calls"}},
        Row{"crashed",
            "Type two letters.",
            "",
            {"1 agent asking (1 to -): reply of 7 with 1 calls, type_text ok",
             "2 agent asking (1 to -): reply of 13 with 1 calls, type_text under way"}},
        Row{"resumed",
            "Type two letters.",
            "completed",
            {"1 agent asking (1 to -): reply of 7 with 1 calls, type_text ok",
             "2 agent asking (1 to -): vlm.unreachable, resumed, reply of 13 with 1 calls, "
             "type_text ok",
             "3 agent asking (1 to -): reply of 23 with 0 calls"}});
    // NOLINTEND(bugprone-suspicious-missing-comma)
    CAPTURE(row.name);
    const RunView run = read_run(golden(row.name));
    CHECK(in_words(run) == row.turns);
    CHECK(run.task() == row.task);
    CHECK((run.finished() ? to_string(run.finished()->outcome) : "") == row.outcome);
    CHECK(run.unknown_events() == 0);
}

TEST_CASE("run view: the state of an older run follows from its facts and notes") {
    const RunView team = read_run(golden("team"));
    CHECK(team.state().role == "operator");
    CHECK(team.state().plan == "2. check (now)");
    CHECK(team.state().brief == "Click OK.");
    CHECK(team.state().active_actions == 4); // one for each turn of the worker
    CHECK(team.state().archived_actions == 0);
    const RunView story = read_run(golden("visual_loop"));
    REQUIRE(story.state().reply);
    CHECK(story.state().reply->done);
    CHECK(story.screenshot()->annotation);
    CHECK(read_run(golden("crashed")).activity() == Activity::acting);
}

TEST_CASE("run view: in an older run, notes tell how many actions are archived") {
    RunView run(load_profile("commander"));
    const auto work = [&](int turn) {
        run.apply(event(Asked{"operator", "m", 2, 10, {}, ""}, turn));
        run.apply(event(Invoked{.call_id = "c", .tool = "click_element", .ok = true}, turn));
    };
    for (int turn = 2; turn < 7; ++turn) work(turn);
    run.apply(event(Noted{"memory", "2 actions archived, 3 active"}, 7));
    CHECK(run.state().active_actions == 3);
    CHECK(run.state().archived_actions == 2);
    work(8);
    CHECK(run.state().active_actions == 4);
    run.apply(event(Noted{"memory", "compressed"}, 9));
    CHECK(run.state().active_actions == 4);
}

TEST_CASE("run view: a recorded state is not changed by instructions that the mode refused") {
    RunView run(load_profile("commander"));
    ModeState state;
    state.brief = "Click OK.";
    state.active_actions = 2;
    run.apply(event(StateChanged{state}, 3));
    run.apply(event(Invoked{.call_id = "c", .ok = true, .signal = Brief{"too long", "x"}}, 4));
    CHECK(run.state().brief == "Click OK.");
    CHECK(run.state().active_actions == 2);
    CHECK(run.state().turn == 4);
}

TEST_CASE("run view: a call is in progress until its result arrives") {
    RunView run = view();
    run.apply(event(Invoke{{"id1", "click", R"({"box":[1,2]})", {}}, {}}));
    CHECK(run.activity() == Activity::acting);
    CHECK(in_words(run.turn(0).items.front()) == "click under way");
    Invoked fact;
    fact.call_id = "id1";
    fact.tool = "click";
    fact.ok = true;
    fact.result_json = R"({"ok":true})";
    fact.act = std::chrono::microseconds(1500);
    fact.action.points = {{1, 2}};
    run.apply(event(fact));
    const auto& call = std::get<CallView>(run.turn(0).items.at(0));
    CHECK(call.ok == true);
    CHECK(call.arguments_json == R"({"box":[1,2]})");
    CHECK(call.action.points.size() == 1);
    CHECK(run.turn(0).items.size() == 1);
}

TEST_CASE("run view: a call has the decision on it before its result, and after an interruption") {
    RunView run = view();
    const GuardRecord approved{true, "built_in: terminal", "user", "panel"};
    const auto call = [&] { return std::get<CallView>(run.turn(0).items.at(0)); };
    run.apply(event(Invoke{{"id1", "click", "{}", {}}, {}}));
    run.apply(event(Judged{.guard = approved, .call_id = "id1", .tool = "click"}));
    CHECK(call().guard == approved);
    CHECK_FALSE(call().ok);
    Invoked fact;
    fact.tool = "click";
    fact.interrupted = true;
    run.apply(event(fact));
    CHECK(call().guard == approved);
    CHECK(call().interrupted);
    CHECK(run.turn(0).items.size() == 1);
    CHECK(run.unknown_events() == 0);
}

TEST_CASE("run view: a decision without a call, and one on a recovery, change no item") {
    RunView run = view();
    run.apply(event(Judged{.tool = "click"}));
    run.apply(event(Recover{"a loop"}));
    run.apply(
        event(Judged{.guard = {true, "built_in: recovery", "rule", {}}, .step = "press Escape"}));
    run.apply(event(Recovered{}));
    CHECK(in_words(run.turn(0)) == "1   (- unseen to -): recovery ok");
}

TEST_CASE("run view: a result without a call is shown as a call") {
    RunView run = view();
    Invoked fact;
    fact.tool = "click";
    run.apply(event(fact));
    CHECK(in_words(run.turn(0).items.front()) == "click failed");
    run.apply(event(Recovered{"too late", {}, {}}));
    CHECK(in_words(run.turn(0).items.back()) == "recovery failed");
}

TEST_CASE("run view: overlapping recoveries and calls end in their own items") {
    RunView run = view();
    run.apply(event(Recover{"a loop"}));
    run.apply(event(Invoke{{"id1", "click", "{}", {}}, {}}));
    run.apply(event(Recovered{}));
    Invoked fact;
    fact.tool = "click";
    fact.ok = true;
    run.apply(event(fact));
    CHECK(in_words(run.turn(0)) == "1   (- unseen to -): recovery ok, click ok");
}

TEST_CASE("run view: events before the first turn have their own entry") {
    RunView run = view();
    run.apply(event(ObserveFailed{"winio.no_display", "there is no display"}, 0));
    CHECK(run.problem() == "there is no display");
    run.apply(event(Asked{"agent", "m", 2, 3, {}, {}}, 1));
    run.apply(event(Noted{"loop", "again and again"}, 0)); // of the latest turn
    CHECK(in_words(run) == std::vector<std::string>{"0   (- unseen to -): winio.no_display",
                                                    "1 agent asking (- unseen to -): *loop"});
}

TEST_CASE("run view: a turn begins with the latest screenshot, and ends with the one after it") {
    RunView run = view();
    Observed look;
    look.sha256 = "aa";
    run.apply(event(Observe{1, Annotation{{{{1, {10, 20}, {}}}}, {}}}, 0));
    CHECK(run.activity() == Activity::observing);
    run.apply(event(look, 0));
    CHECK(run.screenshot()->annotation->trail.size() == 1);
    run.apply(event(Asked{"agent", "m", 2, 3, {"aa"}, {}}, 1));
    CHECK(in_words(run) == std::vector<std::string>{"1 agent asking (1 to -): "});
    run.apply(event(Observe{2, {}}, 1));
    run.apply(event(look, 1));
    CHECK_FALSE(run.screenshot()->annotation);
    run.apply(event(Asked{"agent", "m", 2, 3, {"bb"}, {}}, 2));
    CHECK(in_words(run) == std::vector<std::string>{"1 agent asking (1 to 2): ",
                                                    "2 agent asking (2 unseen to -): "});
}

TEST_CASE("run view: the screenshot of a turn is the one taken last before its request") {
    RunView run = view();
    run.apply(event(Observe{1, {}}, 0));
    run.apply(event(Observed{.sha256 = "aa", .file = "1.png"}, 0));
    run.apply(event(Recover{"it repeats itself"}, 0));
    run.apply(event(Recovered{}, 0));
    run.apply(event(Observe{1, {}}, 0));
    run.apply(event(Observed{.sha256 = "bb", .file = "2.png"}, 0));
    run.apply(event(Asked{"agent", "m", 1, 0, {"bb"}, ""}, 1));
    const TurnView& turn = run.turn(run.turn_count() - 1);
    CHECK(turn.seen->look.file == "2.png");
    CHECK(turn.seen_by_model);
    CHECK(turn.after == nullptr);
}

TEST_CASE("run view: a new screenshot for a cancelled request is the one of its turn") {
    RunView run = view();
    run.apply(event(Observe{1, {}}, 0));
    run.apply(event(Observed{.sha256 = "aa", .file = "1.png"}, 0));
    run.apply(event(Asked{"agent", "m", 1, 0, {"aa"}, ""}, 1));
    run.apply(event(Superseded{"aa", {{0, 0, 8, 8}}, std::chrono::milliseconds(400), {}}, 1));
    run.apply(event(Observe{1, {}}, 1));
    run.apply(event(Observed{.sha256 = "bb", .file = "2.png"}, 1));
    run.apply(event(Asked{"agent", "m", 1, 0, {"bb"}, ""}, 1));
    REQUIRE(run.turn_count() == 1);
    CHECK(run.turn(0).seen->look.file == "2.png");
    CHECK(run.turn(0).seen_by_model);
    CHECK(run.turn(0).after == nullptr);
    CHECK(run.turn(0).requests == 2);
}

TEST_CASE("run view: an event that cannot be read does not change the turn") {
    RunView run = view();
    run.apply(event(Asked{"agent", "m", 1, 0, {}, ""}, 4));
    run.apply(event(UnknownEvent{}, 0));
    CHECK(run.state().turn == 4);
}

TEST_CASE("run view: canceled requests count in the totals, unsent ones do not") {
    RunView run = view();
    run.apply(event(Superseded{"aa", {}, std::chrono::milliseconds(400), 100}, 1));
    run.apply(event(Superseded{"aa", {}, {}, 100}, 1));
    CHECK(run.usage().prompt_tokens == 100);
}

TEST_CASE("run view: totals are sums of what the replies reported") {
    RunView run = view();
    CHECK_FALSE(run.usage().prompt_tokens);
    Replied reply = replied("a");
    reply.reply.usage.prompt_tokens = 100;
    reply.reply.model = "served";
    run.apply(event(reply));
    run.apply(event(replied("b"), 2));
    reply.reply.usage = {(std::numeric_limits<int>::max)(), 5, 7};
    run.apply(event(reply, 3));
    CHECK(run.usage().prompt_tokens == (std::numeric_limits<int>::max)());
    CHECK(run.usage().cached_tokens == 5);
    CHECK(run.usage().completion_tokens == 7);
    CHECK(run.model() == "served");
}

TEST_CASE("run view: the outcome of a run stays until it is resumed") {
    RunView run = view();
    run.apply(event(Stopped{"enough"}));
    RunFinished end;
    end.outcome = Outcome::cancelled;
    run.apply(event(end));
    REQUIRE(run.finished() != nullptr);
    CHECK(run.finished()->outcome == Outcome::cancelled);
    CHECK(run.activity() == Activity::finished);
    run.apply(event(RunResumed{{"later"}}, 0));
    CHECK(run.finished() == nullptr);
    CHECK(run.activity() == Activity::idle);
    CHECK(in_words(run.turn(0)) == "1   (- unseen to -): stopped: enough, resumed");
}

TEST_CASE("run view: a run whose mode has ended is finished as soon as its outcome is known") {
    RunView run = view();
    run.apply(event(Observe{}));
    run.apply(event(Finish{Outcome::completed, "done"}));
    CHECK(run.activity() == Activity::observing);
    run.apply(event(RunFinished{}));
    CHECK(run.activity() == Activity::finished);
}

TEST_CASE("run view: the reply in progress is streamed until it is complete") {
    RunView run = view();
    run.apply(event(Asked{}));
    run.apply(vlm::Delta{vlm::Delta::Kind::text, "I cl"});
    run.apply(vlm::Delta{vlm::Delta::Kind::text, "ick"});
    run.apply(vlm::Delta{vlm::Delta::Kind::reasoning, "hm"});
    run.apply(vlm::Delta{vlm::Delta::Kind::tool_call, "{}"});
    CHECK(run.streamed_text() == "I click");
    CHECK(run.streamed_reasoning() == "hm");
    run.apply(event(replied("I click")));
    CHECK(run.streamed_text().empty());
    CHECK(run.streamed_reasoning().empty());
}

TEST_CASE("run view: a snapshot does not change while the run continues") {
    RunView run = view();
    run.apply(event(replied("one")));
    run.apply(event(replied("two"), 2));
    RunView before = run.snapshot();
    CHECK(&before.turn(0) == &run.turn(0)); // shared
    run.apply(event(Noted{"loop", "x"}, 2));
    run.apply(event(Noted{"loop", "y"}, 2));
    run.apply(event(replied("three"), 3));
    CHECK(before.turn_count() == 2);
    CHECK(before.turn(1).items.size() == 1);
    CHECK(run.turn(1).items.size() == 3);
    CHECK(&before.turn(0) == &run.turn(0));
    CHECK(before.revision() < run.revision());
    before.apply(event(Noted{"loop", "z"}, 1)); // an independent value
    CHECK(before.turn(0).items.size() == 2);
    CHECK(run.turn(0).items.size() == 1);
}

TEST_CASE("run view: limits keep the latest turns, the first items and the beginning of texts") {
    RunView run = view("observer", {.turns = 2, .items_per_turn = 3, .text_bytes = 10});
    for (int turn = 1; turn <= 5; ++turn)
        for (int item = 0; item < 5; ++item)
            run.apply(event(Noted{"loop", "a long text that is cut"}, turn));
    CHECK(run.turn_count() == 2);
    CHECK(run.turns_left_out() == 3);
    CHECK(run.turn(0).number == 4);
    CHECK(run.turn(1).items.size() == 3);
    CHECK(run.turn(1).left_out == 2);
    CHECK(std::get<Noted>(run.turn(1).items.front()).text.size() <= 10);
    run.apply(event(Invoke{{"id", "click", "{}", {}}, {}}, 5)); // no space, also not for its result
    run.apply(event(Invoked{}, 5));
    CHECK(run.turn(1).left_out == 4);
    run.apply(event(Noted{"loop", "x"}, 1)); // an old turn starts again
    CHECK(run.turn(1).number == 1);
}

TEST_CASE("run view: numbers in a damaged journal are harmless") {
    RunView run = view("story");
    for (const int turn : {(std::numeric_limits<int>::max)(), std::numeric_limits<int>::min(), -1})
        for (const Payload& payload :
             {Payload(Asked{}), Payload(replied("x")), Payload(Invoked{}), Payload(Observed{})})
            run.apply(event(payload, turn));
    run.apply(event(UnknownEvent{"dreamt", {}}));
    CHECK(run.unknown_events() == 1);
    CHECK(run.turn_count() >= 1);
}

TEST_CASE("run view: a reported state of a run in progress counts at once") {
    RunView run = view("commander");
    CHECK(run.state().phase == "EVALUATION");
    ModeState state;
    state.plan = "a plan";
    state.phase = "EXECUTION";
    run.apply(state);
    run.apply(event(Asked{"operator", "m", 2, 3, {}, {}}, 2));
    CHECK(run.turn(0).phase == "EXECUTION");
    CHECK(run.state().plan == "a plan");
    state.plan = "a better plan";
    state.active_actions = 3;
    run.apply(event(StateChanged{state}, 2));
    CHECK(run.state().plan == "a better plan");
    CHECK(run.state().active_actions == 3);
}
