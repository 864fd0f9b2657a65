// A recorded run replays without differences, and each change of the code, the rules or the replies
// is a difference.
#include "recorded_run.hpp"

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/vlm/raw_response.hpp"

#include "catch.hpp"
#include "thinking_model.hpp"
#include "watch.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

using namespace eyehand;
using namespace agent;
using test::RecordedRun;

namespace {

const std::string evidence =
    "The title bar reads greeting.txt - Notepad, the text area shows the greeting in one line, and "
    "no dialog is open any more.";

constexpr const char* ok_button = R"({"label":"OK","box":[400,500]})";

/// A run of the observer that clicks, types, looks and ends.
void let_click_and_type(RecordedRun& stage) {
    stage.model.call("click_element", ok_button)
        .call("type_text", R"({"text":"Grüße\nan alle"})")
        .call("press_key", R"({"key":"ctrl+s"})")
        .call("observe_screen", "{}")
        .say("Done.");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error("not found: " + from);
    return text.replace(at, from.size(), to);
}

/// The first difference about a subject.
const ReplayDifference& difference(const ReplayReport& report, std::string_view subject) {
    const auto found = std::ranges::find(report.differences, subject, &ReplayDifference::subject);
    if (found == report.differences.end())
        throw std::runtime_error("no difference: " + std::string(subject) + "\n" + to_text(report));
    return *found;
}

bool has(const std::vector<std::string>& lines, const std::string& part) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

} // namespace

// ---- the profiles -------------------------------------------------------------------------------

TEST_CASE("a run of the observer replays without differences") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.not_compared.empty());
    CHECK(report.results == 11); // two screenshots, five requests, four calls
    CHECK(report.inputs == 3);
    CHECK(report.replies == 5);
}

TEST_CASE("a run that zooms and refines replays without differences") {
    RecordedRun stage("observer", {1001, 601});
    stage.options.with = {"zoom"};
    stage.profile.refine = Refine::on;
    stage.profile.image = winio::FitWithin{{500, 300}};
    stage.desktop.screen().fill({600, 400, 9, 9}, {.red = 255});
    stage.model.call("zoom", R"({"region":[100,100,317,555]})")
        .call("click_element", ok_button) // in the zoomed image: not refined
        .call("observe_screen", "{}")
        .call("click_element", R"({"label":"dot","box":[601,667]})")
        .call("click_element", R"({"label":"dot","box":[333,521]})") // in the crop
        .call("zoom", R"({"region":[601,333]})")
        .say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.not_compared.empty());
    CHECK(report.replies == 7);
}

TEST_CASE("a run of the commander replays without differences") {
    RecordedRun stage("commander");
    const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
    stage.model.call("spawn_operator", brief, "1. click OK (now) 2. check (later)")
        .call("click_element", R"({"justification":"asked","label":"OK","position":[300,400]})",
              "OBJ: click OK")
        .call("report_progress",
              R"({"objective_id":"click OK","status":"DONE","evidence":"the dialog is gone"})")
        .call("spawn_operator", brief, "2. check (now)")
        .call("spawn_operator", brief, "2. check (now)")
        .call("report_completion", R"({"evidence":"It is done."})")
        .call("report_completion", R"({"evidence":")" + evidence + R"("})");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs > 0);
}

TEST_CASE("a run of the planner replays without differences") {
    RecordedRun stage("planner");
    stage.model
        .call("update_execution_plan", R"({"instructions":"Click the field.","reasoning":"first"})",
              "1. click the field (now)")
        .call("click_screen_element",
              R"({"reasoning":"to focus it","element_name":"field","position":[10,20]})",
              "LAST_ACTION_RESULT: none\nNEXT_STEP: click, the field gets a caret")
        .call("report_mission_complete", R"({"evidence":")" + evidence + R"("})");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs > 0);
}

