// Every transition of the team's state machine, without any I/O.
#include "modes/team/team_mode.hpp"

#include "base/text.hpp"
#include "catch.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/team_settings.hpp"

#include <map>
#include <random>

using namespace eyehand;

namespace {

using namespace agent;

Profile profile() {
    Profile it;
    it.name = "two";
    it.mode = "team";
    it.model = "m";
    it.max_turns = 30;
    it.loops.answer = LoopAnswer::recover;
    it.mode_settings = TeamSettings{};
    it.settings<TeamSettings>()->lead = {
        "chief", "THINKING", "lead well", {}, {.temperature = 0.3}};
    it.settings<TeamSettings>()->worker = {"hand", "DOING", "act well", {}, {.temperature = 0.5}};
    return it;
}

TeamMode::OfferedTools offered() {
    std::vector<ArgumentInfo> click_arguments = built_in_tools().arguments("click").value();
    ArgumentInfo why;
    why.name = "why";
    why.ignored = true;
    click_arguments.push_back(why);
    return {{{"brief_it", "", "{}"}, {"archive_it", "", "{}"}},
            {{"click", "", "{}"}, {"report_it", "", "{}"}},
            "brief_it",
            "archive_it",
            {{"click", click_arguments}}};
}

/// A call of the worker and its result.
struct Called {
    std::string tool = "click";
    std::string arguments = R"({"label":"Save","box":[512,300],"why":"to save"})";
    std::string result = R"({"ok":true,"clicked":"Save","x":512,"y":300})";
    bool reads = false;
};

/// Drives a mode: its command is a word, a fact is a call of a member function.
struct TeamModeStage {
    explicit TeamModeStage(Profile it = profile(), const std::string& task = "the task",
                           TeamMemoryOptions memory = {})
        : mode(it, task, offered(), std::make_unique<TeamMemory>(memory)) {}

    [[nodiscard]] std::string wants() const {
        const Command command = mode.next();
        if (const auto* finish = std::get_if<Finish>(&command))
            return std::string(to_string(finish->outcome));
        if (const auto* ask = std::get_if<Ask>(&command)) return "ask " + ask->role;
        if (std::holds_alternative<Observe>(command)) return "observe";
        if (std::holds_alternative<Recover>(command)) return "recover";
        return "invoke " + std::get<Invoke>(command).role;
    }
    [[nodiscard]] vlm::ChatRequest request() const { return std::get<Ask>(mode.next()).request; }
    [[nodiscard]] std::string context() const { return request().messages.at(1).text(); }
    [[nodiscard]] std::string reason() const { return std::get<Finish>(mode.next()).reason; }

    TeamModeStage& see(bool still = false, const std::string& end = {}) {
        Observed fact;
        fact.end = end;
        fact.sha256 = "h" + std::to_string(++screenshots);
        fact.file = "screenshots/turn_" + std::to_string(screenshots) + ".png";
        fact.still = still;
        mode.apply(fact);
        return *this;
    }
    TeamModeStage& say(const std::string& text, int calls = 0, const std::string& tool = "click") {
        vlm::ChatReply reply{.text = text};
        for (int i = 0; i < calls; ++i)
            reply.tool_calls.push_back({"id" + std::to_string(i), tool, R"({"x":1})", {}});
        mode.apply(Replied{reply});
        return *this;
    }
    TeamModeStage& done(Signal signal = {}, Action action = {"click", {{500, 500}}, {}, true}) {
        Invoked fact;
        fact.tool = "click";
        fact.ok = true;
        fact.result_json = R"({"ok":true})";
        fact.signal = std::move(signal);
        fact.action = std::move(action);
        mode.apply(fact);
        return *this;
    }
    TeamModeStage& call(const Called& it, const std::string& words = "I act") {
        vlm::ChatReply reply{.text = words};
        reply.tool_calls.push_back({"id0", it.tool, it.arguments, {}});
        mode.apply(Replied{reply});
        Invoked fact;
        fact.tool = it.tool;
        fact.ok = it.result.starts_with(R"({"ok":true)");
        fact.result_json = it.result;
        fact.action = {it.tool, {}, {}, fact.ok && !it.reads};
        fact.reads = it.reads;
        mode.apply(fact);
        return *this;
    }
    /// The lead replies and briefs.
    TeamModeStage& brief(const std::string& instructions = "open it",
                         const std::string& plan = "my plan") {
        return say(plan, 1, "brief_it")
            .done(Brief{instructions, "because"}, {"brief", {}, {}, false});
    }
    /// A complete turn of the worker.
    TeamModeStage& act(Signal signal = {}, double x = 0, bool still = false) {
        see(still).say("I click", 1);
        return done(std::move(signal), {"click", {{x, 500}}, {}, true});
    }
    TeamModeStage& hear(const std::string& words) {
        mode.apply(UserMessage{UserMessage::Kind::words, words});
        return *this;
    }
    std::vector<std::string> notes() {
        std::vector<std::string> all;
        for (const Noted& noted : mode.take_notes()) all.push_back(noted.kind);
        return all;
    }

    TeamMode mode;
    int screenshots = 0;
};

/// With the first screenshot taken and the worker briefed: turn 2 begins.
TeamModeStage briefed(Profile it = profile(), const std::string& task = "the task",
                      TeamMemoryOptions memory = {}) {
    TeamModeStage stage(std::move(it), task, memory);
    stage.see().brief();
    return stage;
}

Progress reported(const std::string& status) { return {"O1", status, "seen"}; }

} // namespace

