// Tests every transition of each profile's state machine with a server on a real socket: one row
// per transition. The same table runs on the desktop in memory and, as a separate program, on X11.
#include "desktop.hpp"
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/team_settings.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include "../unguarded.hpp"
#include "catch.hpp"
#include "temp_folder.hpp"

#include <functional>

using namespace eyehand;

namespace {

using namespace agent;
using vlm::testing::Answer;
using vlm::testing::completion;

const std::string proof =
    "The title bar reads greeting.txt - Notepad, the text area shows the greeting in one line, and "
    "no dialog is open any more.";

/// A transition: the server's answers, and the resulting events in order. In `path`, "look" is a
/// screenshot, "ask ROLE" a request, "do TOOL" a call, "*kind" a note of the mode, and the last
/// word the outcome.
struct Row {
    std::string name;
    std::vector<Answer> answers;
    std::string path;
    std::function<void(Profile&, AgentOptions&)> with{};
    int stop_at_reply = 0; ///< the user stops the run after this number of replies
};

Answer says(const std::string& words) { return {.body = completion(words)}; }
Answer calls(const std::string& tool, const std::string& arguments = "{}",
             const std::string& words = {}) {
    return {.body = completion(words, tool, arguments)};
}
/// Several calls in one reply.
Answer calls_all(const std::vector<std::pair<std::string, std::string>>& tools) {
    std::string body;
    for (const auto& [tool, arguments] : tools) {
        std::string quoted;
        for (const char c : arguments) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
        body += (body.empty() ? "" : ",") + (R"({"id":"c)" + std::to_string(body.size())) +
                R"(","type":"function","function":{"name":")" + tool + R"(","arguments":")" +
                quoted + "\"}}";
    }
    return {.body = R"({"choices":[{"index":0,"finish_reason":"tool_calls","message":)"
                    R"({"role":"assistant","content":"","tool_calls":[)" +
                    body + "]}}]}"};
}
Answer cut_off() {
    return {.body = R"({"choices":[{"index":0,"finish_reason":"length","message":)"
                    R"({"role":"assistant","content":"I now open the"}}]})"};
}
Answer too_long() {
    return {.status = 400,
            .body = R"({"error":{"code":400,"message":"the request is too long",)"
                    R"("type":"exceed_context_size_error"}})"};
}
Answer locked() { return {.status = 401, .body = R"({"error":{"message":"wrong key"}})"}; }

/// The events as a path.
class Path : public Observer {
public:
    Path(RunControl& control, int stop_at_reply)
        : control_(control), stop_at_reply_(stop_at_reply) {}
    void on_event(const Event& event) override {
        const auto add = [this](const std::string& step) {
            if (!text.empty()) text += ", ";
            text += step;
        };
        visit(
            event, [&](const Observe&) { add("look"); },
            [&](const Asked& it) { add("ask " + it.role); },
            [&](const Invoke& it) { add("do " + it.call.name); },
            [&](const Recover&) { add("recover"); }, [&](const Noted& it) { add("*" + it.kind); },
            [&](const Replied&) {
                if (++replies_ == stop_at_reply_) control_.stop();
            },
            [&](const RunFinished& it) { add(std::string(to_string(it.outcome))); },
            [](const auto&) {});
    }
    std::string text;

private:
    RunControl& control_;
    int stop_at_reply_;
    int replies_ = 0;
};

/// Runs all rows of a profile on one desktop, each with its own server, client and agent.
void go_through(const std::string& profile_name, const std::vector<Row>& rows) {
    const auto desktop = test::quiet_desktop();
    const test::TempFolder folder;
    for (const Row& row : rows) {
        INFO(profile_name << ": " << row.name);
        Profile profile = load_profile(profile_name);
        AgentOptions options = test::unguarded();
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.area.crop = winio::NormBox{450, 450, 550, 550}; // small, so that it is fast
        if (row.with) row.with(profile, options);
        vlm::testing::ChatServer server;
        for (const Answer& answer : row.answers) server.enqueue(answer);
        vlm::OpenAiClient model({.endpoint = server.url(), .retries = {.max_retries = 0}});
        RunDirectory directory = RunDirectory::create(folder.path());
        RunControl control;
        Path path(control, row.stop_at_reply);
        Agent agent(*desktop, model, profile, built_in_tools(), options);
        const RunFinished finished = agent.run("write a greeting", directory, control, &path);
        INFO(finished.reason);
        CHECK(path.text == row.path);
        CHECK(server.requests().size() == row.answers.size());
        CHECK(load_run(directory.path()).outcome == to_string(finished.outcome));
    }
}

/// The names of the roles and tools of a team.
struct Team {
    std::string profile, lead, worker, brief, archive, click, report, complete;
    bool plans_first = false;
    bool skips = false; ///< turns without instructions

    [[nodiscard]] Answer briefs(const std::string& instructions = "Click OK.") const {
        return calls(brief, R"({"operator_instructions":")" + instructions +
                                R"(","instructions":")" + instructions +
                                R"(","rationale":"next","reasoning":"next"})");
    }
    [[nodiscard]] Answer archives(const std::string& turns) const {
        return calls(archive, R"({"compression_summary":"so far","summary":"so far",)"
                              R"("loop_analysis":"","patterns_detected":"","archived_turns":[)" +
                                  turns + "]}");
    }
    [[nodiscard]] Answer clicks(int x = 500) const { return calls(click, clicking(x), "I click."); }
    [[nodiscard]] static std::string clicking(int x) {
        return R"({"label":"OK","element_name":"OK","position":[)" + std::to_string(x) + ",500]}";
    }
    [[nodiscard]] Answer reports(const std::string& status) const {
        return calls(report, R"({"objective_id":"1","goal_identifier":"1","status":")" + status +
                                 R"(","completion_status":")" + status + R"(","evidence":"seen"})");
    }
    [[nodiscard]] Answer completes(const std::string& evidence = proof) const {
        return calls(complete, R"({"evidence":")" + evidence + "\"}");
    }
    /// Replaces LEAD, WORKER, BRIEF ... in a path.
    [[nodiscard]] std::string path(std::string text) const {
        for (const auto& [word, name] :
             std::vector<std::pair<std::string, std::string>>{{"LEAD", lead},
                                                              {"WORKER", worker},
                                                              {"BRIEF", brief},
                                                              {"ARCHIVE", archive},
                                                              {"CLICK", click},
                                                              {"REPORT", report},
                                                              {"COMPLETE", complete}})
            for (std::size_t at = text.find(word); at != std::string::npos;
                 at = text.find(word, at + name.size()))
                text.replace(at, word.size(), name);
        return text;
    }
    /// The paths for briefing and for completion.
    [[nodiscard]] std::vector<Row> rows() const;
};

