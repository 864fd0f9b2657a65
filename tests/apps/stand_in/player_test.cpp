#include "player.hpp"

#include "catch.hpp"
#include "phrase.hpp"
#include "profiles.hpp"

using namespace stand_in;
using namespace stand_in_test;

namespace {

Segment segment(int x, int y, const std::string& text) {
    const int width = 8 * static_cast<int>(text.size());
    return {{x, y, width, 10}, {{Word{text, {x, y, width, 10}, 95}}}};
}

Screen showing(std::vector<Segment> segments) { return {1001, 1001, std::move(segments)}; }

const Screen desktop = showing({segment(10, 20, "File"), segment(60, 20, "Edit")});
const Screen menu =
    showing({segment(10, 20, "File"), segment(60, 20, "Edit"), segment(10, 50, "Save as...")});
const Screen alert = showing({segment(400, 400, "Updates are ready")});

/// An agent that sends requests to the player, turn by turn.
class Talk {
public:
    Talk(const std::string& script, json::array tools, const Coordinates& coordinates = {})
        : script_(parse_script(script)), coordinates_(coordinates) {
        request_.tools = std::move(tools);
        request_.text = "the task";
    }

    Reply see(const Screen& screen) { return send(screen, true); }
    Reply see_nothing_new(const Screen& old) { return send(old, false); }
    Reply see_nothing() { return send(std::nullopt, false); }
    void offer(json::array tools) { request_.tools = std::move(tools); }
    Reply see_after_failure(const Screen& screen) {
        request_.failure = R"({"ok":false})";
        Reply reply = send(screen, true);
        request_.failure.clear();
        return reply;
    }
    // Makes the next request the first one of a conversation.
    void begin_again() { request_.has_assistant_message = false; }
    void say(const std::string& text) { request_.text = text; }

private:
    Reply send(const std::optional<Screen>& screen, bool is_new) {
        request_.image = screen ? std::optional<std::string>("png") : std::nullopt;
        request_.image_is_new = is_new;
        Turn turn = play(script_, progress_, request_, screen, coordinates_);
        progress_ = turn.progress;
        request_.has_assistant_message = true;
        return turn.reply;
    }

    Script script_;
    Coordinates coordinates_;
    ChatRequest request_;
    Progress progress_;
};

Coordinates in(std::string_view convention) { return {convention_of(convention), {}, 0}; }

std::string name_of(const Reply& reply) { return reply.call ? reply.call->name : "no call"; }

std::string arguments_of(const Reply& reply) {
    return reply.call ? json::serialize(reply.call->arguments) : "no call";
}

} // namespace

TEST_CASE("A click has the position of the text in thousandths of the screen") {
    Talk talk(R"({"steps": [{"click": "File"}]})", observer_tools());
    CHECK(arguments_of(talk.see(desktop)) == R"({"label":"File","box":[10,20,41,29]})");
}

TEST_CASE("Lists and named arguments have the numbers of the convention") {
    const Screen screen{1920, 1080, {segment(959, 539, "File")}};
    const std::string script = R"({"steps": [{"click": "File"}]})";
    const auto clicks = [&](const json::array& tools, std::string_view convention) {
        Talk talk(script, tools, in(convention));
        return arguments_of(talk.see(screen));
    };
    CHECK(clicks(observer_tools(), "image_pixels") ==
          R"({"label":"File","box":[959,539,990,548]})");
    CHECK(clicks(observer_tools(), "norm1000_yx") == R"({"label":"File","box":[500,500,508,516]})");
    CHECK_THAT(clicks(commander_tools(), "image_pixels"),
               ContainsSubstring(R"("position":[975,544])"));
    CHECK_THAT(clicks(commander_tools(), "norm1000_yx"),
               ContainsSubstring(R"("position":[504,508])"));
    CHECK(clicks(basic_tools(), "image_pixels") == R"({"x":975,"y":544})");
    CHECK(clicks(basic_tools(), "norm1000_yx") == R"({"x":508,"y":504})");
}

TEST_CASE("A drag and a scroll have the numbers of the convention, too") {
    const Screen screen{1920, 1080, {segment(100, 200, "File"), segment(700, 200, "Edit")}};
    const std::string script = R"({"steps": [{"drag": "File", "to": "Edit"}]})";
    Talk pixels(script, commander_tools(), in("image_pixels"));
    CHECK_THAT(arguments_of(pixels.see(screen)),
               ContainsSubstring(R"("start":[116,205],"end":[716,205])"));
    Talk y_first(script, commander_tools(), in("norm1000_yx"));
    CHECK_THAT(arguments_of(y_first.see(screen)),
               ContainsSubstring(R"("start":[190,60],"end":[190,373])"));
    Talk scroll(R"({"steps": [{"scroll": "down"}]})", observer_tools(), in("image_pixels"));
    CHECK_THAT(arguments_of(scroll.see(screen)), ContainsSubstring(R"("box":[959,539,960,540])"));
}