TEST_CASE("a run of the basic agent replays without differences") {
    RecordedRun stage("basic");
    const std::string move = R"({"x":300,"y":400})";
    stage.model.call("take_screenshot", "{}")
        .call("move_mouse", move)
        .call("click_mouse", "")
        .call("scroll_down", "{}")
        .say("The field has the focus.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs > 0);
}

TEST_CASE("a run of the visual loop replays without differences") {
    RecordedRun stage("story");
    const auto reply = [](const std::string& actions, const std::string& more = {}) {
        return R"({"observation":"I draw.","bboxes":[],"actions":[)" + actions + "]" + more + "}";
    };
    stage.model
        .say(reply(
            R"({"name":"click","x1":300,"y1":400},{"name":"DRAG","x1":10,"y1":20,"x2":30,"y2":20})"))
        .say(reply("", R"(,"done":true)"));
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs > 0);
}

TEST_CASE("coordinates whose last digit JSON rounds are not a difference") {
    RecordedRun stage("basic", {102, 102}); // 1/101 of the screen
    stage.model.call("move_mouse", R"({"x":10,"y":10})").call("take_screenshot", "{}").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    REQUIRE_THAT(stage.store.bytes(journal_name), ContainsSubstring("9.900990099009901"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
}

// ---- what happens in runs -----------------------------------------------------------------------

TEST_CASE("messages, a stop and a failed request are replayed as facts") {
    RecordedRun stage("observer");
    stage.model.answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
        (void)stage.control.send_message("hurry");
        return {.tool_calls = {{"a", "click_element", ok_button, {}}}};
    });
    SECTION("stop") {
        stage.model.answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            stage.control.stop("enough");
            return {.tool_calls = {{"b", "click_element", ok_button, {}}}};
        });
        REQUIRE(stage.run().outcome == Outcome::cancelled);
    }
    SECTION("failed request") {
        stage.model.fail(vlm::Error(vlm::errc::connection_lost, "gone"));
        REQUIRE(stage.run().outcome == Outcome::endpoint_failed);
    }
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
}

TEST_CASE("a resumed run is replayed in its parts") {
    RecordedRun stage("observer");
    stage.model.call("click_element", ok_button)
        .fail(vlm::Error(vlm::errc::connection_lost, "gone"));
    REQUIRE(stage.run().outcome == Outcome::endpoint_failed);
    stage.model.call("click_element", R"({"label":"Save","box":[100,100]})").say("Done.");
    Agent agent(stage.desktop, stage.served, stage.profile, stage.tools, stage.options);
    REQUIRE(agent.resume(stage.store, RunControl()).outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(has(report.not_compared, "a request that failed"));
    CHECK(report.not_compared.size() == 1);
}

TEST_CASE("the user's answers to approval requests are replayed") {
    RecordedRun stage("observer");
    stage.options.guard = Guard(GuardLevel::strict);
    stage.options.approvals = Approvals::user;
    stage.model.call("click_element", ok_button)
        .call("click_element", R"({"label":"Save","box":[100,100]})")
        .say("Done.");
    std::jthread answers([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            for (const ApprovalRequest& request : stage.control.status().approval_requests)
                (void)stage.control.resolve(
                    request.id,
                    {.granted = request.id == 1, .reason = "not this one", .channel = "test"});
    });
    REQUIRE(stage.run().outcome == Outcome::completed);
    answers.request_stop();
    answers.join();
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK_THAT(stage.recording(), ContainsSubstring("not this one"));
}

TEST_CASE("decisions in the journal, also on each step of a recovery, are not a difference") {
    RecordedRun stage("observer");
    stage.profile.loops.answer = LoopAnswer::recover;
    for (int i = 0; i < 3; ++i)
        stage.model.call("press_key", R"({"key":"f5"})").call("observe_screen", "{}");
    stage.model.say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::string journal = stage.store.bytes(journal_name);
    REQUIRE_THAT(journal, ContainsSubstring(R"("type":"judged","turn":1)"));
    REQUIRE_THAT(journal, ContainsSubstring(R"("step":"press Escape")"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.not_compared.empty());
    CHECK(report.inputs > 3);
}

TEST_CASE("a run that the user has taken over is replayed") {
    RecordedRun stage("observer");
    stage.model.call("click_element", ok_button)
        .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);
            CHECK(stage.control.take_over(later));
            return {.tool_calls = {{"a", "click_element", ok_button, {}}}};
        })
        .call("click_element", ok_button)
        .say("Done.");
    test::Watch watch(stage.control);
    std::jthread user([&] {
        watch.until([](const RunStatus& now) { return now.held; });
        stage.control.resume();
    });
    REQUIRE(stage.run().outcome == Outcome::completed);
    user.join();
    REQUIRE_THAT(stage.store.bytes(journal_name), ContainsSubstring(R"("reason":"taken_over")"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.inputs == 2); // not the second click
}

