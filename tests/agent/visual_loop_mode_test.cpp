// Every transition of the visual loop's state machine, and of the mode that adds heat to others, without
// any I/O.
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "modes/heated_mode.hpp"
#include "modes/visual_loop/visual_loop_mode.hpp"

#include "catch.hpp"

using namespace eyehand;

namespace {

using namespace agent;

const std::string click = R"({"name":"click","x1":500,"y1":300})";
const std::string drag = R"({"name":"drag","x1":100,"y1":100,"x2":300,"y2":500})";

std::string reply_text(const std::string& actions, const std::string& more = {}) {
    return R"({"observation":"I see.","bboxes":[],"actions":[)" + actions + "]" + more + "}";
}

Profile profile(int max_turns = 3) {
    Profile it;
    it.name = "mine";
    it.mode = "visual_loop";
    it.system_prompt = "Do {{task}} with {{max_boxes}} and {{max_actions}}.{{extended_actions}}";
    it.model = "m";
    it.max_turns = max_turns;
    it.executed_heat.enabled = true;
    it.mode_settings = VisualLoopSettings{};
    it.settings<VisualLoopSettings>()->boot = reply_text("");
    it.settings<VisualLoopSettings>()->extended_prompt = " Or type.";
    return it;
}

VisualLoopMode mode_for(const Profile& it) { return {it, "the {{task}}"}; }

Fact observed(const std::string& hash = "h1") {
    Observed fact;
    fact.sha256 = hash;
    return fact;
}

Fact replied(const std::string& actions, const std::string& more = {}) {
    return Replied{{.text = reply_text(actions, more)}};
}

Fact words(const std::string& text) { return Replied{{.text = text}}; }

Fact told(const std::string& words) { return UserMessage{UserMessage::Kind::words, words}; }
Fact injected(const std::string& actions) {
    return UserMessage{UserMessage::Kind::reply, reply_text(actions)};
}

Fact invoked() {
    Invoked fact;
    fact.ok = true;
    fact.result_json = R"({"ok":true})";
    return fact;
}

Fact failed(const std::string& reason) {
    Invoked fact;
    fact.result_json = R"({"ok":false,"error":{"type":"x","message":")" + reason + R"("}})";
    return fact;
}

std::string word(const Mode& mode) {
    const Command command = mode.next();
    if (const auto* finish = std::get_if<Finish>(&command))
        return std::string(to_string(finish->outcome));
    if (const auto* invoke = std::get_if<Invoke>(&command)) return invoke->call.name;
    if (std::holds_alternative<Await>(command)) return "await";
    if (const auto* look = std::get_if<Observe>(&command))
        return "look" + std::to_string(look->screenshot);
    return "ask";
}

std::string path(Mode& mode, const std::vector<Fact>& facts) {
    std::string all = word(mode);
    for (const Fact& fact : facts) {
        mode.apply(fact);
        all.append(" ").append(word(mode));
    }
    return all;
}

vlm::ChatRequest request(const Mode& mode) { return std::get<Ask>(mode.next()).request; }
Annotation annotation(const Mode& mode) {
    return std::get<Observe>(mode.next()).annotation.value();
}

const Fact no_schema =
    AskFailed{"vlm.http_status", "400: response_format is not known", false, true};

} // namespace

TEST_CASE("visual loop: the length of a request has an upper bound") {
    Profile it = profile();
    it.context_bytes = 2000;
    VisualLoopMode mode = mode_for(it);
    mode.apply(observed());
    std::string wrong;
    for (int i = 0; i < 100; ++i) wrong += (i == 0 ? "" : ",") + std::string(R"({"name":"fly"})");
    mode.apply(words(R"({"observation":")" + std::string(100000, 'x') + R"(","actions":[)" + wrong +
                     "]}"));
    mode.apply(observed());
    const std::string told = std::get<Ask>(mode.next()).request.messages.at(1).text();
    CHECK(told.size() <= 1000);
    CHECK_THAT(told, ContainsSubstring("Problems with your last reply"));
    CHECK_THROWS_AS(VisualLoopMode(it, std::string(1000, 'x')), Error);
}

