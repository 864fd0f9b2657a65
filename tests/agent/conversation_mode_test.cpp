// Every transition of the conversation's state machine, without any I/O.
#include "base/latest_image.hpp"
#include "modes/conversation/conversation_mode.hpp"

#include "catch.hpp"
#include "eyehand/agent/error.hpp"

using namespace eyehand;

namespace {

using namespace agent;

Profile profile(int max_turns = 3) {
    Profile it;
    it.system_prompt = "be careful";
    it.model = "m";
    it.max_turns = max_turns;
    return it;
}

ConversationMode mode_for(const Profile& it) { return {it, "the task", {{"look", "", "{}"}}}; }

Fact observed(const std::string& hash = "h1") {
    Observed fact;
    fact.sha256 = hash;
    fact.file = "screenshots/turn_0001.png";
    fact.size = {1536, 864};
    return fact;
}

Fact words(const std::string& text) { return Replied{{.text = text}}; }

Fact cut_off(vlm::FinishReason reason) {
    return Replied{{.text = "I now open the", .finish = reason}};
}

Fact calls(std::vector<std::string> names) {
    vlm::ChatReply reply;
    for (const std::string& name : names) {
        reply.tool_calls.push_back(
            {"id" + std::to_string(reply.tool_calls.size()), name, "{}", {}});
    }
    return Replied{reply};
}

Fact invoked(const std::string& result = R"({"ok":true})", bool wants_screenshot = false) {
    Invoked fact;
    fact.call_id = "id0";
    fact.ok = true;
    fact.result_json = result;
    fact.wants_screenshot = wants_screenshot;
    return fact;
}

/// The command in one word, for tables.
std::string word(const Mode& mode) {
    const Command command = mode.next();
    if (const auto* finish = std::get_if<Finish>(&command))
        return std::string(to_string(finish->outcome));
    if (std::holds_alternative<Observe>(command)) return "observe";
    if (std::holds_alternative<Ask>(command)) return "ask";
    if (std::holds_alternative<Recover>(command)) return "recover";
    return "invoke";
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

std::string roles(const vlm::ChatRequest& request) {
    std::string all;
    for (const auto& message : request.messages) all += vlm::to_string(message.role).substr(0, 1);
    return all;
}

} // namespace

TEST_CASE("the conversation goes through these states") {
    struct Row {
        std::vector<Fact> facts;
        std::string commands;
    };
    const Row row = GENERATE(
        Row{{observed(), words("done")}, "observe ask completed"},
        Row{{observed(), words("<think>x</think>done")}, "observe ask completed"},
        Row{{observed(), words(""), words("")}, "observe ask ask failed"},
        Row{{observed(), words("<think>x</think>"), words("<think>x</think>")},
            "observe ask ask failed"},
        Row{{observed(), words(""), words("done")}, "observe ask ask completed"},
        Row{{observed(), words(""), calls({"a"}), invoked(), words(""), words("")},
            "observe ask ask invoke ask ask failed"},
        Row{{observed(), calls({"click"}), invoked(), words("done")},
            "observe ask invoke ask completed"},
        Row{{observed(), calls({"look"}), invoked("", true), observed("h2"), words("done")},
            "observe ask invoke observe ask completed"},
        Row{{observed(), calls({"a"}), invoked(), calls({"b"}), invoked(), calls({"c"}), invoked()},
            "observe ask invoke ask invoke ask invoke steps_used_up"},
        Row{{observed(), calls({"a"}), invoked(), calls({"b"}), invoked(), calls({"look"}),
             invoked("", true)},
            "observe ask invoke ask invoke ask invoke steps_used_up"},
        Row{{observed(), cut_off(vlm::FinishReason::length)}, "observe ask failed"},
        Row{{observed(), cut_off(vlm::FinishReason::content_filter)}, "observe ask failed"},
        Row{{observed(), cut_off(vlm::FinishReason::unknown)}, "observe ask completed"},
        Row{{observed(), words("done"), Stopped{"user"}}, "observe ask completed completed"},
        Row{{observed(), calls({"a"}), invoked(), calls({"b"}), invoked(), calls({"c"}), invoked(),
             Stopped{"user"}},
            "observe ask invoke ask invoke ask invoke steps_used_up cancelled"},
        Row{{ObserveFailed{"winio.capture_unavailable", "locked"}}, "observe desktop_failed"},
        Row{{observed(), AskFailed{"vlm.unreachable", "connection refused"}},
            "observe ask endpoint_failed"},
        Row{{Stopped{"user"}}, "observe cancelled"},
        Row{{observed(), Stopped{"user"}}, "observe ask cancelled"},
        Row{{observed(), calls({"click"}), Stopped{"user"}}, "observe ask invoke cancelled"});
    ConversationMode mode = mode_for(profile());
    CHECK(path(mode, row.facts) == row.commands);
}

TEST_CASE("a reply with neither text nor a call gets a reminder in the same turn") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(words(""));
    CHECK(mode.state().turn == 1);
    REQUIRE(roles(request(mode)) == "suau");
    CHECK_THAT(request(mode).messages.at(3).text(),
               ContainsSubstring("neither text nor a tool call"));
    const auto notes = mode.take_notes();
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].kind == "reminder");
    mode.apply(words(""));
    CHECK_THAT(std::get<Finish>(mode.next()).reason, ContainsSubstring("after a reminder"));
}