TEST_CASE("a changed target is refused in the replay, too") {
    RecordedRun stage("observer");
    stage.model
        .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            stage.desktop.change([&] {
                stage.desktop.screen().fill({50, 80, 150, 100}, {.blue = 255});
            });
            return {.tool_calls = {{"a", "click_element", ok_button, {}}}};
        })
        .say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    REQUIRE_THAT(stage.store.bytes(journal_name), ContainsSubstring("stale_target"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
}

TEST_CASE("a request that the screen has superseded is replayed") {
    RecordedRun stage("observer");
    stage.options.watch = Watch::resend;
    test::ThinkingModel model;
    bool changed = false;
    stage.desktop.on_capture = [&] {
        if (model.look() == 2 && !std::exchange(changed, true))
            stage.desktop.screen().fill({50, 50, 100, 100}, {.blue = 255});
    };
    model
        .then([](test::ThinkingModel& thinking) -> vlm::ChatReply {
            thinking.wait_for_cancellation();
        })
        .then_call("click_element", ok_button)
        .then_say("Done.");
    Agent agent(stage.desktop, model, stage.profile, stage.tools, stage.options);
    REQUIRE(agent.run("do it", stage.store, stage.control).outcome == Outcome::completed);
    REQUIRE_THAT(stage.store.bytes(journal_name), ContainsSubstring(R"("type":"superseded")"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.results == 6);
}

TEST_CASE("the replay of a run that was killed ends with its journal") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::string journal = stage.store.bytes(journal_name);
    const auto call = journal.find(R"("type":"invoke","turn":2)");
    REQUIRE(call != std::string::npos);
    stage.change(journal_name, journal.substr(0, journal.find('\n', call) + 1));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.commands == 5);
    CHECK(report.results == 4);
}

TEST_CASE("a pasted text restores the user's clipboard, whose content is not recorded") {
    RecordedRun stage("observer");
    stage.options.with = {"paste_text", "read_clipboard"};
    stage.desktop.clipboard()->set_text("private words");
    stage.model.call("paste_text", R"({"text":"Hello"})").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK(stage.desktop.clipboard()->text() == "private words");
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK_THAT(stage.recording(), !ContainsSubstring("private words"));
    CHECK_THAT(stage.recording(), ContainsSubstring("restore the text of the clipboard"));
}

TEST_CASE("a clipboard that the model has read is replayed") {
    RecordedRun stage("observer");
    stage.options.guard = Guard(GuardLevel::off);
    stage.options.with = {"read_clipboard"};
    stage.desktop.clipboard()->set_text("copied words");
    stage.model.call("read_clipboard", "{}").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    REQUIRE_THAT(stage.store.bytes(journal_name), ContainsSubstring("copied words"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
}

TEST_CASE("a tool that may act itself is not called") {
    struct NoArgs {};
    RecordedRun stage("observer");
    int calls = 0;
    stage.tools.add<NoArgs>("beep", "Beeps.", {}, [&](const NoArgs&, ToolContext&) {
        ++calls;
        return ok();
    });
    stage.options.with = {"beep"};
    stage.model.call("beep", "{}").say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(calls == 1);
    CHECK(report.identical());
    CHECK(has(report.not_compared, "beep"));
}

TEST_CASE("a model without a server has no bytes to decode: its replies are those of the journal") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    Agent agent(stage.desktop, stage.model, stage.profile, stage.tools, stage.options);
    REQUIRE(agent.run("do it", stage.store, stage.control).outcome == Outcome::completed);
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.replies == 0);
    CHECK(report.not_compared ==
          std::vector<std::string>{
              "The decoding of a reply whose bytes were not recorded (5 times)."});
}