TEST_CASE("A scroll in pixels needs the size of a screenshot") {
    const std::string script = R"({"steps": [{"scroll": "down"}]})";
    Talk pixels(script, observer_tools(), in("image_pixels"));
    CHECK(name_of(pixels.see_nothing()) == "observe_screen");
    CHECK(name_of(pixels.see_nothing_new(desktop)) == "scroll_at_position");
    Talk thousandths(script, observer_tools());
    CHECK_THAT(arguments_of(thousandths.see_nothing()),
               ContainsSubstring(R"("box":[500,500,500,500])"));
}

TEST_CASE("Each position of a conversation has its own error, and each conversation the same") {
    const std::string script = R"({"steps": [{"click": "File", "times": 2}]})";
    const Coordinates coordinates{convention_of("unit"), {100, 0}, 50};
    Talk talk(script, basic_tools(), coordinates);
    const std::string first = arguments_of(talk.see(desktop));
    (void)talk.see_nothing_new(desktop); // the click at the pointer has no position
    const std::string second = arguments_of(talk.see(desktop));
    CHECK(first != second);
    Talk again(script, basic_tools(), coordinates);
    CHECK(arguments_of(again.see(desktop)) == first);
    (void)again.see_nothing_new(desktop);
    CHECK(arguments_of(again.see(desktop)) == second);
    again.begin_again();
    CHECK(arguments_of(again.see(desktop)) == first);
}

TEST_CASE("A text in a moved window is clicked in its new place") {
    Talk talk(R"({"steps": [{"click": "File"}]})", observer_tools());
    const Screen elsewhere = showing({segment(510, 720, "File")});
    CHECK(arguments_of(talk.see(elsewhere)) == R"({"label":"File","box":[510,720,541,729]})");
}

TEST_CASE("Each reply executes one step, and the end is a reply without a call") {
    Talk talk(R"({"steps": [{"click": "File"}, {"type": "Zażółć\n你好"}, {"press": "ctrl+s"}]})",
              observer_tools());
    CHECK(name_of(talk.see(desktop)) == "click_element");
    CHECK(arguments_of(talk.see(desktop)) == R"({"text":"Zażółć\n你好"})");
    CHECK(arguments_of(talk.see(desktop)) == R"({"key":"ctrl+s"})");
    const Reply last = talk.see(desktop);
    CHECK_FALSE(last.call);
    CHECK_THAT(last.content, ContainsSubstring("is complete"));
    CHECK(last.done);
}

TEST_CASE("A missing text leads to new screenshots, then to a statement, never to a guess") {
    Talk talk(R"({"patience": 2, "steps": [{"click": "File"}]})", observer_tools());
    for (int look = 0; look < 2; ++look) {
        const Reply reply = talk.see(alert);
        CHECK(name_of(reply) == "observe_screen");
        CHECK(reply.content == "I do not see \"File\" on the screen; I look again.");
    }
    const Reply reply = talk.see(alert);
    CHECK_FALSE(reply.call);
    CHECK(reply.content == "I cannot see \"File\" on the screen. I see: \"Updates are ready\".");
    CHECK_FALSE(reply.done);
}

TEST_CASE("Without a screenshot tool the statement comes at once") {
    Talk talk(R"({"steps": [{"click": "File"}]})", clicking_tools());
    const Reply reply = talk.see(alert);
    CHECK_FALSE(reply.call);
    CHECK_THAT(reply.content, ContainsSubstring("I cannot see \"File\""));
}

TEST_CASE("The script continues when the text that it waits for appears") {
    Talk talk(R"({"steps": [{"wait_for": "Edit"}, {"click": "File"}]})", observer_tools());
    CHECK(name_of(talk.see(alert)) == "observe_screen");
    CHECK(name_of(talk.see(desktop)) == "click_element");
}