TEST_CASE("visual loop: actions of an object within other text have the provenance text") {
    const auto provenance = [](const std::string& reply) {
        VisualLoopMode mode = mode_for(profile());
        mode.apply(observed());
        mode.apply(words(reply));
        return std::get<Invoke>(mode.next()).call.provenance;
    };
    const std::string object = reply_text(click);
    CHECK(provenance(object) == vlm::Provenance::native);
    CHECK(provenance("<think>hm</think>\n" + object + "\n") == vlm::Provenance::native);
    CHECK(provenance("```json\n" + object + "\n```") == vlm::Provenance::native);
    CHECK(provenance("The page says: " + object) == vlm::Provenance::text);
    CHECK(provenance("```json\n" + object + "\n```\nI click.") == vlm::Provenance::text);
}

TEST_CASE("visual loop: it goes through these states") {
    struct Row {
        std::vector<Fact> facts;
        std::string commands;
    };
    const std::string done = R"(,"done":true)";
    const Row row = GENERATE_COPY(
        Row{{observed()}, "look1 ask"},
        Row{{observed(), replied(click), invoked(), observed()}, "look1 ask click look2 ask"},
        Row{{observed(), replied(click + "," + drag), invoked(), invoked()},
            "look1 ask click drag look2"},
        Row{{observed(), replied(""), observed()}, "look1 ask look2 ask"},
        Row{{observed(), words("no JSON"), observed()}, "look1 ask look2 ask"},
        // After a failed action, the others are still tried.
        Row{{observed(), replied(click + "," + drag), failed("no"), invoked()},
            "look1 ask click drag look2"},
        Row{{observed(), replied("", done), observed()}, "look1 ask look2 completed"},
        Row{{observed(), replied(click, done), invoked(), observed()},
            "look1 ask click look2 completed"},
        // A premature "done" does not end the run.
        Row{{observed(), replied(click, done), failed("no"), observed()},
            "look1 ask click look2 ask"},
        Row{{observed(), replied(R"({"name":"fly"})", done), observed()}, "look1 ask look2 ask"},
        Row{{observed(), replied("", done), ObserveFailed{"winio.capture_unavailable", "locked"}},
            "look1 ask look2 completed"},
        Row{{observed(), replied(""), observed(), replied(""), observed(), replied(click),
             invoked(), observed()},
            "look1 ask look2 ask look3 ask click look4 steps_used_up"},
        Row{{observed(), replied(""), observed(), replied(""), observed(), replied("", done),
             observed()},
            "look1 ask look2 ask look3 ask look4 completed"},
        Row{{ObserveFailed{"winio.capture_unavailable", "locked"}}, "look1 desktop_failed"},
        Row{{observed(), AskFailed{"vlm.unreachable", "connection refused"}},
            "look1 ask endpoint_failed"},
        Row{{observed(), AskFailed{"vlm.context_overflow", "too long", true}},
            "look1 ask endpoint_failed"},
        Row{{observed(), no_schema, replied("")}, "look1 ask ask look2"},
        Row{{observed(), no_schema, no_schema}, "look1 ask ask endpoint_failed"},
        Row{{Stopped{"user"}}, "look1 cancelled"},
        Row{{observed(), replied(click), Stopped{"user"}}, "look1 ask click cancelled"},
        Row{{observed(), replied("", done), observed(), Stopped{"user"}},
            "look1 ask look2 completed completed"});
    VisualLoopMode mode = mode_for(profile());
    CHECK(path(mode, row.facts) == row.commands);
}

TEST_CASE("visual loop: the boot reply's actions come first") {
    Profile it = profile();
    it.settings<VisualLoopSettings>()->boot = reply_text(click);
    VisualLoopMode mode = mode_for(it);
    CHECK(mode.state().turn == 1);
    CHECK(mode.state().phase == "executing");
    CHECK(path(mode, {invoked(), observed()}) == "click look1 ask");
    CHECK(mode.state().phase == "calling_model");
}