TEST_CASE("the model reads the effect of an action if it is known") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(calls({"click"}));
    Invoked fact = std::get<Invoked>(invoked());
    fact.ok = true;
    fact.result_json = R"({"ok":true,"x":5})";
    fact.effect = winio::ActionEffect::no_visible_change;
    mode.apply(fact);
    CHECK(request(mode).messages.at(3).text() ==
          R"({"ok":true,"x":5,"effect":"no_visible_change"})");
}

TEST_CASE("messages of the user reach the model, but never between a call and its result") {
    const Fact told = UserMessage{UserMessage::Kind::words, "Be quick."};
    struct Row {
        std::vector<Fact> facts;
        std::string commands;
        std::string roles; ///< of the messages in the next request
    };
    const Row row = GENERATE_COPY(
        Row{{told, observed()}, "observe observe ask", "suu"},
        Row{{observed(), told}, "observe ask ask", "suu"},
        Row{{observed(), calls({"a"}), told, invoked()}, "observe ask invoke invoke ask", "suatu"},
        Row{{observed(), calls({"look"}), invoked("", true), told, observed("h2")},
            "observe ask invoke observe observe ask",
            "suatuu"},
        Row{{observed(), words("done"), told}, "observe ask completed ask", "suau"});
    ConversationMode mode = mode_for(profile());
    CHECK(path(mode, row.facts) == row.commands);
    CHECK(roles(request(mode)) == row.roles);
    CHECK(request(mode).messages.back().text() == "The user says: Be quick.");
}

TEST_CASE("a message during the answer of the last turn leaves the answer unchanged") {
    ConversationMode mode = mode_for(profile(1));
    CHECK(
        path(mode, {observed(), words("done"), UserMessage{UserMessage::Kind::words, "thanks"}}) ==
        "observe ask completed completed");
}

TEST_CASE("a conversation takes no injected replies") {
    ConversationMode mode = mode_for(profile());
    CHECK(path(mode, {observed(), UserMessage{UserMessage::Kind::reply, "done"}}) ==
          "observe ask ask");
    CHECK(roles(request(mode)) == "su");
}

TEST_CASE("without a first screenshot, the conversation begins with a request") {
    Profile it = profile();
    it.screenshot_first = false;
    ConversationMode mode = mode_for(it);
    CHECK(path(mode, {words("done")}) == "ask completed");
}

TEST_CASE("an action that the desktop refuses ends the run with its reason") {
    ConversationMode mode = mode_for(profile());
    Invoked refused;
    refused.desktop_failure = "input was refused";
    path(mode, {observed(), calls({"click"}), refused});
    const auto finish = std::get<Finish>(mode.next());
    CHECK(finish.outcome == Outcome::desktop_failed);
    CHECK(finish.reason == "input was refused");
}

TEST_CASE("the first request contains the prompt, the task and the screenshot by hash") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed("abc"));
    const auto first = request(mode);
    CHECK(roles(first) == "su");
    CHECK(first.model == "m");
    CHECK(first.tools.size() == 1);
    CHECK(first.messages.at(0).text() == "be careful");
    CHECK(first.messages.at(1).text() == "the task");
    CHECK(std::get<vlm::Image>(first.messages.at(1).parts.at(1)).sha256 == "abc");
}