TEST_CASE("bytes that are not UTF-8 are recorded as they are") {
    RecordedRun stage("observer");
    class OneReply final : public vlm::ChatModel {
    public:
        vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                             std::stop_token) override {
            const vlm::RawResponse response{.body = R"(data: {"choices":[{"delta":{"content":"Gr)"
                                                    "\xFC"
                                                    R"(n"},"finish_reason":"stop"}]})"
                                                    "\n\ndata: [DONE]\n\n",
                                            .event_stream = true};
            vlm::ChatReply reply = vlm::decode_response(response, request);
            reply.response = std::make_shared<const vlm::RawResponse>(response);
            return reply;
        }
    } model;
    Agent agent(stage.desktop, model, stage.profile, stage.tools, stage.options);
    REQUIRE(agent.run("do it", stage.store, stage.control).outcome == Outcome::completed);
    CHECK_THAT(stage.recording(), ContainsSubstring(R"("of":"response","value":{"base64":)"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.replies == 1);
}

// ---- privacy ------------------------------------------------------------------------------------

TEST_CASE("neither the value nor the length of a secret is in the recording") {
    const auto recorded = [](const std::string& value) {
        RecordedRun stage("observer");
        stage.options.secrets.add({.name = "mail", .read = [=] { return value; }});
        stage.model.call("type_text", R"({"text":"secret://mail"})").say("Done.");
        REQUIRE(stage.run().outcome == Outcome::completed);
        REQUIRE(stage.desktop.typed() == value);
        const ReplayReport report = stage.replay();
        INFO(to_text(report));
        CHECK(report.identical());
        return stage.recording();
    };
    const std::string text = recorded("hunter2-hunter2");
    CHECK_THAT(text, !ContainsSubstring("hunter2"));
    CHECK_THAT(text, ContainsSubstring("type a text with mail"));
    CHECK(std::ranges::count(text, '\n') == std::ranges::count(recorded("12345"), '\n'));
}

TEST_CASE("a reply with a secret is not recorded, also if a stream divides the secret") {
    RecordedRun stage("observer");
    stage.options.secrets.add({.name = "mail", .read = [] { return "hunter2-hunter2"; }});
    stage.model.call("observe_screen", "{}", "The screen shows hunter2-hunter2.")
        .say("hunter2-hunter2"); // in halves
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK_THAT(stage.recording(), !ContainsSubstring("hunter2"));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.replies == 0);
    CHECK(has(report.not_compared, "bytes were not recorded"));
}

TEST_CASE("a secret that JSON escapes is not recorded") {
    RecordedRun stage("observer");
    stage.options.secrets.add({.name = "mail", .read = [] { return "pa\"ss\\wörd-1"; }});
    stage.model.call("press_key", R"({"key":"pa\"ss\\wörd-1"})")
        .call("press_key", R"({"key":"pa\"ss\\w\u00f6rd-1"})")
        .say("pa\"ss\\wörd-1");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK_THAT(stage.recording(), !ContainsSubstring("rd-1"));
    CHECK(stage.replay().replies == 0);
}

