#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "record/journal_json.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "source_folder.hpp"
#include "temp_folder.hpp"

#include <cmath>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

std::filesystem::path golden(const std::string& name) {
    return test::source_folder() / "tests/data" / "runs-0.1" / name / "events.jsonl";
}

/// The event as a journal writes it.
std::string written(const Event& event) {
    json::object entry{{"seq", event.seq},
                       {"t", event.t.count()},
                       {"type", type_name(event)},
                       {"turn", event.turn},
                       {"prev", parse_json(event.line)->at("prev")}};
    write_payload(event.payload, entry);
    return to_text(entry);
}

/// The members in journals from before named error codes.
std::string as_in_0_1(std::string line, const Event& event) {
    if (!std::holds_alternative<Asked>(event.payload)) return line;
    const std::string tools = R"("tools":0,)";
    return line.erase(line.find(tools), tools.size());
}

/// With the fractions of numbers rounded: Boost.JSON reads the last digits imprecisely.
json::value rounded(json::value value) {
    if (auto* number = value.if_double()) {
        value = static_cast<double>(std::llround(*number * 1e9));
    } else if (auto* array = value.if_array()) {
        for (json::value& element : *array) element = rounded(element);
    } else if (auto* object = value.if_object()) {
        for (auto& member : *object) member.value() = rounded(member.value());
    }
    return value;
}

Payload parsed(const std::string& members) {
    return parse_event(R"({"seq":1,"t":0,"turn":0,"prev":"",)" + members + "}").payload;
}

void append(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

} // namespace

TEST_CASE("journal reader: every event of an older journal is read completely") {
    const std::string name = GENERATE("conversation", "team", "visual_loop", "crashed", "resumed");
    CAPTURE(name);
    JournalReader reader(golden(name));
    ChainVerifier chain;
    int events = 0;
    while (const auto event = reader.next()) {
        ++events;
        CAPTURE(event->line);
        CHECK_FALSE(std::holds_alternative<UnknownEvent>(event->payload));
        // Error codes were numbers, which are read as names.
        if (!std::holds_alternative<AskFailed>(event->payload))
            CHECK(to_text(rounded(*parse_json(as_in_0_1(written(*event), *event)))) ==
                  to_text(rounded(*parse_json(event->line))));
        CHECK(chain.check(*event).empty());
    }
    CHECK(events == static_cast<int>(test::lines_of(golden(name)).size()));
    CHECK(reader.damaged() == 0);
    CHECK(reader.too_long() == 0);
    CHECK_FALSE(reader.torn());
}

TEST_CASE("journal reader: events that older journals do not have are read completely, too") {
    const test::TempFolder folder;
    ModeState state;
    state.turn = 3;
    state.phase = "EXECUTION";
    state.role = "operator";
    state.plan = "First \"this\".";
    state.brief = "Do it.";
    state.active_actions = 2;
    state.archived_actions = 5;
    Journal journal(folder / "events.jsonl");
    journal.append(Payload(StateChanged{state}), 3);
    journal.append(Payload(Asked{"operator", "m", 2, 7, {"aa", "bb"}, "cc"}), 4);
    SentMessages sent{.same = 1,
                      .added = {{"assistant", {{{"ab", 5}, {}}}, {{"c1", "click", "{}", {}}}, {}},
                                {"tool", {{{"cd", 0}, {}}}, {}, "c1"},
                                {"user", {{{}, "ef"}}, {}, {}}},
                      .tools = SentText{"01", 7},
                      .structure = SentText{"02", 8}};
    journal.append(Payload(Asked{"operator", "m", 4, 7, {"aa"}, "cc", 3, sent}), 4);
    journal.append(Payload(Judged{.guard = {true, "built_in: terminal", "user", "panel"},
                                  .call_id = "c1",
                                  .tool = "click",
                                  .policy = std::chrono::microseconds(3'250'500)}),
                   4);
    journal.append(Payload(Judged{.guard = {false, "default", "rule", {}}, .step = "press Escape"}),
                   4);
    journal.append(Payload(Recovered{.guard = GuardRecord{false, "default", "rule", {}},
                                     .policy = std::chrono::microseconds(1500)}),
                   4);
    const std::vector<Event> events = read_journal(folder / "events.jsonl");
    REQUIRE(events.size() == 6);
    const auto& request = std::get<Asked>(events[2].payload);
    CHECK(request.number == 3);
    REQUIRE(request.sent);
    CHECK(request.sent->same == 1);
    CHECK(request.sent->added == sent.added);
    CHECK(request.sent->tools == sent.tools);
    CHECK(request.sent->structure == sent.structure);
    for (const Event& event : events) CHECK(written(event) == event.line);
    const auto& changed = std::get<StateChanged>(events[0].payload).state;
    CHECK(changed.turn == 3);
    CHECK(changed.archived_actions == 5);
    CHECK(std::get<Asked>(events[1].payload).tools == 7);
    const auto& judged = std::get<Judged>(events[3].payload);
    CHECK(judged.guard == GuardRecord{true, "built_in: terminal", "user", "panel"});
    CHECK(judged.call_id == "c1");
    CHECK(judged.tool == "click");
    CHECK(judged.policy == std::chrono::microseconds(3'250'500));
    CHECK(std::get<Judged>(events[4].payload).step == "press Escape");
    CHECK(std::get<Recovered>(events[5].payload).policy == std::chrono::microseconds(1500));
}