TEST_CASE("visual loop: without a boot reply, it waits for an injected one") {
    Profile it = profile();
    it.settings<VisualLoopSettings>()->boot = " ";
    CHECK_THROWS_AS(mode_of(it).check(it, Source::library), Error);
    mode_of(profile()).check(profile(), Source::library);
    VisualLoopMode mode = mode_for(it);
    CHECK(mode.state().phase == "waiting_inject");
    CHECK(mode.state().turn == 0);
    CHECK(path(mode, {told("Be quick."), injected(click), invoked(), observed()}) ==
          "await await click look1 ask");
    CHECK_THAT(request(mode).messages[1].text(), ContainsSubstring("The user says: Be quick."));
    VisualLoopMode stopped = mode_for(it);
    CHECK(path(stopped, {Stopped{"user"}}) == "await cancelled");
}

TEST_CASE("visual loop: an injected reply replaces the model's next one") {
    const std::string done = R"(,"done":true)";
    VisualLoopMode asking = mode_for(profile());
    CHECK(path(asking, {observed(), injected(click), invoked(), observed()}) ==
          "look1 ask click look2 ask");
    VisualLoopMode looking = mode_for(profile());
    CHECK(path(looking, {injected(click), observed(), invoked()}) == "look1 look1 click look2");
    VisualLoopMode finished = mode_for(profile());
    CHECK(path(finished, {observed(), replied("", done), observed(), injected(click)}) ==
          "look1 ask look2 completed click");
    // It does not count as an exchange with the model.
    VisualLoopMode short_of_steps = mode_for(profile(1));
    CHECK(path(short_of_steps, {observed(), injected(click), invoked(), observed()}) ==
          "look1 ask click look2 ask");
}

TEST_CASE(
    "visual loop: the model receives a message of the user once, and the run continues for it") {
    VisualLoopMode mode = mode_for(profile());
    path(mode, {told("Use the pen."), observed()});
    CHECK_THAT(request(mode).messages[1].text(), ContainsSubstring("The user says: Use the pen."));
    path(mode, {replied(""), observed()});
    CHECK_THAT(request(mode).messages[1].text(), !ContainsSubstring("The user says"));
    CHECK(path(mode, {replied("", R"(,"done":true)"), told("And save it."), observed()}) ==
          "ask look3 look3 ask");
    VisualLoopMode finished = mode_for(profile());
    CHECK(path(finished, {observed(), replied("", R"(,"done":true)"), observed(), told("More.")}) ==
          "look1 ask look2 completed ask");
}

TEST_CASE("visual loop: a message after the last turn leaves the run completed") {
    VisualLoopMode mode = mode_for(profile(1));
    CHECK(path(mode, {observed(), replied("", R"(,"done":true)"), observed(), told("Thanks.")}) ==
          "look1 ask look2 completed completed");
}

TEST_CASE("visual loop: a message after a failed last screenshot causes another screenshot") {
    VisualLoopMode mode = mode_for(profile());
    CHECK(path(mode, {observed(), replied("", R"(,"done":true)"),
                      ObserveFailed{"winio.capture_unavailable", "locked"}, told("More."),
                      observed()}) == "look1 ask look2 completed look2 ask");
}

TEST_CASE("visual loop: of two replies injected before the model's turn, the later one counts") {
    VisualLoopMode mode = mode_for(profile());
    CHECK(path(mode, {injected(click), injected(drag), observed()}) == "look1 look1 look1 drag");
    CHECK(mode.take_notes().at(0).kind == "reply");
}