TEST_CASE("team: it looks, the lead speaks, the worker looks and acts") {
    TeamModeStage stage;
    CHECK(stage.wants() == "observe");
    CHECK(std::get<Observe>(stage.mode.next()).screenshot == 0);
    CHECK(stage.see().wants() == "ask chief");
    CHECK(stage.mode.state().turn == 1);
    CHECK(stage.mode.state().phase == "THINKING");
    CHECK(stage.say("plan", 1, "brief_it").wants() == "invoke chief");
    CHECK(stage.done(Brief{"open it", ""}).wants() == "observe");
    CHECK(stage.mode.state().turn == 2);
    CHECK(stage.mode.state().phase == "DOING");
    CHECK(stage.mode.state().brief == "open it");
    CHECK(stage.see().wants() == "ask hand");
    CHECK(stage.say("I click", 1).wants() == "invoke hand");
    CHECK(stage.done().wants() == "observe");
    CHECK(stage.mode.state().turn == 3);
    CHECK(stage.mode.state().active_actions == 1);
}

TEST_CASE(
    "team: only the worker receives screenshots, and each role has its own prompt and tools") {
    TeamModeStage stage;
    stage.see();
    vlm::ChatRequest lead = stage.request();
    CHECK(lead.messages.at(0).text() == "lead well");
    CHECK(lead.messages.at(1).parts.size() == 1);
    CHECK(lead.tools.at(0).name == "brief_it");
    CHECK(lead.sampling.temperature == 0.3);
    CHECK(lead.tool_choice == vlm::ToolChoice::automatic);
    CHECK(stage.context() == "TASK\nthe task\n\nNOW\nTHINKING, turn 1 of 30");
    stage.brief().see();
    vlm::ChatRequest worker = stage.request();
    CHECK(worker.messages.at(0).text() == "act well");
    REQUIRE(worker.messages.at(1).parts.size() == 2);
    CHECK(std::get<vlm::Image>(worker.messages.at(1).parts.at(1)).sha256 == "h2");
    CHECK(worker.tools.at(0).name == "click");
    CHECK(worker.sampling.temperature == 0.5);
    CHECK(stage.context() == "TASK\nthe task\n\nPLAN\nmy plan\n\nINSTRUCTIONS\nopen it\n\n"
                             "NOW\nDOING, turn 2 of 30");
}

TEST_CASE("team: the lead continues until it has briefed, and its latest words are the plan") {
    TeamModeStage stage;
    stage.see().say("first plan", 1, "archive_it").done(Archive{"s", "", {}});
    CHECK(stage.wants() == "ask chief");
    CHECK(stage.mode.state().turn == 2);
    CHECK(stage.mode.state().plan == "first plan");
    CHECK_THAT(stage.context(),
               ContainsSubstring("NOTE\nYour call of archive_it was refused: no turns"));
    stage.say("<think>hm</think>better plan", 1, "brief_it").done(Brief{"go", ""});
    CHECK(stage.mode.state().plan == "better plan");
    CHECK(stage.wants() == "observe");
}

TEST_CASE("team: a review is due when the turn is a multiple of the interval, in execution only") {
    TeamModeStage stage = briefed(); // turn 2
    stage.act({}, 100).act({}, 200); // 2, 3
    CHECK(stage.mode.state().turn == 4);
    stage.act({}, 300); // 4
    CHECK(stage.mode.state().turn == 5);
    CHECK(stage.wants() == "ask chief"); // without a new screenshot
    CHECK(stage.notes().back() == "phase");
    stage.brief();
    CHECK(stage.mode.state().turn == 6);
    CHECK(stage.wants() == "observe");
}

TEST_CASE("team: a report causes a review if its status is one of the profile's") {
    for (const auto& [status, review] :
         std::vector<std::pair<std::string, bool>>{{"DONE", true},
                                                   {"blocked", true},
                                                   {" Done ", true},
                                                   {"IN_PROGRESS", false},
                                                   {"", false}}) {
        INFO(status);
        TeamModeStage stage = briefed();
        stage.act(reported(status));
        CHECK(stage.wants() == (review ? "ask chief" : "observe"));
        if (!review) continue;
        stage.brief(); // the switch has cleared it
        CHECK(stage.wants() == "observe");
    }
}

TEST_CASE("team: full memory causes a review, and the lead is told to compress it") {
    TeamModeStage stage = briefed(profile(), "the task", {.threshold = 2});
    stage.act({}, 100).act({}, 200);
    CHECK(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), ContainsSubstring("MEMORY IS FULL\n2 actions are active"));
    stage.say("", 1, "archive_it").done(Archive{"all done", "none", {2, 3}});
    CHECK(stage.mode.state().archived_actions == 2);
    CHECK(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), !ContainsSubstring("MEMORY IS FULL"));
    CHECK_THAT(stage.context(), ContainsSubstring("all done"));
    CHECK_THAT(stage.context(), !ContainsSubstring("turn 3:"));
}

TEST_CASE("team: memory is compressed if the lead ignores the request twice") {
    TeamModeStage stage = briefed(profile(), "the task", {.threshold = 2});
    stage.act({}, 100).act({}, 200);
    stage.brief(); // reported once
    CHECK(stage.mode.state().archived_actions == 0);
    CHECK(stage.wants() == "ask chief"); // and again
    stage.brief();
    CHECK(stage.mode.state().archived_actions == 1);
    CHECK(stage.wants() == "observe");
    const auto notes = stage.notes();
    CHECK(std::find(notes.begin(), notes.end(), "memory") != notes.end());
}