TEST_CASE("only the first call of a reply is executed, and all others are answered") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(calls({"click", "type", "press"}));
    CHECK(std::get<Invoke>(mode.next()).call.name == "click");
    mode.apply(invoked(R"({"ok":true,"clicked":"OK"})"));
    const auto next = request(mode);
    CHECK(roles(next) == "suattt");
    CHECK(next.messages.at(3).tool_call_id == "id0");
    CHECK(next.messages.at(3).text() == R"({"ok":true,"clicked":"OK"})");
    CHECK(next.messages.at(4).tool_call_id == "id1");
    CHECK_THAT(next.messages.at(4).text(), ContainsSubstring(R"("type":"too_many_tool_calls")"));
    CHECK_THAT(next.messages.at(5).text(), ContainsSubstring(R"("type":"too_many_tool_calls")"));
}

TEST_CASE("if the profile says so, none of several calls is executed") {
    Profile it = profile();
    it.several_calls = SeveralCalls::none;
    it.refused_call_error = "invalid_arguments";
    ConversationMode mode = mode_for(it);
    CHECK(path(mode, {observed(), calls({"look", "look"}), calls({"look"})}) ==
          "observe ask ask invoke");
    CHECK(mode.state().turn == 2);
}

TEST_CASE("each of several unexecuted calls has a result") {
    Profile it = profile();
    it.several_calls = SeveralCalls::none;
    it.refused_call_error = "invalid_arguments";
    ConversationMode mode = mode_for(it);
    path(mode, {observed(), calls({"look", "look"})});
    const auto messages = std::get<Ask>(mode.next()).request.messages;
    REQUIRE(messages.size() == 5);
    for (std::size_t i : {3U, 4U}) {
        CHECK(messages.at(i).role == vlm::Role::tool);
        CHECK(messages.at(i).tool_call_id == "id" + std::to_string(i - 3));
        CHECK_THAT(messages.at(i).text(), ContainsSubstring(R"("type":"invalid_arguments")"));
    }
}

TEST_CASE("a screenshot follows the results of its reply as a user message") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(calls({"look", "click"}));
    mode.apply(invoked(R"({"ok":true})", true));
    mode.apply(observed("second"));
    const auto next = request(mode);
    CHECK(roles(next) == "suattu");
    CHECK(next.messages.at(3).text() ==
          R"({"ok":true,"file":"screenshots/turn_0001.png","width":1536,"height":864})");
    CHECK(std::get<vlm::Image>(next.messages.at(5).parts.at(1)).sha256 == "second");
}

TEST_CASE("a screenshot has the number of the turn in which the model sees it") {
    ConversationMode mode = mode_for(profile());
    CHECK(std::get<Observe>(mode.next()).screenshot == 1);
    path(mode, {observed(), calls({"click"}), invoked(), calls({"look"}), invoked("", true)});
    CHECK(std::get<Observe>(mode.next()).screenshot == 3);
}

TEST_CASE("the turn counts the requests to the model") {
    ConversationMode mode = mode_for(profile());
    CHECK(mode.state().turn == 0);
    mode.apply(observed());
    CHECK(mode.state().turn == 1);
    mode.apply(calls({"click"}));
    CHECK(mode.state().turn == 1);
    mode.apply(invoked());
    CHECK(mode.state().turn == 2);
    mode.apply(AskFailed{"vlm.unreachable", "connection refused"}); // a request without a reply
    CHECK(mode.state().turn == 2);
}

TEST_CASE("the same facts give the same command") {
    const std::vector<Fact> facts{observed(), calls({"click"}), invoked()};
    ConversationMode one = mode_for(profile());
    ConversationMode other = mode_for(profile());
    path(one, facts);
    for (const Fact& fact : facts) other.apply(fact);
    const auto a = request(one);
    const auto b = request(other);
    REQUIRE(a.messages.size() == b.messages.size());
    for (std::size_t i = 0; i < a.messages.size(); ++i) {
        CHECK(a.messages[i].text() == b.messages[i].text());
        CHECK(a.messages[i].tool_calls == b.messages[i].tool_calls);
    }
}

TEST_CASE("the final answer has no think tags") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(words("<think>long\nthoughts</think>\nSaved."));
    CHECK(std::get<Finish>(mode.next()).reason == "Saved.");
}