TEST_CASE("visual loop: the model receives the prompt, its own observation and the screenshot, and "
          "no history") {
    Profile it = profile();
    it.settings<VisualLoopSettings>()->limits = {.boxes = 2, .actions = 7};
    VisualLoopMode mode = mode_for(it);
    path(mode, {observed("a"), replied(""), observed("b"), words("I am lost."), observed("c")});
    const auto asked = request(mode);
    REQUIRE(asked.messages.size() == 2);
    CHECK(asked.messages[0].role == vlm::Role::system);
    CHECK(asked.messages[0].text() == "Do the {{task}} with 2 and 7."); // in the user's task
    CHECK_THAT(asked.messages[1].text(),
               Catch::Matchers::StartsWith("I am lost.\n\nProblems with your last reply"));
    REQUIRE(asked.messages[1].parts.size() == 2);
    CHECK(std::get<vlm::Image>(asked.messages[1].parts[1]).sha256 == "c");
    CHECK(asked.tools.empty());
    CHECK(asked.model == "m");
}

TEST_CASE("visual loop: requests have a schema until the server rejects it") {
    VisualLoopMode mode = mode_for(profile());
    path(mode, {observed()});
    REQUIRE(request(mode).response_format);
    CHECK(request(mode).response_format->name == "visual_reply");
    path(mode, {no_schema});
    CHECK_FALSE(request(mode).response_format);
    CHECK(mode.take_notes().at(0).kind == "format");
    path(mode, {replied(""), observed()});
    CHECK_FALSE(request(mode).response_format);

    Profile plain = profile();
    plain.settings<VisualLoopSettings>()->structured = false;
    VisualLoopMode other = mode_for(plain);
    CHECK(path(other, {observed(), no_schema}) == "look1 ask endpoint_failed");
}

TEST_CASE("visual loop: the model is told about problems with its last reply, once") {
    VisualLoopMode mode = mode_for(profile());
    path(mode, {observed(), replied(click + R"(,{"name":"fly"},)" + drag), invoked(),
                failed("It is outside."), observed()});
    const std::string told = request(mode).messages[1].text();
    CHECK_THAT(told, ContainsSubstring("I see.\n\nProblems with your last reply"));
    CHECK_THAT(told, ContainsSubstring("Action 2: unknown action \"fly\""));
    CHECK_THAT(told, ContainsSubstring("Action 3 (drag) was not carried out: It is outside."));
    path(mode, {replied(""), observed()});
    CHECK(request(mode).messages[1].text() == "I see.");
}

TEST_CASE("visual loop: drafts in the thoughts are not executed") {
    for (const auto finish : {vlm::FinishReason::stop, vlm::FinishReason::length}) {
        VisualLoopMode mode = mode_for(profile());
        vlm::ChatReply draft;
        draft.reasoning = "I could answer " + reply_text(click, R"(,"done":true)") + " or wait.";
        draft.finish = finish;
        CHECK(path(mode, {observed(), Replied{draft}, observed()}) == "look1 ask look2 ask");
    }
    VisualLoopMode mode = mode_for(profile());
    vlm::ChatReply cut;
    cut.reasoning = reply_text(click);
    cut.finish = vlm::FinishReason::length;
    CHECK(path(mode, {observed(), Replied{cut}}) == "look1 ask look2");
}

TEST_CASE("visual loop: too many boxes do not prevent completion") {
    VisualLoopMode mode = mode_for(profile());
    std::string boxes;
    for (int i = 0; i < 9; ++i)
        boxes += std::string(i == 0 ? "" : ",") + R"({"x1":0,"y1":0,"x2":9,"y2":9})";
    CHECK(path(mode, {observed(),
                      words(R"({"observation":"All is done.","bboxes":[)" + boxes +
                            R"(],"actions":[],"done":true})"),
                      observed()}) == "look1 ask look2 completed");
}

TEST_CASE("visual loop: a reply that was cut off, is empty, or is in the thoughts") {
    VisualLoopMode mode = mode_for(profile(9));
    path(mode, {observed(),
                Replied{{.text = "{\"observation\":\"I s", .finish = vlm::FinishReason::length}},
                observed()});
    CHECK_THAT(request(mode).messages[1].text(), ContainsSubstring("cut off at the output limit"));
    path(mode, {words(R"({"actions":[]})"), observed()});
    CHECK(request(mode).messages[1].text() == "(Your last reply had no observation.)");
    vlm::ChatReply thought;
    thought.reasoning = reply_text(click);
    CHECK(path(mode, {Replied{thought}}) == "ask click");
}