std::vector<Row> Team::rows() const {
    const std::string briefed = "look, ask LEAD, do BRIEF, *phase, look, ask WORKER";
    const std::string done = ", do COMPLETE, completed";
    const auto few_steps = [](Profile& it, AgentOptions&) { it.max_turns = 2; };
    const auto small_memory = [](Profile& it, AgentOptions&) {
        it.settings<TeamSettings>()->compression_threshold = 2;
        it.settings<TeamSettings>()->review_interval = 100;
    };
    const auto no_review = [](Profile& it, AgentOptions&) {
        it.settings<TeamSettings>()->review_interval = 100;
    };
    const auto review_at_4 = [](Profile& it, AgentOptions&) {
        it.settings<TeamSettings>()->review_interval = 4;
    };
    const auto nowhere = [](Profile&, AgentOptions& it) { it.area.display = "no such display"; };
    const Answer wrong = calls(click, R"({"label":"OK"})");
    std::vector<Row> rows{
        {"the lead briefs, the worker completes", {briefs(), completes()}, briefed + done},
        {"the lead continues until it has briefed",
         {archives("7"), briefs(), completes()},
         "look, ask LEAD, do ARCHIVE, *refused, ask LEAD, do BRIEF, *phase, look, ask WORKER" +
             done},
        {"the lead is reminded of its tools",
         {says("a plan"), briefs(), completes()},
         "look, ask LEAD, *reminder, ask LEAD, do BRIEF, *phase, look, ask WORKER" + done},
        {"the lead's second reply without a call is a turn",
         {says("a plan"), says("a plan"), briefs(), completes()},
         "look, ask LEAD, *reminder, ask LEAD, *refused, ask LEAD, do BRIEF, *phase, look, ask "
         "WORKER" +
             done},
        {"the lead briefs and archives in one reply, and its other calls are refused",
         {calls_all({{brief, R"({"operator_instructions":"go","instructions":"go","rationale":"",)"
                             R"("reasoning":""})"},
                     {brief, "{}"},
                     {archive, "{}"}}),
          completes()},
         "look, ask LEAD, *refused, do BRIEF, do ARCHIVE, *phase, look, ask WORKER" + done},
        {"the worker acts and looks again",
         {briefs(), clicks(), completes()},
         briefed + ", do CLICK, look, ask WORKER" + done},
        {"the worker is reminded of its tools",
         {briefs(), says("hm"), clicks(), completes()},
         briefed + ", *reminder, ask WORKER, do CLICK, look, ask WORKER" + done},
        {"the worker's second reply without a call is a turn",
         {briefs(), says("hm"), says("hm"), completes()},
         briefed + ", *reminder, ask WORKER, *refused, look, ask WORKER" + done},
        {"the first of the worker's calls counts",
         {briefs(), calls_all({{click, clicking(1)}, {click, clicking(2)}}), completes()},
         briefed + ", *refused, do CLICK, look, ask WORKER" + done},
        {"the worker's mistake is a result",
         {briefs(), wrong, calls("no_such_tool"), completes()},
         briefed + ", do CLICK, look, ask WORKER, do no_such_tool, look, ask WORKER" + done},
        {"a claim without enough evidence is a result",
         {briefs(), completes("It is done."), completes()},
         briefed + ", do COMPLETE, look, ask WORKER" + done},
        {"progress changes nothing",
         {briefs(), reports("IN_PROGRESS"), completes()},
         briefed + ", do REPORT, look, ask WORKER" + done},
        {"a review is due after an interval of turns",
         {briefs(), clicks(1), clicks(900), briefs(), completes()},
         briefed +
             ", do CLICK, look, ask WORKER, do CLICK, *phase, ask LEAD, do BRIEF, *phase, look, "
             "ask WORKER" +
             done,
         review_at_4},
        {"the lead archives turns when memory is full",
         {briefs(), clicks(1), clicks(900), archives("2,3"), briefs(), completes()},
         briefed +
             ", do CLICK, look, ask WORKER, do CLICK, *phase, ask LEAD, do ARCHIVE, *memory, ask "
             "LEAD, do BRIEF, *phase, look, ask WORKER" +
             done,
         small_memory},
        {"full memory that the lead ignores is compressed",
         {briefs(), clicks(1), clicks(900), briefs(), briefs(), completes()},
         briefed +
             ", do CLICK, look, ask WORKER, do CLICK, *phase, ask LEAD, do BRIEF, *phase, *phase, "
             "ask LEAD, do BRIEF, *memory, *phase, look, ask WORKER" +
             done,
         small_memory},
        {"a loop is recovered from",
         {briefs(), wrong, wrong, wrong, completes()},
         briefed +
             ", do CLICK, look, ask WORKER, do CLICK, look, ask WORKER, do CLICK, look, *loop, "
             "recover, look, ask WORKER" +
             done,
         no_review},
        {"a loop is recovered from on the whole desktop",
         {briefs(), wrong, wrong, wrong, completes()},
         briefed +
             ", do CLICK, look, ask WORKER, do CLICK, look, ask WORKER, do CLICK, look, *loop, "
             "recover, look, ask WORKER" +
             done,
         [&](Profile& it, AgentOptions& options) {
             no_review(it, options);
             options.area.crop.reset();
         }},
        {"a request that is too long is shortened",
         {briefs(), too_long(), completes()},
         briefed + ", *context, ask WORKER" + done},
        {"a shortened request that is too long ends the run",
         {too_long(), briefs(), too_long()},
         "look, ask LEAD, *context, ask LEAD, do BRIEF, *phase, look, ask WORKER, endpoint_failed"},
        {"a server that rejects the lead", {locked()}, "look, ask LEAD, endpoint_failed"},
        {"a server that rejects the worker", {briefs(), locked()}, briefed + ", endpoint_failed"},
        {"turns are used up",
         {briefs(), clicks()},
         briefed + ", do CLICK, steps_used_up",
         few_steps},
        {"the user stops the run while the lead speaks",
         {briefs()},
         "look, ask LEAD, cancelled",
         {},
         1},
        {"the user stops the run while the worker speaks",
         {briefs(), clicks()},
         briefed + ", cancelled",
         {},
         2},
        {"a desktop without a display", {}, "look, desktop_failed", nowhere},
    };
    for (const char* status : {"DONE", "BLOCKED"})
        rows.push_back(
            {std::string("a report causes a review: ") + status,
             {briefs(), reports(status), briefs(), completes()},
             briefed + ", do REPORT, *phase, ask LEAD, do BRIEF, *phase, look, ask WORKER" + done});
    if (skips)
        rows.push_back(
            {"turns without instructions are skipped until the next review",
             {briefs(" "), briefs(), completes()},
             "look, ask LEAD, do BRIEF, *phase, *phase, *phase, *phase, ask LEAD, do BRIEF, "
             "*phase, look, ask WORKER" +
                 done,
             review_at_4});
    else
        rows.push_back({"a worker without instructions ends the run",
                        {briefs(" ")},
                        "look, ask LEAD, do BRIEF, *phase, failed"});
    for (Row& row : rows) row.path = path(row.path);
    return rows;
}

} // namespace