TEST_CASE("a conversation that was too long for the model stays shorter") {
    ConversationMode mode = mode_for(profile(100));
    const auto look = [&](int number) {
        mode.apply(calls({"look"}));
        mode.apply(invoked("", true));
        mode.apply(observed("h" + std::to_string(number)));
    };
    const auto screenshots = [&] {
        int count = 0;
        for (const vlm::Message& message : request(mode).messages)
            for (const vlm::Part& part : message.parts)
                count += std::holds_alternative<vlm::Image>(part) ? 1 : 0;
        return count;
    };
    mode.apply(observed());
    for (int i = 2; i < 6; ++i) look(i);
    CHECK(screenshots() == 5);
    mode.apply(AskFailed{"vlm.context_overflow", "too long", true});
    REQUIRE(word(mode) == "ask");
    CHECK(screenshots() == 1);
    for (int i = 6; i < 12; ++i) {
        look(i);
        CHECK(screenshots() == 1);
    }
}

TEST_CASE("a task that leaves no space for the conversation is rejected") {
    Profile it = profile();
    it.context_bytes = 1000;
    it.system_prompt = std::string(300, 'p');
    CHECK_NOTHROW(ConversationMode(it, std::string(200, 't'), {}));
    CHECK_THROWS_AS(ConversationMode(it, std::string(201, 't'), {}), Error);
}

TEST_CASE("a conversation whose shortest form is too long ends, and the reason names the remedy") {
    ConversationMode mode = mode_for(profile());
    mode.apply(observed());
    mode.apply(AskFailed{"vlm.context_overflow", "n_ctx is 512", true});
    const auto finish = std::get<Finish>(mode.next());
    CHECK(finish.outcome == Outcome::endpoint_failed);
    CHECK_THAT(finish.reason, ContainsSubstring("longer context"));
    CHECK_THAT(finish.reason, ContainsSubstring("n_ctx is 512"));
}

namespace {

Profile watched(LoopAnswer answer) {
    Profile it = profile(100);
    it.loops.answer = answer;
    return it;
}

Fact observed_still(int number) {
    auto fact = std::get<Observed>(observed("s" + std::to_string(number)));
    fact.still = true;
    return fact;
}

Fact clicked(double x = 500) {
    auto fact = std::get<Invoked>(invoked());
    fact.tool = "click";
    fact.action = {"click", {{x, 500}}, {}, true};
    return fact;
}

/// Clicks at these places, one per turn, then takes a screenshot that shows no change.
void click_and_look(Mode& mode, const std::vector<double>& places = {500}) {
    for (const double x : places) {
        mode.apply(calls({"click"}));
        mode.apply(clicked(x));
    }
    mode.apply(calls({"look"}));
    mode.apply(invoked("", true));
    mode.apply(observed_still(mode.state().turn));
}

constexpr const char* without_effect =
    "The effect of your latest action: no_visible_change.\nThe current screen:";

std::vector<std::string> noted(Mode& mode) {
    std::vector<std::string> all;
    for (const Noted& note : mode.take_notes()) all.push_back(note.kind);
    return all;
}

} // namespace

TEST_CASE("the screenshot after an action is sent with its effect, if it is known") {
    ConversationMode mode = mode_for(profile(9));
    mode.apply(observed());
    const auto look = [&](const char* end, bool still) {
        mode.apply(calls({"look"}));
        mode.apply(invoked("", true));
        Observed fact = std::get<Observed>(observed("h2"));
        fact.end = end;
        fact.still = still;
        if (!still) fact.changed = {{0, 0, 9, 9}};
        mode.apply(fact);
        return request(mode).messages.back().text();
    };
    const auto act = [&] {
        mode.apply(calls({"click"}));
        mode.apply(clicked(500));
    };
    const std::string confirmed =
        "The effect of your latest action: confirmed.\nThe current screen:";
    act();
    SECTION("confirmed") {
        CHECK(look("reacted", false) == confirmed);
        CHECK(look("stable", true) == "The current screen:"); // it has been told
    }
    SECTION("a call that did not act does not hide it") {
        mode.apply(calls({"list"}));
        mode.apply(invoked());
        CHECK(look("local_only", false) == confirmed);
    }
    SECTION("unknown") { CHECK(look("busy_timeout", false) == "The current screen:"); }
    SECTION("no change, until one comes while the model thinks") {
        CHECK(look("no_reaction", true) == without_effect);
        Observed late = std::get<Observed>(observed("h3"));
        SECTION("late") {
            mode.revise(late);
            CHECK(request(mode).messages.back().text() == "The current screen:");
            const vlm::ChatRequest sent = request(mode);
            CHECK(latest_image(sent.messages)->sha256 == "h3");
        }
        SECTION("not at all") {
            late.still = true;
            mode.revise(late);
            CHECK(request(mode).messages.back().text() == without_effect);
        }
    }
}