TEST_CASE("team: a reply without a call causes one reminder, then counts as a turn") {
    TeamModeStage stage = briefed();
    stage.see().say("I think about it");
    CHECK(stage.mode.state().turn == 2);
    REQUIRE(stage.wants() == "ask hand");
    REQUIRE(stage.request().messages.size() == 4);
    CHECK(stage.request().messages.at(2).text() == "I think about it");
    CHECK_THAT(stage.request().messages.at(3).text(), ContainsSubstring("no tool call"));
    stage.say("still thinking");
    CHECK(stage.mode.state().turn == 3);
    CHECK(stage.wants() == "observe");
    CHECK_THAT(stage.see().context(),
               ContainsSubstring("turn 2: no tool call; said: still thinking"));
    stage.say("").say("ok", 1).done(); // a reminder can help
    CHECK(stage.mode.state().turn == 4);
    TeamModeStage lead;
    lead.see().say("a plan").say("a plan again");
    CHECK(lead.mode.state().turn == 2);
    CHECK(lead.wants() == "ask chief");
}

TEST_CASE("team: the reminder after a call as text says why it was not carried out") {
    TeamModeStage stage = briefed();
    stage.see();
    stage.mode.apply(
        Replied{{.text = "<tool_call>...", .ignored_call = vlm::IgnoredCall::not_accepted}});
    REQUIRE(stage.request().messages.size() == 4);
    CHECK_THAT(stage.request().messages.at(3).text(), ContainsSubstring("written as text"));
}

TEST_CASE("team: waiting messages of the user are bounded, and the newest ones stay") {
    TeamModeStage stage;
    stage.see();
    for (int i = 0; i < 10; ++i)
        stage.hear("message " + std::to_string(i) + std::string(60000, ' '));
    const auto notes = stage.notes();
    CHECK(std::find(notes.begin(), notes.end(), "refused") != notes.end());
    CHECK_THAT(stage.context(), ContainsSubstring("message 6"));
    CHECK_THAT(stage.context(), !ContainsSubstring("message 5"));
}

TEST_CASE("team: one call per turn is executed, and the others are visibly refused") {
    TeamModeStage stage = briefed();
    (void)stage.notes();
    stage.see().say("all at once", 3);
    CHECK(stage.notes() == std::vector<std::string>{"refused"});
    CHECK(std::get<Invoke>(stage.mode.next()).call.id == "id0");
    stage.done();
    CHECK(stage.mode.state().active_actions == 1);
    CHECK_THAT(stage.see().context(), ContainsSubstring("NOTE\nOnly your first call"));
}

TEST_CASE("team: each role receives a message of the user once, the lead as soon as possible") {
    const auto heard = [](TeamModeStage& stage) {
        return stage.context().find("THE USER SAYS\nUse the menu.") != std::string::npos;
    };
    SECTION("while the lead is about to speak") {
        TeamModeStage stage;
        stage.see().hear("Use the menu.");
        CHECK(heard(stage));
        stage.brief();
        REQUIRE(stage.wants() == "observe"); // no reason for a review
        stage.see();
        CHECK(heard(stage));
        stage.say("I click", 1).done().see();
        CHECK_FALSE(heard(stage));
    }
    SECTION("while the worker works") {
        TeamModeStage stage = briefed();
        stage.see().say("I click", 1).hear("Use the menu.").done();
        REQUIRE(stage.wants() == "ask chief");
        CHECK(heard(stage));
        stage.brief().see();
        REQUIRE(stage.wants() == "ask hand");
        CHECK(heard(stage));
    }
    SECTION("after the lead's reply") {
        TeamModeStage stage;
        stage.see().say("plan", 1, "brief_it").hear("Use the menu.").done(Brief{"open it", ""});
        REQUIRE(stage.wants() == "ask chief");
        CHECK(heard(stage));
    }
    SECTION("also with the reminder after a reply without a call") {
        TeamModeStage stage;
        stage.see().hear("Use the menu.").say("hm");
        CHECK(heard(stage));
        stage.say("hm");
        CHECK_FALSE(heard(stage));
    }
    SECTION("in parts if they are long") {
        TeamModeStage stage;
        std::string words;
        for (int i = 0; i < 400; ++i) words += "word" + std::to_string(i) + " ";
        stage.see().hear(words);
        std::string all;
        for (int i = 0; i < 4 && stage.context().find("THE USER SAYS") != std::string::npos; ++i) {
            const std::string context = stage.context();
            const std::size_t from = context.find("THE USER SAYS\n") + 14;
            all += context.substr(from, context.find("\n\n", from) - from);
            stage.say("plan", 1, "archive_it").done(Archive{"x", "", {}});
        }
        CHECK(all == words);
    }
    SECTION("after completion") {
        TeamModeStage stage = briefed();
        stage.act(Completion{"it is there"});
        REQUIRE(stage.wants() == "completed");
        stage.hear("Use the menu.");
        REQUIRE(stage.wants() == "ask chief");
        CHECK(heard(stage));
    }
}

TEST_CASE("team: completion ends the run") {
    TeamModeStage stage = briefed();
    stage.act(Completion{"the file is there"});
    CHECK(stage.wants() == "completed");
    CHECK(stage.reason() == "the file is there");
}