TEST_CASE("titles that contain a secret, and those of redacted windows, are not recorded") {
    RecordedRun stage("observer");
    stage.options.secrets.add({.name = "mail", .read = [] { return "hunter2-hunter2"; }});
    stage.options.redaction.windows.push_back({.process = "keepass"});
    stage.desktop.set_windows({test::window(1, "hunter2-hunter2 - Editor", "editor"),
                               test::window(2, "Bank - KeePass", "keepass")});
    stage.model.call("click_element", ok_button).say("Done.");
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK_THAT(stage.recording(), !ContainsSubstring("hunter2") && !ContainsSubstring("Bank"));
    CHECK_THAT(stage.recording(), ContainsSubstring("secret://mail - Editor"));
}

TEST_CASE("without the option, nothing is recorded, and only commands are compared") {
    RecordedRun stage("observer");
    stage.options.record_desktop = false;
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    CHECK_FALSE(stage.store.contains(recording_name));
    const ReplayReport report = stage.replay();
    INFO(to_text(report));
    CHECK(report.identical());
    CHECK(report.results == 0);
    CHECK(report.commands == 12);
    CHECK(has(report.not_compared, "no recording of the desktop"));
}

// ---- differences --------------------------------------------------------------------------------

TEST_CASE("another rule of the guard is a difference in the turn of its action") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    ReplayOptions changed = stage.replay_options();
    changed.agent.guard.add(
        parse_guard_rules(R"({"rules": [{"name": "no typing", "when": {"effect": ["text"]},
                                         "then": "deny"}]})",
                          "test"),
        RuleOrigin::user);
    const ReplayReport report = stage.replay(changed);
    const ReplayDifference& result = difference(report, "the result of type_text");
    CHECK(result.turn == 2);
    CHECK(has(result.replayed, "user: no typing"));
    const ReplayDifference& input = difference(report, "input");
    CHECK(input.turn == 2);
    CHECK(has(input.recorded, "Grüße"));
    CHECK(input.replayed.empty());
    CHECK(report.differences.size() == 2); // the later turns are as in the run
    CHECK_THAT(to_text(report), ContainsSubstring("turn 2: input\n- "));
}

TEST_CASE("a replay that asks more than the run is compared, too") {
    RecordedRun stage("observer");
    stage.options.guard = Guard(GuardLevel::off);
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    ReplayOptions changed = stage.replay_options();
    changed.agent.guard = Guard(GuardLevel::strict);
    const ReplayReport report = stage.replay(changed);
    const ReplayDifference& questions = difference(report, "questions to the desktop");
    CHECK(questions.turn == 1);
    CHECK(has(questions.replayed, "password_fields"));
    CHECK(report.not_compared.empty()); // it continues to the end
    CHECK(report.commands == 12);
}

TEST_CASE("an action that only the replay permits is compared with the screen of the run") {
    RecordedRun stage("observer");
    stage.options.guard = Guard(GuardLevel::strict); // without a user
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    ReplayOptions changed = stage.replay_options();
    changed.agent.guard = Guard(GuardLevel::off);
    const ReplayReport report = stage.replay(changed);
    INFO(to_text(report));
    const ReplayDifference& input = difference(report, "input");
    CHECK(input.turn == 1);
    CHECK(input.recorded.empty());
    CHECK(has(input.replayed, "move to (100, 125)"));
    CHECK_THAT(to_text(report), !ContainsSubstring("stale_target"));
}

TEST_CASE("another behavior of a tool is a difference in its input") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    ReplayOptions changed = stage.replay_options();
    changed.agent.area.crop = winio::NormBox{0, 0, 500, 500}; // the click goes elsewhere
    const ReplayReport report = stage.replay(changed);
    const ReplayDifference& input = difference(report, "input");
    CHECK(input.turn == 1);
    CHECK(has(input.recorded, "move to (100, 125)"));
    CHECK(has(input.replayed, "move to"));
}

TEST_CASE("another reply is a difference in the command of its turn") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    stage.change(journal_name, replaced(stage.store.bytes(journal_name), R"(\"box\":[400,500])",
                                        R"(\"box\":[401,500])"));
    const ReplayReport report = stage.replay();
    const ReplayDifference& command = difference(report, "invoke");
    CHECK(command.turn == 1);
    CHECK(has(command.recorded, "400,500"));
    CHECK(has(command.replayed, "401,500"));
    CHECK(has(report.not_compared, "turn 1"));
}