TEST_CASE(
    "a loop is noted and reported to the model if the profile enables it, and not again at once") {
    const LoopAnswer answer = GENERATE(LoopAnswer::none, LoopAnswer::tell);
    ConversationMode mode = mode_for(watched(answer));
    mode.apply(observed());
    for (int i = 0; i < 2; ++i) click_and_look(mode);
    CHECK(noted(mode).empty());
    click_and_look(mode);
    const std::string told = request(mode).messages.back().text();
    if (answer == LoopAnswer::none) {
        CHECK(noted(mode).empty());
        CHECK(told == without_effect);
        return;
    }
    CHECK(noted(mode) == std::vector<std::string>{"loop"});
    CHECK_THAT(told, ContainsSubstring("You were in a loop (click [500, 500], 3 times"));
    CHECK_THAT(told, ContainsSubstring("The current screen:"));
    click_and_look(mode);
    CHECK(request(mode).messages.back().text() == without_effect);
    CHECK(noted(mode).empty());
    for (int i = 0; i < 2; ++i) click_and_look(mode);
    CHECK(noted(mode) == std::vector<std::string>{"loop"});
}

TEST_CASE("a cycle of actions with one screenshot per repetition is a loop") {
    ConversationMode mode = mode_for(watched(LoopAnswer::tell));
    mode.apply(observed());
    for (int i = 0; i < 3; ++i) click_and_look(mode, {100, 200, 300});
    CHECK(noted(mode) == std::vector<std::string>{"loop"});
}

TEST_CASE("actions without a screenshot, or with an effect, are not a loop") {
    ConversationMode mode = mode_for(watched(LoopAnswer::tell));
    mode.apply(observed());
    for (int i = 0; i < 6; ++i) {
        mode.apply(calls({"click"}));
        mode.apply(clicked());
    }
    for (int i = 0; i < 4; ++i) {
        mode.apply(calls({"click"}));
        mode.apply(clicked());
        mode.apply(calls({"look"}));
        mode.apply(invoked("", true));
        mode.apply(observed("new" + std::to_string(i)));
    }
    CHECK(noted(mode).empty());
}

TEST_CASE("a repeated refused call is reported at once") {
    ConversationMode mode = mode_for(watched(LoopAnswer::tell));
    mode.apply(observed());
    Invoked refused;
    refused.tool = "click";
    refused.result_json = R"({"ok":false})";
    for (int i = 0; i < 3; ++i) {
        CHECK(noted(mode).empty());
        mode.apply(calls({"click"}));
        mode.apply(refused);
    }
    CHECK(noted(mode) == std::vector<std::string>{"loop"});
    const auto next = request(mode);
    CHECK(roles(next) == "suatatatu");
    CHECK_THAT(next.messages.back().text(), ContainsSubstring("in a loop"));
}

TEST_CASE(
    "if the profile enables it, a loop is recovered from, and the next screenshot is the result") {
    ConversationMode mode = mode_for(watched(LoopAnswer::recover));
    mode.apply(observed());
    for (int i = 0; i < 3; ++i) click_and_look(mode);
    REQUIRE(word(mode) == "recover");
    CHECK_THAT(std::get<Recover>(mode.next()).reason, ContainsSubstring("click [500, 500]"));
    SECTION("complete") {
        CHECK(path(mode, {Recovered{}, observed("after")}) == "recover observe ask");
        CHECK_THAT(request(mode).messages.back().text(),
                   ContainsSubstring("Escape was pressed") &&
                       ContainsSubstring("corner was clicked"));
        const auto next = request(mode);
        CHECK(std::get<vlm::Image>(next.messages.back().parts.at(1)).sha256 == "after");
        CHECK(next.messages.at(next.messages.size() - 2).role == vlm::Role::tool);
    }
    SECTION("incomplete") {
        path(mode, {Recovered{"the keyboard is locked", {}, {}}, observed("after")});
        CHECK_THAT(request(mode).messages.back().text(),
                   !ContainsSubstring("Escape was pressed") &&
                       ContainsSubstring("the keyboard is locked"));
    }
    SECTION("without the desktop") {
        mode.apply(Recovered{"gone", "the display is gone", {}});
        CHECK(word(mode) == "desktop_failed");
    }
}