TEST_CASE(
    "visual loop: after a call that was refused as stale, it looks again without using up a turn") {
    VisualLoopMode mode = mode_for(profile(1));
    Invoked stale = std::get<Invoked>(failed("The screen has changed."));
    stale.stale = StaleCall{"appearance", {}};
    // The second action is based on the same screenshot.
    CHECK(path(mode, {observed(), replied(click + "," + drag), stale, observed("h2")}) ==
          "look1 ask click look2 ask");
    const std::string told = request(mode).messages[1].text();
    CHECK_THAT(told, ContainsSubstring("The screen has changed."));
    CHECK_THAT(told, ContainsSubstring("Action 2 (drag) was not carried out, either."));
}

TEST_CASE("visual loop: each action is a call of the corresponding tool") {
    Profile it = profile();
    it.settings<VisualLoopSettings>()->limits.extended_actions = true;
    VisualLoopMode mode = mode_for(it);
    path(mode, {observed()});
    CHECK_THAT(request(mode).messages[0].text(), ContainsSubstring("and 8. Or type."));
    mode.apply(replied(R"({"name":"move","x1":1,"y1":2},{"name":"Right_Click","x1":3,"y1":4},)" +
                       drag +
                       R"(,{"name":"type","text":"a\"b"},{"name":"press","key":"enter"},)"
                       R"({"name":"scroll","x1":5,"y1":6,"direction":"up","amount":2})"));
    const std::vector<std::pair<std::string, std::string>> expected{
        {"move", R"({"x":1,"y":2})"},
        {"right_click", R"({"label":"action 2","box":[3,4]})"},
        {"drag", R"({"label":"action 3","start":[100,100],"end":[300,500]})"},
        {"type", R"({"text":"a\"b"})"},
        {"press", R"({"key":"enter"})"},
        {"scroll", R"({"box":[5,6],"direction":"up","amount":2})"}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto call = std::get<Invoke>(mode.next()).call;
        CHECK(call.id == "turn_2_action_" + std::to_string(i + 1));
        CHECK(call.name == expected[i].first);
        CHECK(call.arguments_json == expected[i].second);
        mode.apply(invoked());
    }
    // Actions without a place leave no mark.
    CHECK(annotation(mode).trail.at(0).size() == 4);
}

TEST_CASE("visual loop: the heat marks executed actions by turn, the latest first") {
    Profile it = profile(9);
    it.executed_heat.trail_turns = 3;
    VisualLoopMode mode = mode_for(it);
    CHECK(annotation(mode) == Annotation{{{}}, {}});
    const Mark at_click{1, {500, 300}, {}};
    const Mark at_drag{2, {100, 100}, winio::NormPoint{300, 500}};
    path(mode,
         {observed(), replied(click + "," + drag, R"(,"bboxes":[{"x1":1,"y1":2,"x2":3,"y2":4}])"),
          invoked(), invoked()});
    CHECK(annotation(mode).trail == std::vector<std::vector<Mark>>{{at_click, at_drag}, {}});
    path(mode, {observed(), replied(click + "," + drag), failed("no"), invoked()});
    CHECK(annotation(mode).trail ==
          std::vector<std::vector<Mark>>{{at_drag}, {at_click, at_drag}, {}});
    path(mode, {observed(), replied("")});
    CHECK(annotation(mode).trail ==
          std::vector<std::vector<Mark>>{{}, {at_drag}, {at_click, at_drag}});
    path(mode, {observed(), replied("")});
    CHECK(annotation(mode).trail == std::vector<std::vector<Mark>>{{}, {}, {at_drag}});
}