TEST_CASE("commander: every transition") {
    const Team team{"commander",       "commander",     "operator",        "spawn_operator",
                    "compress_memory", "click_element", "report_progress", "report_completion"};
    go_through(team.profile, team.rows());
}

TEST_CASE("planner: every transition") {
    const Team team{"planner",
                    "planner",
                    "executor",
                    "update_execution_plan",
                    "archive_completed_actions",
                    "click_screen_element",
                    "report_goal_status",
                    "report_mission_complete",
                    true,
                    true};
    std::vector<Row> rows = team.rows();
    for (const char* status : {"COMPLETED", "complete"})
        rows.push_back(
            {std::string("a report causes a review: ") + status,
             {team.briefs(), team.reports(status), team.briefs(), team.completes()},
             team.path("look, ask LEAD, do BRIEF, *phase, look, ask WORKER, do REPORT, "
                       "*phase, ask LEAD, do BRIEF, *phase, look, ask WORKER, do COMPLETE, "
                       "completed")});
    go_through(team.profile, rows);
}

namespace {

/// The rows for both conversations; `look` is the tool for screenshots, `act` a call without an
/// effect, and `start` the beginning of the path.
std::vector<Row> conversation(const std::string& look, const std::string& act,
                              const std::string& start) {
    const Answer looks = calls(look);
    const Answer acts = calls(act, R"({"key":"escape","text":"a"})");
    const Answer done = says("Done.");
    const Answer wrong = calls("type_text", R"({"text":""})");
    const auto steps = [](int count) {
        return [count](Profile& it, AgentOptions&) { it.max_turns = count; };
    };
    const std::string acted = ", do " + act + ", ask agent";
    const std::string looked = ", do " + look + ", look, ask agent";
    return {
        {"text is the answer", {done}, start + ", completed"},
        {"a call is executed and answered", {acts, done}, start + acted + ", completed"},
        {"a screenshot answers a look", {looks, done}, start + looked + ", completed"},
        {"a mistake is a result",
         {calls("no_such_tool"), done},
         start + ", do no_such_tool, ask agent, completed"},
        {"neither text nor a call, twice",
         {says("<think>hm</think>"), says("")},
         start + ", *reminder, ask agent, failed"},
        {"neither text nor a call, once",
         {says(""), done},
         start + ", *reminder, ask agent, completed"},
        {"a reply that was cut off", {cut_off()}, start + ", failed"},
        {"turns are used up",
         {acts, acts},
         start + acted + ", do " + act + ", steps_used_up",
         steps(2)},
        {"no screenshot after the last turn",
         {looks},
         start + ", do " + look + ", steps_used_up",
         steps(1)},
        {"a conversation that is too long loses screenshots, then turns, then ends",
         {looks, looks, too_long(), too_long(), too_long()},
         start + looked + looked + ", *context, ask agent, *context, ask agent, endpoint_failed"},
        {"a server that rejects the request", {locked()}, start + ", endpoint_failed"},
        {"the user stops the run", {acts}, start + ", cancelled", {}, 1},
        {"a loop on the screen is reported",
         {looks, acts, looks, acts, looks, acts, looks, done},
         start + looked + acted + looked + acted + looked + acted + ", do " + look +
             ", look, *loop, ask agent, completed"},
        {"a loop of refused calls is reported",
         {wrong, wrong, wrong, done},
         start + ", do type_text, ask agent, do type_text, ask agent, do type_text, *loop, ask "
                 "agent, completed"},
        {"a loop is recovered from if the profile enables it",
         {looks, acts, looks, acts, looks, acts, looks, done},
         start + looked + acted + looked + acted + looked + acted + ", do " + look +
             ", look, *loop, recover, look, ask agent, completed",
         [](Profile& it, AgentOptions&) { it.loops.answer = LoopAnswer::recover; }},
    };
}

const auto nowhere = [](Profile&, AgentOptions& it) { it.area.display = "no such display"; };

} // namespace

TEST_CASE("observer: every transition") {
    std::vector<Row> rows = conversation("observe_screen", "press_key", "look, ask agent");
    rows.push_back({"the first of several calls is executed",
                    {calls_all({{"observe_screen", "{}"}, {"press_key", R"({"key":"escape"})"}}),
                     says("Done.")},
                    "look, ask agent, do observe_screen, look, ask agent, completed"});
    rows.push_back({"a desktop without a display", {}, "look, desktop_failed", nowhere});
    go_through("observer", rows);
}

TEST_CASE("basic: every transition") {
    std::vector<Row> rows = conversation("take_screenshot", "type_text", "ask agent");
    rows.push_back({"none of several calls is executed",
                    {calls_all({{"take_screenshot", "{}"}, {"click_mouse", "{}"}}), says("Done.")},
                    "ask agent, ask agent, completed"});
    rows.push_back({"a desktop without a display",
                    {calls("take_screenshot")},
                    "ask agent, do take_screenshot, desktop_failed",
                    nowhere});
    go_through("basic", rows);
}