TEST_CASE("A step for a dialog is skipped without the dialog") {
    const std::string script =
        R"({"steps": [{"click": "Updates are ready", "if_visible": "Updates"}, {"click": "Edit"}]})";
    Talk without(script, observer_tools());
    CHECK_THAT(arguments_of(without.see(desktop)), ContainsSubstring("Edit"));
    Talk with(script, observer_tools());
    CHECK_THAT(arguments_of(with.see(alert)), ContainsSubstring("Updates"));
}

TEST_CASE(
    "A missing effect leads to one more screenshot, then to repetitions, then to a statement") {
    Talk talk(R"({"steps": [{"click": "File", "expect": "Save as..."}]})", observer_tools());
    for (int attempt = 0; attempt < 3; ++attempt) {
        CHECK(name_of(talk.see(desktop)) == "click_element");
        CHECK(name_of(talk.see(desktop)) == "observe_screen");
    }
    const Reply reply = talk.see(desktop);
    CHECK_FALSE(reply.call);
    CHECK_THAT(reply.content, ContainsSubstring("I tried 3 times to click \"File\""));
    CHECK_THAT(reply.content, ContainsSubstring("I do not see \"Save as...\" on the screen"));
}

TEST_CASE("A key is repeated only after all additional screenshots: twice does something else") {
    Talk talk(R"({"patience": 4, "steps": [{"press": "right", "expect": "Save as..."}]})",
              observer_tools());
    CHECK(name_of(talk.see(desktop)) == "press_key");
    for (int look = 0; look < 4; ++look) CHECK(name_of(talk.see(desktop)) == "observe_screen");
    CHECK(name_of(talk.see(desktop)) == "press_key");
}

TEST_CASE("A key for a menu that has closed is repeated after the menu is open again") {
    Talk talk(R"({"steps": [{"press": "alt+f", "expect": "Save as..."},
                            {"press": "up", "expect": "Updates", "needs": "Save as..."}]})",
              observer_tools());
    const auto presses = [](const Reply& reply, const std::string& keys) {
        return name_of(reply) == "press_key" &&
               arguments_of(reply).find('"' + keys + '"') != std::string::npos;
    };
    CHECK(presses(talk.see(desktop), "alt+f"));
    CHECK(presses(talk.see(menu), "up"));
    for (int look = 0; look < 3; ++look) CHECK(name_of(talk.see(menu)) == "observe_screen");
    CHECK(presses(talk.see(menu), "up")); // the menu is still open
    for (int look = 0; look < 3; ++look) CHECK(name_of(talk.see(desktop)) == "observe_screen");
    CHECK(presses(talk.see(desktop), "alt+f"));
    CHECK(presses(talk.see(menu), "up"));
    CHECK_THAT(talk.see(alert).content, ContainsSubstring("is complete"));
}

TEST_CASE("An effect that comes after the additional screenshot makes a repetition needless") {
    Talk talk(R"({"steps": [{"click": "File", "expect_gone": "Edit"}, {"press": "enter"}]})",
              observer_tools());
    CHECK(name_of(talk.see(desktop)) == "click_element");
    CHECK(name_of(talk.see(desktop)) == "observe_screen");
    const Screen closing = showing({segment(60, 20, "Edit")}); // without the target of a repetition
    CHECK(name_of(talk.see(closing)) == "observe_screen");
    CHECK(name_of(talk.see(alert)) == "press_key");
}

TEST_CASE("A visible effect lets the script continue") {
    Talk talk(R"({"steps": [{"click": "File", "expect": "Save as..."}, {"click": "Save as..."}]})",
              observer_tools());
    (void)talk.see(desktop);
    CHECK_THAT(arguments_of(talk.see(menu)), ContainsSubstring("Save as..."));
}

TEST_CASE("A text that should be gone but is visible counts as a missing effect") {
    Talk talk(R"({"steps": [{"click": "Save as...", "expect_gone": "Save as..."}]})",
              clicking_tools());
    CHECK(name_of(talk.see(menu)) == "click_element");
    CHECK(name_of(talk.see(menu)) == "click_element");
    CHECK_THAT(talk.see(desktop).content, ContainsSubstring("is complete"));
}

TEST_CASE("A step whose tool reported a failure is repeated at most twice") {
    Talk talk(R"({"steps": [{"press": "enter"}, {"click": "Edit"}]})", observer_tools());
    CHECK(name_of(talk.see(desktop)) == "press_key");
    CHECK(name_of(talk.see_after_failure(desktop)) == "press_key");
    CHECK(name_of(talk.see_after_failure(desktop)) == "press_key");
    const Reply reply = talk.see_after_failure(desktop);
    CHECK_FALSE(reply.call);
    CHECK_THAT(reply.content, ContainsSubstring("The tool reported a failure"));
}