TEST_CASE("team: a refused completion counts as a turn") {
    TeamModeStage stage = briefed();
    stage.see().say("done", 1, "report_it");
    Invoked refused;
    refused.tool = "report_it";
    refused.result_json = R"({"ok":false})";
    stage.mode.apply(refused);
    CHECK(stage.wants() == "observe");
    CHECK_THAT(stage.see().context(), ContainsSubstring("report_it"));
}

TEST_CASE("team: if the profile enables it, the lead confirms a completion first") {
    Profile it = profile();
    it.settings<TeamSettings>()->review_completion = true;
    TeamModeStage stage = briefed(it);
    stage.act(Completion{"I saw it"});
    REQUIRE(stage.wants() == "ask chief");
    CHECK_THAT(
        stage.context(),
        ContainsSubstring("CLAIM\nThe worker says that the task is done. Evidence: I saw it"));
    SECTION("yes") {
        stage.say("", 1).done(Verdict{true, "so it is"});
        CHECK(stage.wants() == "completed");
        CHECK(stage.reason() == "I saw it");
    }
    SECTION("no") {
        stage.say("", 1).done(Verdict{false, "it is not"});
        CHECK(stage.wants() == "ask chief");
        CHECK_THAT(stage.context(), !ContainsSubstring("CLAIM"));
    }
    SECTION("new instructions instead") {
        stage.brief("look again");
        CHECK(stage.wants() == "observe");
    }
}

TEST_CASE("team: without instructions the run fails, or turns are skipped until the next review") {
    TeamModeStage failing;
    failing.see().brief("  ");
    CHECK(failing.wants() == "failed");
    CHECK_THAT(failing.reason(), ContainsSubstring("hand has no instructions"));
    Profile it = profile();
    it.settings<TeamSettings>()->without_brief = WithoutBrief::skip;
    TeamModeStage skipping(it);
    skipping.see().brief("");
    CHECK(skipping.mode.state().turn == 5);
    CHECK(skipping.wants() == "ask chief");
}

TEST_CASE("team: if the profile enables it, the first turn must result in instructions") {
    Profile it = profile();
    it.settings<TeamSettings>()->first_plan = true;
    TeamModeStage stage(it);
    stage.see();
    vlm::ChatRequest request = stage.request();
    REQUIRE(request.tools.size() == 1);
    CHECK(request.tools[0].name == "brief_it");
    CHECK(request.tool_choice == vlm::ToolChoice::required);
    stage.say("no").say("no");
    CHECK(stage.request().tool_choice == vlm::ToolChoice::required); // still
    stage.brief();
    for (int i = 0; i < 2; ++i) stage.act({}, 100.0 * i);
    REQUIRE(stage.wants() == "ask chief");
    CHECK(stage.request().tools.size() == 2);
    CHECK(stage.request().tool_choice == vlm::ToolChoice::automatic);
}

TEST_CASE("team: if the profile enables it, the worker receives its previous action") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = true;
    TeamModeStage stage = briefed(it);
    CHECK_THAT(stage.see().context(), !ContainsSubstring("LAST ACTION"));
    stage.say("I click OK to save", 1).done();
    CHECK_THAT(stage.see().context(), ContainsSubstring("LAST ACTION\nTurn 2: click\nResult: ok\n"
                                                        "You said: I click OK to save"));
    TeamModeStage without = briefed();
    without.act();
    CHECK_THAT(without.see().context(), !ContainsSubstring("LAST ACTION"));
}

TEST_CASE("team: the last action has the call, the reason and the result in words") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = true;
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage = briefed(it);
    stage.see().call({});
    CHECK_THAT(stage.see().context(),
               ContainsSubstring("LAST ACTION\nTurn 2: click \"Save\" at (512,300)\n"
                                 "Reason: to save\nResult: ok\nYou said: I act"));
    CHECK_THAT(stage.context(),
               ContainsSubstring("turn 2: click \"Save\" at (512,300) -> ok | said: I act"));
    const std::string long_reason = "no key \"foo\"; " + std::string(250, 'k');
    stage.call({.result = R"({"ok":false,"error":{"type":"invalid_key","message":)" +
                          json_quote(long_reason) + "}}"});
    CHECK_THAT(stage.see().context(),
               ContainsSubstring("Result: refused (invalid_key): " + long_reason + "\n"));
}

TEST_CASE("team: an action that changed nothing on the screen is reported so") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = true;
    TeamModeStage stage = briefed(it);
    stage.see().call({}).see(true);
    CHECK_THAT(stage.context(), ContainsSubstring("Result: ok (no_visible_change)\n"));
    CHECK_THAT(stage.context(),
               ContainsSubstring("at (512,300) -> ok (no_visible_change) | said: I act"));
    stage.call({}).see(); // nothing is known about this one
    CHECK_THAT(stage.context(), ContainsSubstring("Result: ok\n"));
}