TEST_CASE("bytes that decode to another reply are a difference in the turn of their request") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::string recording = stage.recording();
    SECTION("of a document") {
        stage.change(recording_name,
                     replaced(recording, R"(\\\"box\\\":[400,500])", R"(\\\"box\\\":[401,500])"));
        const ReplayReport report = stage.replay();
        const ReplayDifference& reply = difference(report, "the result of ask");
        CHECK(reply.turn == 1);
        CHECK(has(reply.recorded, "400,500"));
        CHECK(has(reply.replayed, "401,500"));
        CHECK(report.differences.size() == 1); // the replay continues with the reply of the run
        CHECK(report.replies == 5);
    }
    SECTION("that cannot be decoded") {
        stage.change(recording_name,
                     replaced(recording, R"("body":"{\"choices\")", R"("body":"{\"choicest\")"));
        const ReplayReport report = stage.replay();
        const ReplayDifference& reply = difference(report, "the result of ask");
        CHECK(reply.turn == 1);
        CHECK(has(reply.replayed, "vlm.bad_response"));
        CHECK(report.differences.size() == 1);
    }
}

TEST_CASE("another prompt is a difference in the request, which shows its lines") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run("paint a house").outcome == Outcome::completed);
    stage.change(journal_name, replaced(stage.store.bytes(journal_name),
                                        R"("task":"paint a house")", R"("task":"paint a tree")"));
    const ReplayReport report = stage.replay();
    const ReplayDifference& request = difference(report, "ask");
    CHECK(request.turn == 1);
    CHECK(has(request.recorded, "paint a house"));
    CHECK(has(request.replayed, "paint a tree"));
}

// ---- damaged files ------------------------------------------------------------------------------

TEST_CASE("a damaged recording is refused with its line") {
    RecordedRun stage("observer");
    let_click_and_type(stage);
    REQUIRE(stage.run().outcome == Outcome::completed);
    const std::string recording = stage.recording();
    const auto problem = [&](const std::string& changed) -> std::string {
        stage.change(recording_name, changed);
        try {
            return to_text(stage.replay());
        } catch (const Error& error) {
            CHECK(error.code() == agent::errc::bad_run);
            return error.what();
        }
    };
    const auto second_line = recording.find('\n') + 1;
    CHECK_THAT(problem(recording.substr(0, recording.find("type_text") / 2) + "\n"),
               ContainsSubstring("desktop.jsonl, line"));
    CHECK_THAT(
        problem(recording.substr(second_line)),
        ContainsSubstring("desktop.jsonl, line 1: the recording does not begin with a part"));
    CHECK_THAT(problem(replaced(recording, R"("format":1)", R"("format":2)")),
               ContainsSubstring("another version"));
    CHECK_THAT(problem(recording.substr(0, second_line)), ContainsSubstring("is incomplete"));
    CHECK_THAT(problem(replaced(recording, R"("command":"ask")", R"("command":"invoke")")),
               ContainsSubstring("does not belong to the journal"));
    CHECK_THAT(problem(replaced(recording, R"("bounds":[0,0,251,251])", R"("bounds":[0,0])")),
               ContainsSubstring("desktop.jsonl, line"));
    CHECK_THAT(problem(replaced(recording, R"("png":"iVBOR)", R"("png":"iVBOS)")),
               ContainsSubstring("desktop.jsonl, line"));
    CHECK_THAT(problem(replaced(recording, R"("of":"response","value":{"body":)",
                                R"("of":"response","value":{"base64":)")),
               ContainsSubstring("a response is not base64"));
    CHECK_THAT(problem(recording + R"({"type":"answ)"), ContainsSubstring("identical"));
}

TEST_CASE("a run without a journal is refused") {
    const MemoryStore store;
    CHECK_THROWS_AS(replay_run(store), Error);
}