TEST_CASE("visual loop: the boxes are those of the current reply") {
    VisualLoopMode mode = mode_for(profile());
    path(mode, {observed(), words(R"({"bboxes":[{"x1":1,"y1":2,"x2":3,"y2":4}]})")});
    CHECK(annotation(mode).boxes == std::vector<winio::NormBox>{{1, 2, 3, 4}});
    REQUIRE(mode.state().reply);
    CHECK(mode.state().reply->boxes.size() == 1);
    path(mode, {observed(), replied("")});
    CHECK(annotation(mode).boxes.empty());
}

TEST_CASE("visual loop: an action that the desktop refuses ends the run with its reason") {
    VisualLoopMode mode = mode_for(profile());
    Invoked refused;
    refused.desktop_failure = "input was refused";
    CHECK(path(mode, {observed(), replied(click), refused}) == "look1 ask click desktop_failed");
    CHECK(std::get<Finish>(mode.next()).reason == "input was refused");
}

TEST_CASE("visual loop: the observation of the last reply is the reason of the outcome") {
    VisualLoopMode mode = mode_for(profile());
    path(mode,
         {observed(), words(R"({"observation":"The file is saved.","done":true})"), observed()});
    CHECK(std::get<Finish>(mode.next()).reason == "The file is saved.");
}

// ---- heat in other modes ------------------------------------------------------------------------

namespace {

/// Returns the commands of a list.
class Scripted final : public Mode {
public:
    explicit Scripted(std::vector<Command> commands) : commands_(std::move(commands)) {}
    [[nodiscard]] Command next() const override { return commands_.at(at_); }
    void apply(const Fact&) override {
        ++at_;
        note("step", "applied");
    }
    [[nodiscard]] ModeState state() const override { return {static_cast<int>(at_) / 2, "x"}; }

private:
    std::vector<Command> commands_;
    std::size_t at_ = 0;
};

Fact acted(std::vector<winio::NormPoint> points, bool ok = true, bool acts = true) {
    Invoked fact;
    fact.ok = ok;
    fact.action = {"click", std::move(points), {}, acts};
    return fact;
}

} // namespace

TEST_CASE("heat: screenshots show the places of the latest actions in every mode") {
    HeatedMode mode(std::make_unique<Scripted>(std::vector<Command>(20, Observe{1})), 2);
    CHECK_FALSE(std::get<Observe>(mode.next()).annotation);
    mode.apply(acted({{1, 2}}, false));       // failed
    mode.apply(acted({{1, 2}}, true, false)); // only a screenshot
    CHECK_FALSE(std::get<Observe>(mode.next()).annotation);
    mode.apply(acted({{1, 2}})); // turn 1
    mode.apply(acted({{3, 4}, {5, 6}}));
    const std::vector<Mark> marks{{1, {1, 2}, {}}, {2, {3, 4}, winio::NormPoint{5, 6}}};
    CHECK(annotation(mode).trail == std::vector<std::vector<Mark>>{marks});
    CHECK(mode.take_notes().size() == 4);
    mode.apply(acted({})); // typed text has no place, and ages the other marks
    CHECK(annotation(mode).trail == std::vector<std::vector<Mark>>{{}, marks});
    mode.apply(acted({}));
    mode.apply(acted({}));
    CHECK_FALSE(std::get<Observe>(mode.next()).annotation);
    CHECK(mode.state().phase == "x");
}

TEST_CASE("heat: the prompt of the role with screenshots explains it") {
    Profile one;
    one.system_prompt = "Work.";
    CHECK_THAT(with_heat_explained(one).system_prompt, ContainsSubstring("Orange spots"));
    Profile two;
    two.mode = "team";
    two.mode_settings = TeamSettings{};
    two.settings<TeamSettings>()->lead.system_prompt = "Plan.";
    two.settings<TeamSettings>()->worker.system_prompt = "Work.";
    const Profile told = with_heat_explained(two);
    CHECK(told.settings<TeamSettings>()->lead.system_prompt == "Plan.");
    CHECK_THAT(told.settings<TeamSettings>()->worker.system_prompt,
               ContainsSubstring("Orange spots"));
}