TEST_CASE("team: the end of the wait after an action tells its effect") {
    struct Case {
        const char* end;
        bool still;
        const char* result;
    };
    const Case cases[]{{"reacted", false, "ok (confirmed)"},
                       {"local_only", false, "ok (confirmed)"},
                       {"local_only", true, "ok (no_visible_change)"}, // such as a caret
                       {"no_reaction", false, "ok (no_visible_change)"},
                       {"timeout", false, "ok"},
                       {"busy_timeout", true, "ok"},
                       {"stable", false, "ok"}};
    for (const auto& [end, still, result] : cases) {
        Profile it = profile();
        it.settings<TeamSettings>()->previous_action = true;
        TeamModeStage stage = briefed(it);
        stage.see().call({}).see(still, end);
        CHECK_THAT(stage.context(), ContainsSubstring(std::string("Result: ") + result + "\n"));
    }
}

TEST_CASE("team: a late change takes back that an action had no effect") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = true;
    TeamModeStage stage = briefed(it);
    stage.see().call({}).see(true, "no_reaction");
    REQUIRE_THAT(stage.context(), ContainsSubstring("Result: ok (no_visible_change)\n"));
    Observed late;
    late.sha256 = "late";
    late.still = true;
    stage.mode.revise(late);
    CHECK_THAT(stage.context(), ContainsSubstring("Result: ok (no_visible_change)\n"));
    late.still = false;
    stage.mode.revise(late);
    CHECK_THAT(stage.context(), ContainsSubstring("Result: ok\n"));
}

TEST_CASE("team: a stale call uses up no turn, and does not count as a loop") {
    Profile it = profile();
    it.max_turns = 3;
    it.settings<TeamSettings>()->review_interval = 1000;
    it.loops.answer = LoopAnswer::tell;
    TeamModeStage stage = briefed(it);
    const int before = stage.mode.state().turn;
    for (int i = 0; i < 4; ++i) {
        REQUIRE(stage.wants() == "observe");
        stage.see(true).say("I click", 1);
        Invoked fact;
        fact.tool = "click";
        fact.result_json = R"({"ok":false,"error":{"type":"stale_target","message":"look"}})";
        fact.stale = StaleCall{"appearance", {}};
        stage.mode.apply(fact);
    }
    CHECK(stage.mode.state().turn >= before + 4);
    CHECK(stage.wants() == "observe");
    for (const std::string& kind : stage.notes()) CHECK(kind != "loop");
}

TEST_CASE("team: an effect that the world reports is in the memory") {
    TeamModeStage stage = briefed();
    stage.see().say("I click", 1);
    Invoked fact;
    fact.tool = "click";
    fact.ok = true;
    fact.result_json = R"({"ok":true})";
    fact.action.acts = true;
    fact.effect = winio::ActionEffect::confirmed;
    stage.mode.apply(fact);
    CHECK_THAT(stage.see(true).context(), ContainsSubstring("click -> ok (confirmed) | said"));
}

TEST_CASE("team: what a tool has read reaches both roles completely") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = GENERATE(true, false);
    TeamModeStage stage = briefed(it);
    const std::string windows = "1. Notepad\n2. " + std::string(1500, 'w');
    stage.see().call({.tool = "list_windows",
                      .arguments = "{}",
                      .result = R"({"ok":true,"count":2,"windows":)" + json_quote(windows) + "}",
                      .reads = true});
    const std::string said =
        "list_windows -> ok, count 2, windows:\n  1. Notepad\n  2. " + std::string(1500, 'w');
    CHECK_THAT(stage.see().context(), ContainsSubstring(said));
    if (it.settings<TeamSettings>()->previous_action)
        CHECK_THAT(stage.context(), ContainsSubstring("Result: see turn 2 in MEMORY\n"));
    stage.say("I click", 1).done(reported("DONE"));
    REQUIRE(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), ContainsSubstring(said));
}

TEST_CASE("team: the latest reading is in the last action if the memory has no space for it") {
    Profile it = profile();
    it.settings<TeamSettings>()->previous_action = true;
    it.settings<TeamSettings>()->review_interval = 100;
    TeamMemoryOptions options;
    options.threshold = 1; // the lead is asked to archive
    TeamModeStage stage = briefed(it, "the task", options);
    const std::string text(3000, 't');
    stage.see().call({.tool = "read_clipboard",
                      .arguments = "{}",
                      .result = R"({"ok":true,"text":")" + text + "\"}",
                      .reads = true});
    REQUIRE(stage.wants() == "ask chief");
    stage.brief();
    stage.brief(); // asked twice: the engine archives the reading
    CHECK(stage.mode.state().archived_actions == 1);
    CHECK_THAT(stage.see().context(), ContainsSubstring("Result: ok, text \"" + text + "\""));
}

TEST_CASE("team: the reason of a denied action reaches the role completely") {
    TeamModeStage stage = briefed();
    const std::string reason = "Not this file. " + std::string(400, 'r');
    stage.see().call(
        {.result = R"({"ok":false,"error":{"type":"denied","message":")" + reason + "\"}}"});
    CHECK_THAT(stage.see().context(), ContainsSubstring("-> refused (denied): " + reason));
}