TEST_CASE("Without a screenshot the first call takes one") {
    Talk talk(R"({"steps": [{"click": "File"}]})", basic_tools());
    CHECK(name_of(talk.see_nothing()) == "take_screenshot");
    CHECK(name_of(talk.see(desktop)) == "move_mouse");
}

TEST_CASE("A screenshot from before the last action is not used if a tool can take a new one") {
    Talk talk(R"({"steps": [{"click": "File"}, {"click": "Edit"}]})", observer_tools());
    (void)talk.see(desktop);
    CHECK(name_of(talk.see_nothing_new(desktop)) == "observe_screen");
    CHECK(name_of(talk.see(desktop)) == "click_element");
}

TEST_CASE("Pointing and clicking are two turns if the click takes no position") {
    Talk talk(R"({"steps": [{"click": "File"}, {"type": "a"}]})", basic_tools());
    CHECK(arguments_of(talk.see(desktop)) == R"({"x":26,"y":25})");
    CHECK(name_of(talk.see_nothing_new(desktop)) == "click_mouse");
    CHECK(name_of(talk.see_nothing_new(desktop)) == "type_text");
}

TEST_CASE("A drag goes from one text to another") {
    Talk talk(R"({"steps": [{"drag": "File", "to": "Edit"}]})", commander_tools());
    const Reply reply = talk.see(desktop);
    CHECK(name_of(reply) == "drag_element");
    CHECK_THAT(arguments_of(reply), ContainsSubstring(R"("start":[26,25],"end":[76,25])"));
    CHECK(reply.content == "I drag from \"File\" to \"Edit\".");
}

TEST_CASE("A drag to an invisible target is not started") {
    Talk talk(R"({"patience": 0, "steps": [{"drag": "File", "to": "Trash"}]})", commander_tools());
    const Reply reply = talk.see(desktop);
    CHECK_FALSE(reply.call);
    CHECK_THAT(reply.content, ContainsSubstring("I cannot see \"Trash\""));
}

TEST_CASE("A step that no tool can express leads to a statement") {
    Talk talk(R"({"steps": [{"press": "ctrl+s"}]})", basic_tools());
    const Reply reply = talk.see(desktop);
    CHECK_FALSE(reply.call);
    CHECK(reply.content == "No offered tool can press \"ctrl+s\".");
}

TEST_CASE("A double click is not replaced by another action") {
    Talk talk(R"({"steps": [{"double_click": "File"}]})", basic_tools());
    CHECK_THAT(talk.see(desktop).content, ContainsSubstring("No offered tool can"));
}

TEST_CASE("The end is reported with evidence if a tool takes it, otherwise in words") {
    const std::string script = R"({"steps": [{"finish": "Edit", "say": "All done."}]})";
    Talk team(script, planner_tools());
    const Reply report = team.see(desktop);
    REQUIRE(report.call);
    CHECK(report.call->name == "report_mission_complete");
    CHECK(report.done);
    CHECK(code_points(report.call->arguments.at("evidence").as_string()) >= 100);

    Talk alone(script, observer_tools());
    const Reply words = alone.see(desktop);
    CHECK_FALSE(words.call);
    CHECK(words.content == "All done.");
    CHECK(words.done);
}

TEST_CASE("The end is not reported before its text is visible") {
    Talk talk(R"({"patience": 0, "steps": [{"finish": "Edit"}]})", planner_tools());
    CHECK_FALSE(talk.see(alert).call);
    CHECK(talk.see(desktop).call);
}

TEST_CASE("A new conversation begins with the first step") {
    Talk talk(R"({"steps": [{"click": "File"}, {"click": "Edit"}]})", observer_tools());
    (void)talk.see(desktop);
    talk.begin_again();
    CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("File"));
}

TEST_CASE("In a team only the text of the first request starts the script again") {
    Talk talk(R"({"steps": [{"click": "File"}, {"click": "Edit"}, {"click": "File"}]})",
              commander_tools());
    (void)talk.see(desktop);
    talk.begin_again();
    talk.say("the task, turn 2");
    CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("Edit"));
    talk.begin_again();
    talk.say("the task");
    CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("File"));
}

TEST_CASE("A lead without a screenshot briefs the operator with the next step") {
    Talk talk(R"({"steps": [{"click": "File"}]})", briefing_tools());
    const Reply reply = talk.see_nothing();
    REQUIRE(reply.call);
    CHECK(reply.call->name == "spawn_operator");
    CHECK_THAT(arguments_of(reply), ContainsSubstring(R"(Next: click \"File\".)"));
}