TEST_CASE("journal reader: an event of a later version keeps its type and its line") {
    const std::string line = R"({"seq":7,"t":12,"type":"dreamt","turn":2,"prev":"x","of":"sheep"})";
    const Event event = parse_event(line);
    CHECK(event.seq == 7);
    CHECK(event.t == std::chrono::milliseconds(12));
    CHECK(event.turn == 2);
    CHECK(event.line == line);
    CHECK(type_name(event) == "dreamt");
    CHECK(std::get<UnknownEvent>(event.payload).problem.empty());
}

TEST_CASE("journal reader: a damaged event is an unknown event with a reason") {
    for (const char* line : {"", "x", "[]", "7", R"({"seq":1})", R"({"type":7})",
                             R"({"type":"observed","seq":-1,"t":"x","turn":1e99})",
                             R"({"type":"run_finished","outcome":"glorious"})"}) {
        CAPTURE(line);
        const Event event = parse_event(line);
        REQUIRE(std::holds_alternative<UnknownEvent>(event.payload));
        CHECK_FALSE(std::get<UnknownEvent>(event.payload).problem.empty());
        CHECK(event.line == line);
    }
    CHECK(std::get<UnknownEvent>(parsed(R"("type":"invoke","call_id":7)")).type == "invoke");
}

TEST_CASE("journal reader: members that do not affect the mode may be missing") {
    CHECK(std::get<RunStarted>(parsed(R"("type":"run_started","task":"t")")).task == "t");
    CHECK(std::get<Asked>(parsed(R"("type":"ask")")).images.empty());
    CHECK(std::get<Noted>(parsed(R"("type":"noted")")).text.empty());
    CHECK_FALSE(std::get<Judged>(parsed(R"("type":"judged")")).guard.allowed);
    CHECK(std::get<Recovered>(parsed(R"("type":"recovered","act_ms":1)")).policy.count() == 0);
    CHECK(std::get<RunResumed>(parsed(R"("type":"run_resumed")")).remarks.empty());
    CHECK(std::get<StateChanged>(parsed(R"("type":"state")")).state.plan.empty());
}

TEST_CASE("journal reader: a journal is followed while it is written") {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "events.jsonl";
    JournalReader reader(file);
    CHECK_FALSE(reader.next()); // the file does not exist yet
    CHECK_FALSE(std::filesystem::exists(file));
    Journal journal(file); // locks it for writing
    journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
    const auto first = reader.next();
    REQUIRE(first);
    CHECK(std::get<RunStarted>(first->payload).task == "do it");
    CHECK_FALSE(reader.next());
    journal.append(Fact(Stopped{"enough"}), 1);
    const auto second = reader.next();
    REQUIRE(second);
    CHECK(std::get<Stopped>(second->payload).reason == "enough");
    CHECK_FALSE(reader.next());
}

TEST_CASE("journal reader: a torn line is read once it is complete") {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "events.jsonl";
    append(file, R"({"seq":1,"t":0,"type":"stopped","turn":0,)");
    JournalReader reader(file);
    CHECK_FALSE(reader.next());
    CHECK(reader.torn());
    append(file, R"("prev":"","why":"enough"})");
    CHECK_FALSE(reader.next());
    append(file, "\n");
    const auto event = reader.next();
    REQUIRE(event);
    CHECK(std::get<Stopped>(event->payload).reason == "enough");
    CHECK_FALSE(reader.torn());
}

TEST_CASE("journal reader: damaged and overlong lines are counted, and the others are read") {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "events.jsonl";
    append(file, "no JSON\n" + std::string(9 << 20, ' ') + "\n" +
                     R"({"seq":2,"t":0,"type":"stopped","turn":0,"why":"enough"})" + "\n");
    JournalReader reader(file);
    const auto first = reader.next();
    REQUIRE(first);
    CHECK(std::holds_alternative<UnknownEvent>(first->payload));
    const auto second = reader.next();
    REQUIRE(second);
    CHECK(std::get<Stopped>(second->payload).reason == "enough");
    CHECK_FALSE(reader.next());
    CHECK(reader.damaged() == 1);
    CHECK(reader.too_long() == 1);
    CHECK(read_journal(folder.path()).empty()); // not a regular file
}

TEST_CASE("journal reader: the chain of entries reveals changes") {
    const std::vector<Event> events = read_journal(golden("team"));
    const auto problems = [](const std::vector<Event>& all) {
        ChainVerifier chain;
        std::vector<std::string> found;
        for (const Event& event : all)
            if (std::string problem = chain.check(event); !problem.empty())
                found.push_back(std::to_string(event.seq) + ": " + problem);
        return found;
    };
    CHECK(problems(events).empty());

    std::vector<Event> without_third = events;
    without_third.erase(without_third.begin() + 2);
    CHECK(problems(without_third) == std::vector<std::string>{"4: the entry before it is missing"});

    std::vector<Event> changed = events;
    changed[2].line += ' ';
    CHECK(problems(changed) == std::vector<std::string>{"4: the line before it has been changed"});

    std::vector<Event> late(events.begin() + 1, events.end());
    CHECK(problems(late) == std::vector<std::string>{"2: the entry before it is missing"});
    CHECK(ChainVerifier().check(parse_event("x")) == "it is not a JSON object");
}