TEST_CASE("team: instructions reach the worker completely, or the lead is asked to shorten them") {
    TeamModeStage stage;
    const std::string most(2600, 'm');
    const std::string more(2700, 'l');
    stage.see().brief(more);
    REQUIRE(stage.wants() == "ask chief");
    CHECK(stage.mode.state().turn == 2);
    CHECK_THAT(stage.context(),
               ContainsSubstring("NOTE\nYour call of brief_it was refused: the instructions are "
                                 "2700 bytes long, and the hand can receive at most 2664: shorten "
                                 "them and call brief_it again"));
    CHECK_THAT(stage.context(), ContainsSubstring("INSTRUCTIONS TO SHORTEN\nllll"));
    stage.brief(most);
    REQUIRE(stage.wants() == "observe");
    CHECK_THAT(stage.see().context(), ContainsSubstring("INSTRUCTIONS\n" + most + "\n\nNOW"));
    stage.mode.apply(AskFailed{"vlm.context_overflow", "too long", true}); // contexts are halved
    REQUIRE(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), ContainsSubstring("instructions of at most 1330 bytes"));
    stage.brief("short");
    CHECK(stage.wants() == "observe");
    CHECK_THAT(stage.see().context(), ContainsSubstring("INSTRUCTIONS\nshort\n\nNOW"));
}

TEST_CASE("team: evidence in a report reaches the lead completely until it has briefed") {
    TeamModeStage stage = briefed();
    const std::string proof = "I saw " + std::string(4000, 'p');
    stage.act(Progress{"save it", GENERATE("DONE", "BLOCKED"), proof});
    REQUIRE(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), ContainsSubstring("REPORT\nTurn 2: save it is "));
    CHECK_THAT(stage.context(), ContainsSubstring("Evidence: " + proof + "\n\n"));
    CHECK(stage.context().size() <= 8000);
    stage.say("", 1, "archive_it").done(Archive{"s", "", {2}});
    CHECK_THAT(stage.context(), ContainsSubstring(proof));
    stage.brief();
    CHECK_THAT(stage.see().context(), !ContainsSubstring("REPORT"));
}

TEST_CASE("team: the lead may archive and brief in one reply, in any order") {
    const bool brief_first = GENERATE(true, false);
    Profile it = profile();
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage = briefed(it, "the task", {.threshold = 2});
    stage.act({}, 100).act({}, 200);
    REQUIRE(stage.wants() == "ask chief");
    (void)stage.notes();
    vlm::ChatReply reply{.text = "next"};
    for (const char* tool : {"brief_it", "archive_it", "brief_it"})
        reply.tool_calls.push_back({tool, tool, "{}", {}});
    if (!brief_first) std::swap(reply.tool_calls[0], reply.tool_calls[1]);
    stage.mode.apply(Replied{reply});
    const auto call = [&] { return std::get<Invoke>(stage.mode.next()).call.name; };
    for (int i = 0; i < 2; ++i) {
        REQUIRE(stage.wants() == "invoke chief");
        if (call() == "brief_it")
            stage.done(Brief{"go on", "because"}, {});
        else
            stage.done(Archive{"all done", "", {2, 3}}, {});
    }
    CHECK(stage.wants() == "observe");
    CHECK(stage.mode.state().turn == 5);
    CHECK(stage.mode.state().brief == "go on");
    CHECK(stage.mode.state().archived_actions == 2);
    CHECK(stage.notes() == std::vector<std::string>{"refused", "memory", "phase"});
}

TEST_CASE("team: if the lead briefs without text, its rationale is the plan") {
    Profile it = profile();
    it.settings<TeamSettings>()->first_plan = GENERATE(true, false);
    TeamModeStage stage(it);
    stage.see().brief("open it", "");
    CHECK(stage.mode.state().plan == "because");
    CHECK_THAT(stage.see().context(), ContainsSubstring("PLAN\nbecause\n"));
    stage.act(reported("DONE"), 100); // the worker has looked already: a second look does no harm
    stage.brief("go on", "");
    CHECK(stage.mode.state().plan == "because");
    stage.act(reported("DONE"), 200).brief("go on", "the new plan");
    CHECK(stage.mode.state().plan == "the new plan");
}

TEST_CASE("team: a loop is recovered from and reported, and detection pauses afterwards") {
    Profile it = profile();
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage = briefed(it, "the task", {.threshold = 100});
    for (int i = 0; i < 3; ++i) stage.act({}, 500, i > 0);
    (void)stage.notes();
    stage.see(true);
    REQUIRE(stage.wants() == "recover");
    CHECK(stage.notes() == std::vector<std::string>{"loop"});
    stage.mode.apply(Recovered{});
    CHECK(stage.wants() == "observe"); // the same turn, another screenshot
    CHECK(stage.mode.state().turn == 5);
    stage.see();
    CHECK_THAT(stage.context(), ContainsSubstring("NOTE\nYou were in a loop"));
    stage.say("hm", 1).done({}, {"click", {{500, 500}}, {}, true});
    CHECK_THAT(stage.see(true).context(), !ContainsSubstring("in a loop")); // reported once
    for (int i = 0; i < 2; ++i)
        stage.say("hm", 1).done({}, {"click", {{500, 500}}, {}, true}).see(true);
    CHECK(stage.mode.state().turn == 8);
    CHECK(stage.wants() == "recover"); // three turns later
    Profile off = it;
    off.loops.answer = LoopAnswer::none;
    TeamModeStage never = briefed(off, "the task", {.threshold = 100});
    for (int i = 0; i < 6; ++i) never.act({}, 500, true);
    CHECK(never.wants() == "observe");
    CHECK(never.see(true).wants() == "ask hand");
}