TEST_CASE("The lead orders the next objective, and repeats it until it is reached") {
    Talk talk(R"({"steps": [{"objective": "Look around"}, {"click": "File"}, {"report": "DONE"},
                            {"objective": "Edit it"}, {"click": "Edit"}, {"click": "File"}]})",
              briefing_tools());
    const auto orders = [&] {
        talk.offer(briefing_tools());
        return arguments_of(talk.see_nothing());
    };
    const auto acts = [&] {
        talk.offer(commander_tools());
        talk.begin_again();
        talk.say("another turn");
        return talk.see(desktop);
    };
    CHECK_THAT(orders(), ContainsSubstring(R"(Objective: Look around. Next: click \"File\".)"));
    CHECK_THAT(arguments_of(acts()), ContainsSubstring("File"));
    const Reply report = acts();
    CHECK(name_of(report) == "report_progress");
    CHECK_THAT(arguments_of(report),
               ContainsSubstring(R"("objective_id":"Look around","status":"DONE")"));
    CHECK_THAT(orders(), ContainsSubstring(R"(Objective: Edit it. Next: click \"Edit\".)"));
    CHECK_THAT(arguments_of(acts()), ContainsSubstring("Edit"));
    CHECK_THAT(orders(), ContainsSubstring("Objective: Edit it."));
    CHECK_THAT(arguments_of(acts()), ContainsSubstring("File"));
}

TEST_CASE("An agent without a lead skips objectives and reports") {
    Talk talk(R"({"steps": [{"objective": "Look"}, {"report": "BLOCKED"}, {"click": "Edit"}]})",
              observer_tools());
    CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("Edit"));
}

TEST_CASE("Full memory is archived except the last two turns") {
    Talk talk(R"({"steps": [{"click": "File"}]})", briefing_tools());
    const std::string memory = "MEMORY\n- turn 2: click -> ok\n- turn 3: type -> ok\n"
                               "- turn 4: press -> ok\n- turn 6: press -> ok";
    talk.say("Archive turns when you read MEMORY IS FULL.\n" + memory);
    CHECK(name_of(talk.see_nothing()) == "spawn_operator");
    talk.say("MEMORY\n\nMEMORY IS FULL\n4 actions are active.\n\n" + memory);
    const Reply reply = talk.see_nothing();
    CHECK(name_of(reply) == "compress_memory");
    CHECK_THAT(arguments_of(reply), ContainsSubstring(R"("archived_turns":[2,3])"));
}

TEST_CASE("An agent without a screenshot tool reports IN_PROGRESS") {
    Talk talk(R"({"steps": [{"wait_for": "Save as..."}, {"click": "Save as..."}]})",
              commander_tools());
    const Reply reply = talk.see(desktop);
    CHECK(name_of(reply) == "report_progress");
    CHECK_THAT(arguments_of(reply), ContainsSubstring("IN_PROGRESS"));
    talk.begin_again();
    talk.say("the next turn");
    CHECK(name_of(talk.see(menu)) == "click_element");
}

TEST_CASE("A step with times is repeated that often, whatever its result") {
    Talk talk(R"({"steps": [{"click": "File", "times": 3}, {"click": "Edit"}]})", observer_tools());
    for (int i = 0; i < 3; ++i)
        CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("File"));
    CHECK_THAT(arguments_of(talk.see(desktop)), ContainsSubstring("Edit"));
}

TEST_CASE("The same request gives the same turn") {
    const Script script = parse_script(R"({"steps": [{"click": "File"}]})");
    ChatRequest request;
    request.tools = observer_tools();
    request.image = "png";
    request.image_is_new = true;
    const Turn once = play(script, {}, request, desktop);
    const Turn twice = play(script, {}, request, desktop);
    CHECK(once.note == twice.note);
    CHECK(arguments_of(once.reply) == arguments_of(twice.reply));
}

TEST_CASE("The note on a turn is one line, even if the typed text has several") {
    const Script script = parse_script(R"({"steps": [{"type": "a\nb"}]})");
    ChatRequest request;
    request.tools = observer_tools();
    const Turn turn = play(script, {}, request, std::nullopt);
    CHECK(turn.note.find('\n') == std::string::npos);
    CHECK_THAT(turn.note, ContainsSubstring("step 1 of 1"));
}