TEST_CASE("team: if the profile disables recovery, a loop is only reported") {
    Profile it = profile();
    it.settings<TeamSettings>()->review_interval = 100;
    it.loops.answer = LoopAnswer::tell;
    TeamModeStage stage = briefed(it);
    for (int i = 0; i < 3; ++i) stage.act({}, 500, i > 0);
    (void)stage.notes();
    REQUIRE(stage.see(true).wants() == "ask hand");
    CHECK(stage.notes() == std::vector<std::string>{"loop"});
    CHECK_THAT(stage.context(), ContainsSubstring("NOTE\nYou were in a loop"));
    CHECK_THAT(stage.context(), !ContainsSubstring("Escape"));
}

TEST_CASE("team: a repeated refused call is also a loop") {
    Profile it = profile();
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage = briefed(it);
    Invoked refused;
    refused.tool = "click";
    refused.result_json = R"({"ok":false})";
    for (int i = 0; i < 3; ++i) {
        stage.see(true).say("click", 1);
        stage.mode.apply(refused);
    }
    CHECK(stage.see(true).wants() == "recover");
}

TEST_CASE("team: a request longer than the model's context is shortened and sent again") {
    TeamModeStage stage = briefed();
    for (int i = 0; i < 2; ++i) stage.act({}, 100.0 * i);
    stage.see();
    stage.mode.apply(AskFailed{"vlm.context_overflow", "too long", true});
    CHECK(stage.wants() == "ask hand");
    CHECK(stage.mode.state().archived_actions == 1);
    CHECK(stage.notes().back() == "context");
}

TEST_CASE("team: after a request that was too long, all requests are shorter, and memory is "
          "compressed once") {
    Profile it = profile();
    it.settings<TeamSettings>()->context_bytes = 4000;
    it.settings<TeamSettings>()->plan_bytes = 4000;
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage(it, "the task", {.threshold = 100, .recent = 100});
    stage.see().brief(std::string(600, 'i'), std::string(4000, 'p'));
    const auto work = [&] {
        stage.see().say(std::string(300, 'w'), 1).done({}, {"click", {{1, 1}}, {}, true});
    };
    for (int i = 0; i < 10; ++i) work();
    CHECK(stage.see().context().size() > 2000);
    stage.mode.apply(AskFailed{"vlm.context_overflow", "too long", true});
    CHECK(stage.context().size() <= 2000);
    const std::size_t archived = stage.mode.state().archived_actions;
    for (int i = 0; i < 8; ++i) {
        stage.say("I click", 1).done({}, {"click", {{1, 1}}, {}, true}).see();
        CHECK(stage.context().size() <= 2000);
    }
    CHECK(stage.mode.state().archived_actions == archived);
}

TEST_CASE("team: a shortened request that is still too long ends the run, and the reason names the "
          "remedy") {
    TeamModeStage stage = briefed();
    stage.see();
    const AskFailed overflow{"vlm.context_overflow", "n_ctx is 512", true};
    stage.mode.apply(overflow);
    SECTION("at once") {}
    SECTION("in a later turn") { stage.say("fine", 1).done().see(); }
    REQUIRE(stage.wants() == "ask hand");
    stage.mode.apply(overflow);
    CHECK(stage.wants() == "endpoint_failed");
    CHECK_THAT(stage.reason(), ContainsSubstring("longer context"));
    CHECK_THAT(stage.reason(), ContainsSubstring("n_ctx is 512"));
}

TEST_CASE("team: the lead is told that only its first call was processed") {
    TeamModeStage stage;
    SECTION("when it is asked again at once") {
        stage.see().say("plan", 2, "archive_it").done(Archive{"s", "", {}});
        REQUIRE(stage.wants() == "ask chief");
        CHECK_THAT(stage.context(), ContainsSubstring("no turns were given"));
    }
    SECTION("in the next review, and the worker is not told") {
        stage.see().say("plan", 2, "brief_it").done(Brief{"open it", ""}).see();
        CHECK_THAT(stage.context(), !ContainsSubstring("Only your first call"));
        stage.say("", 1).done(reported("DONE"));
        REQUIRE(stage.wants() == "ask chief");
    }
    CHECK_THAT(stage.context(), ContainsSubstring("Only your first call"));
    stage.say("", 1).done(Verdict{false, ""});
    CHECK_THAT(stage.context(), !ContainsSubstring("Only your first call")); // reported once
}

TEST_CASE("team: texts for the worker wait during a review") {
    TeamModeStage stage = briefed();
    stage.see().say("all at once", 3).done(reported("BLOCKED"));
    REQUIRE(stage.wants() == "ask chief");
    CHECK_THAT(stage.context(), !ContainsSubstring("Only your first call"));
    stage.brief().see();
    CHECK_THAT(stage.context(), ContainsSubstring("Only your first call"));
}

TEST_CASE("team: the worker is told about the recovery") {
    Profile it = profile();
    it.settings<TeamSettings>()->review_interval = 100;
    TeamModeStage stage = briefed(it);
    for (int i = 0; i < 3; ++i) stage.act({}, 500, i > 0);
    REQUIRE(stage.see(true).wants() == "recover");
    stage.mode.apply(Recovered{"the run was interrupted during the recovery", {}, {}});
    stage.see();
    CHECK_THAT(stage.context(), !ContainsSubstring("Escape was pressed"));
    CHECK_THAT(stage.context(), ContainsSubstring("the run was interrupted during the recovery"));
    CHECK_THAT(stage.context(), ContainsSubstring("in a loop"));
}

TEST_CASE("team: failures and a stop by the user end the run") {
    TeamModeStage blind;
    blind.mode.apply(ObserveFailed{"winio.no_display", "no display"});
    CHECK(blind.wants() == "desktop_failed");
    TeamModeStage mute;
    mute.see();
    mute.mode.apply(AskFailed{"vlm.unreachable", "nothing listens"});
    CHECK(mute.wants() == "endpoint_failed");
    CHECK(mute.reason() == "nothing listens");
    TeamModeStage broken = briefed();
    broken.see().say("", 1);
    Invoked lost;
    lost.desktop_failure = "the display is gone";
    broken.mode.apply(lost);
    CHECK(broken.wants() == "desktop_failed");
    TeamModeStage stopped = briefed();
    stopped.mode.apply(Stopped{"enough"});
    CHECK(stopped.wants() == "cancelled");
    Profile it = profile();
    it.max_turns = 2;
    TeamModeStage short_run = briefed(it);
    short_run.act();
    CHECK(short_run.wants() == "steps_used_up");
    short_run.mode.apply(Stopped{"enough"});
    CHECK(short_run.wants() == "cancelled");
    TeamModeStage won = briefed();
    won.act(Completion{"done"});
    won.mode.apply(Stopped{"too late"});
    CHECK(won.wants() == "completed");
}

TEST_CASE("team: a task that leaves no space for the context is rejected") {
    Profile it = profile();
    it.settings<TeamSettings>()->context_bytes = 1000;
    CHECK_NOTHROW(TeamModeStage(it, std::string(500, 'x')));
    CHECK_THROWS_AS(TeamModeStage(it, std::string(501, 'x')), Error);
}

TEST_CASE("team: for any history, a context stays within its limit, contains the task, and has no "
          "archived action") {
    std::mt19937 random(11);
    const auto number = [&](int min, int max) {
        return std::uniform_int_distribution<int>(min, max)(random);
    };
    const auto words = [&](int max) {
        const std::vector<std::string> pieces{"a", "ż", "世", "😀", " ", "\n", "word "};
        std::string text;
        for (int i = number(0, max); i > 0; --i)
            text += pieces[static_cast<std::size_t>(number(0, int(pieces.size()) - 1))];
        return text;
    };
    for (int run = 0; run < 120; ++run) {
        Profile it = profile();
        it.max_turns = 60;
        it.settings<TeamSettings>()->context_bytes = static_cast<std::size_t>(number(600, 9000));
        it.settings<TeamSettings>()->previous_action = number(0, 1) == 1;
        it.settings<TeamSettings>()->review_completion = true;
        it.loops.cooldown = number(0, 4);
        it.settings<TeamSettings>()->without_brief = WithoutBrief::skip;
        const std::string task = "TASK-" + words(20);
        TeamModeStage stage(it, task, {.threshold = std::size_t(number(2, 12))});
        std::map<int, std::string> acted; // the worker's calls by turn
        std::vector<int> gone;
        int tools = 0;
        std::string tool;
        const std::size_t bound = it.settings<TeamSettings>()->context_bytes;
        bool narrow = false; // a request was too long for the model
        for (int step = 0; step < 300; ++step) {
            const std::string wants = stage.wants();
            if (wants == "observe") {
                stage.see(number(0, 1) == 1);
            } else if (wants == "recover") {
                stage.mode.apply(Recovered{});
            } else if (wants.starts_with("ask")) {
                const std::string context = stage.context();
                CHECK(context.size() <= it.settings<TeamSettings>()->context_bytes);
                CHECK(to_valid_utf8(context) == context);
                CHECK_THAT(context, ContainsSubstring(task));
                for (const int turn : gone) // the latest may be the last action
                    if (turn != acted.rbegin()->first)
                        CHECK_THAT(context, !ContainsSubstring(acted.at(turn)));
                if (narrow) CHECK(context.size() <= std::max(bound / 2, task.size() + bound / 8));
                if (!narrow && number(0, 19) == 0) {
                    stage.mode.apply(AskFailed{"vlm.context_overflow", "too long", true});
                    narrow = true;
                    continue;
                }
                tool = "tool" + std::to_string(++tools) + "_";
                stage.say(words(300), number(0, 5) == 0 ? 0 : 1, tool);
            } else if (wants == "invoke chief") {
                const int turn = stage.mode.state().turn;
                switch (number(0, 3)) {
                case 0: {
                    const std::vector<int> turns{number(1, turn), number(1, turn)};
                    (void)stage.notes();
                    stage.done(Archive{words(300), words(200), turns}, {});
                    const auto notes = stage.notes();
                    if (std::find(notes.begin(), notes.end(), "refused") == notes.end())
                        for (const int named : turns)
                            if (acted.contains(named)) gone.push_back(named);
                    break;
                }
                case 1:
                    stage.done(Verdict{false, words(20)}, {});
                    break;
                default:
                    stage.done(Brief{words(600), words(20)}, {});
                }
            } else if (wants == "invoke hand") {
                Invoked fact;
                fact.tool = tool;
                fact.ok = number(0, 3) != 0;
                fact.result_json = words(200);
                fact.action = {"click", {{double(number(0, 2)), 0}}, {}, true};
                if (number(0, 9) == 0) fact.signal = reported("DONE");
                if (number(0, 19) == 0) fact.signal = Completion{words(300)};
                fact.reads = number(0, 4) == 0;
                acted[stage.mode.state().turn] = tool;
                stage.mode.apply(fact);
            } else {
                break;
            }
        }
        CHECK(stage.wants() == "steps_used_up");
    }
}
