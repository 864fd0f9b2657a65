// The texts of requests: stored once, and named by the journal.
#include "eyehand/agent/prompt.hpp"

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "record/prompt_files.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

struct PromptStage {
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    std::string profile = "observer";
    int clicks = 0;

    PromptStage() {
        desktop.on_input = [this](const winio::InputEvent& event) {
            if (std::holds_alternative<winio::ButtonChange>(event))
                desktop.screen().fill({10 * ++clicks, 10, 8, 8}, {0, 0, 255, 255});
        };
    }
    Agent agent() {
        AgentOptions options;
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        return {desktop, model, load_profile(profile), built_in_tools(), options};
    }
};

std::string hash_of(std::string_view text) { return vlm::sha256_hex(text).substr(0, 32); }

std::vector<Asked> requests_of(const RunStore& store) {
    std::vector<Asked> all;
    for (const Event& event : read_journal(store))
        if (const auto* request = std::get_if<Asked>(&event.payload)) all.push_back(*request);
    return all;
}

std::string in_words(const vlm::ToolCall& call) {
    return fmt::format(" {{{} {} {}}}", call.id, call.name, call.arguments_json);
}

/// "user (): text [image]"
std::string in_words(const vlm::Message& message) {
    std::string all = fmt::format("{} ({}):", vlm::to_string(message.role), message.tool_call_id);
    for (const vlm::Part& part : message.parts) {
        if (const auto* image = std::get_if<vlm::Image>(&part))
            all += " [" + image->sha256 + "]";
        else
            all += " " + std::get<std::string>(part);
    }
    for (const vlm::ToolCall& call : message.tool_calls) all += in_words(call);
    return all;
}

/// The same for a message of the journal, with its texts from the store.
std::string in_words(const SentMessage& message, const RunStore& store) {
    std::string all = fmt::format("{} ({}):", message.role, message.tool_call_id);
    for (const SentPart& part : message.parts) {
        if (part.image_sha256.empty())
            all += " " + read_prompt(store, part.text.hash).value_or("missing");
        else
            all += " [" + part.image_sha256 + "]";
    }
    for (const vlm::ToolCall& call : message.tool_calls) all += in_words(call);
    return all;
}

std::vector<std::string> in_words(const vlm::ChatRequest& request) {
    std::vector<std::string> all;
    for (const vlm::Message& message : request.messages) all.push_back(in_words(message));
    return all;
}

/// The messages of all requests, from the files of the run.
std::vector<std::vector<std::string>> stored_requests(const RunStore& store) {
    std::map<std::string, std::vector<std::string>> latest;
    std::vector<std::vector<std::string>> all;
    for (const Asked& request : requests_of(store)) {
        REQUIRE(request.sent);
        std::vector<std::string>& messages = latest[request.role];
        REQUIRE(request.sent->same <= messages.size());
        messages.resize(request.sent->same);
        for (const SentMessage& message : request.sent->added)
            messages.push_back(in_words(message, store));
        CHECK(messages.size() == request.messages);
        all.push_back(messages);
    }
    return all;
}

std::vector<std::vector<std::string>> sent_requests(const vlm::testing::ScriptedModel& model) {
    std::vector<std::vector<std::string>> all;
    for (const vlm::ChatRequest& request : model.requests()) all.push_back(in_words(request));
    return all;
}

void click_often(PromptStage& stage, int times) {
    for (int i = 0; i < times; ++i)
        stage.model
            .call("click_element", fmt::format(R"({{"label":"OK","box":[{},400]}})", 300 + 20 * i),
                  "I click.")
            .call("observe_screen", "{}");
    stage.model.say("It is done.");
}

} // namespace

TEST_CASE("prompts: the requests of a conversation can be read from the files of the run") {
    PromptStage stage;
    click_often(stage, 7); // older screenshots become placeholders
    MemoryStore store;
    (void)stage.agent().run("Click \"OK\" \xF0\x9F\x98\x80.", store, stage.control);
    REQUIRE(stage.model.requests().size() > 8);
    CHECK(stored_requests(store) == sent_requests(stage.model));
    // Each request lists only what is new.
    const std::vector<Asked> requests = requests_of(store);
    CHECK(requests[1].sent->same == requests[0].messages);
    std::size_t listed = 0;
    for (const Asked& request : requests) listed += request.sent->added.size();
    CHECK(listed < 3 * requests.back().messages);
}

TEST_CASE("prompts: the requests of a team can be read from the files of the run") {
    PromptStage stage;
    stage.profile = "commander";
    const std::string brief = R"({"operator_instructions":"Click OK.","rationale":"It is next."})";
    stage.model.call("spawn_operator", brief, "1. click OK (now)")
        .call("click_element", R"({"justification":"asked","label":"OK","position":[300,400]})")
        .call("report_progress", R"({"objective_id":"1","status":"DONE","evidence":"it is gone"})")
        .call("spawn_operator", brief, "2. check (now)")
        .call("spawn_operator", brief, "2. check (now)") // the review of turn 5
        .call("report_completion", fmt::format(R"({{"evidence":"{}"}})", std::string(120, 'e')));
    MemoryStore store;
    (void)stage.agent().run("click OK", store, stage.control);
    REQUIRE(stage.model.requests().size() >= 5);
    CHECK(stored_requests(store) == sent_requests(stage.model));
    const std::vector<Asked> requests = requests_of(store);
    CHECK(requests[0].sent->same == 0);
    CHECK(requests[2].role == "operator");
    CHECK(requests[2].sent->same == 1); // its instructions, as in request 2
    const auto tools = read_prompt(store, requests[0].sent->tools->hash);
    REQUIRE(tools);
    CHECK_THAT(*tools, ContainsSubstring(R"("name":"spawn_operator")"));
    CHECK_THAT(*tools, !ContainsSubstring("click_element"));
}

TEST_CASE("prompts: the schema of a visual loop's replies is stored") {
    PromptStage stage;
    stage.profile = "story";
    stage.model.say(R"({"observation":"Done.","bboxes":[],"actions":[],"done":true})");
    MemoryStore store;
    (void)stage.agent().run("look", store, stage.control);
    CHECK(stored_requests(store) == sent_requests(stage.model));
    const Asked request = requests_of(store).front();
    const auto& format = stage.model.requests().front().response_format;
    REQUIRE(request.sent->structure.has_value() == format.has_value());
    if (format) CHECK(read_prompt(store, request.sent->structure->hash) == format->schema_json);
}

TEST_CASE("prompts: each text is stored once") {
    PromptStage stage;
    click_often(stage, 4);
    MemoryStore store;
    (void)stage.agent().run("click", store, stage.control);
    std::vector<std::string> texts;
    for (const std::string& name : store.names())
        if (name.starts_with("prompts/")) texts.push_back(store.bytes(name));
    REQUIRE(texts.size() > 5);
    std::sort(texts.begin(), texts.end());
    CHECK(std::adjacent_find(texts.begin(), texts.end()) == texts.end());
    for (const Asked& request : requests_of(store)) CHECK(request.sent->tools.has_value());
}

TEST_CASE("prompts: a request has its number in the run and its texts before its entry") {
    /// Reads the texts of a request as soon as the entry is written.
    struct Reader final : Observer {
        const RunStore* store = nullptr;
        int requests = 0;
        void on_event(const Event& event) override {
            const auto* request = std::get_if<Asked>(&event.payload);
            if (request == nullptr) return;
            CHECK(request->number == ++requests);
            for (const SentMessage& message : request->sent->added)
                for (const SentPart& part : message.parts)
                    if (part.image_sha256.empty()) CHECK(read_prompt(*store, part.text.hash));
        }
    };
    PromptStage stage;
    click_often(stage, 1);
    MemoryStore store;
    Reader reader;
    reader.store = &store;
    (void)stage.agent().run("click", store, stage.control, &reader);
    CHECK(reader.requests == 3);
}

TEST_CASE("prompts: a text that cannot be stored ends the run before its request") {
    const test::TempFolder folder;
    PromptStage stage;
    stage.model.say("It is done.");
    RunDirectory directory = RunDirectory::create(folder.path());
    std::ofstream(directory.path() / "prompts") << "in the way";
    try {
        (void)stage.agent().run("click", directory, stage.control);
        FAIL("the run continued");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
    }
    CHECK(stage.model.requests().empty());
    CHECK(requests_of(directory).empty());
    CHECK(load_run(directory.path()).outcome == "failed");
}

TEST_CASE("prompts: an incomplete text of a killed run is written again") {
    const test::TempFolder folder;
    PromptStage stage;
    stage.model.say("It is done.");
    RunDirectory directory = RunDirectory::create(folder.path());
    const std::string task = "Click all of the buttons.";
    MemoryStore whole;
    {
        PromptStage same;
        same.model.say("It is done.");
        (void)same.agent().run(task, whole, same.control);
    }
    for (const std::string& name : whole.names())
        if (name.starts_with("prompts/")) directory.create(name, whole.bytes(name).substr(0, 3));
    (void)stage.agent().run(task, directory, stage.control);
    CHECK(stored_requests(directory) == sent_requests(stage.model));
}

TEST_CASE("prompts: a resumed run continues with the differences") {
    PromptStage stage;
    stage.model.call("observe_screen", "{}").fail({vlm::errc::unreachable, "no server"});
    MemoryStore store;
    CHECK(stage.agent().run("click", store, stage.control).outcome == Outcome::endpoint_failed);
    stage.model.say("It is done.");
    RunControl control;
    CHECK(stage.agent().resume(store, control).outcome == Outcome::completed);
    CHECK(stored_requests(store).back() == sent_requests(stage.model).back());
    const std::vector<Asked> requests = requests_of(store);
    REQUIRE(requests.size() >= 3);
    CHECK(requests.back().number == static_cast<int>(requests.size()));
    CHECK(requests[2].sent->same >= requests[0].messages);
}

TEST_CASE("prompts: a journal without a store has no texts") {
    const test::TempFolder folder;
    Journal journal(folder / "events.jsonl");
    Ask ask{"agent", {}};
    ask.request.messages = {vlm::Message::system("Be brief."), vlm::Message::user("hello")};
    journal.append(Command(ask), 1);
    journal.append(Command(ask), 2);
    const std::vector<Event> events = read_journal(folder / "events.jsonl");
    REQUIRE(events.size() == 2);
    CHECK_FALSE(std::get<Asked>(events[1].payload).sent);
    CHECK(std::get<Asked>(events[1].payload).number == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "prompts"));
}

TEST_CASE("prompts: after the first difference, all messages are listed") {
    MemoryStore store;
    Journal journal(store);
    const auto ask = [&](const char* role, const std::vector<const char*>& texts) {
        Ask command{role, {}};
        for (const char* text : texts) command.request.messages.push_back(vlm::Message::user(text));
        journal.append(Command(command), 1);
    };
    ask("agent", {"a", "b"});
    ask("agent", {"a", "c", "b"});
    ask("other", {"a"});
    ask("agent", {"a"});
    std::vector<std::pair<std::size_t, std::size_t>> listed;
    for (const Asked& request : requests_of(store))
        listed.emplace_back(request.sent->same, request.sent->added.size());
    CHECK(listed ==
          std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {1, 2}, {0, 1}, {1, 0}});
}

TEST_CASE("prompts: only texts of the run can be read, and only unchanged ones") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    const std::string hash = hash_of("hello");
    CHECK_FALSE(read_prompt(directory.path(), hash));
    directory.create("prompts/" + hash.substr(0, 2) + "/" + hash + ".txt", "hello");
    CHECK(read_prompt(directory.path(), hash) == "hello");
    CHECK(read_prompt(static_cast<const RunStore&>(directory), hash) == "hello");
    const std::string other = hash_of("other");
    directory.create("prompts/" + other.substr(0, 2) + "/" + other + ".txt", "changed");
    std::ofstream(directory.path() / "note.txt") << "a note";
    std::string upper = hash;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c; });
    CHECK(upper != hash);
    for (const std::string& name :
         {other, upper, hash + "0", hash.substr(1), std::string("../note"), std::string("note"),
          std::string(), std::string("../../run.json"), std::string(32, '.')}) {
        CAPTURE(name);
        CHECK_FALSE(read_prompt(directory.path(), name));
        CHECK_FALSE(read_prompt(static_cast<const RunStore&>(directory), name));
    }
}

#ifndef _WIN32
TEST_CASE("prompts: a link out of the run directory is not followed") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    const std::string hash = hash_of("secret");
    std::ofstream(folder / "secret.txt") << "secret";
    std::filesystem::create_directory(directory.path() / "prompts");
    std::filesystem::create_symlink(folder / "secret.txt",
                                    directory.path() / "prompts" / (hash + ".txt"));
    CHECK_FALSE(read_prompt(directory.path(), hash));
    std::filesystem::remove_all(directory.path() / "prompts");
    std::filesystem::create_directory(folder / "elsewhere");
    std::ofstream(folder / "elsewhere" / (hash + ".txt")) << "secret";
    std::filesystem::create_directory_symlink(folder / "elsewhere", directory.path() / "prompts");
    CHECK_FALSE(read_prompt(directory.path(), hash));
}
#endif

namespace {

Event asked(Asked request, int turn) {
    return {.seq = 1, .turn = turn, .payload = std::move(request), .line = {}};
}

SentMessage message(const char* role, const char* hash) {
    return {role, {{{hash, 1}, {}}}, {}, {}};
}

Asked request(const char* role, std::size_t same, std::vector<SentMessage> added) {
    Asked all;
    all.role = role;
    all.messages = same + added.size();
    all.sent = SentMessages{.same = same, .added = std::move(added)};
    return all;
}

const RequestView& latest(const RunView& run) {
    const auto& items = run.turn(run.turn_count() - 1).items;
    return std::get<RequestView>(items.back());
}

} // namespace

TEST_CASE("prompts: a view knows the requests that were not sent") {
    const bool sent = GENERATE(true, false);
    RunView run(load_profile("observer"));
    run.apply(asked(request("agent", 0, {message("user", "a")}), 1));
    REQUIRE(latest(run).sent);
    Event superseded = asked(request("agent", 0, {}), 1);
    superseded.payload = Superseded{"aa", {}, std::chrono::milliseconds(sent ? 1 : 0), {}};
    run.apply(superseded);
    CHECK(latest(run).sent == sent);
}

TEST_CASE("prompts: a view compares a request with the previous one of its role") {
    RunView run(load_profile("commander"));
    run.apply(asked(request("commander", 0, {message("system", "a"), message("user", "b")}), 1));
    CHECK(latest(run).previous == 0);
    CHECK(latest(run).added.size() == 2);
    run.apply(asked(request("operator", 0, {message("system", "c")}), 2));
    CHECK(latest(run).previous == 0);
    run.apply(asked(request("commander", 1, {message("user", "d"), message("tool", "e")}), 3));
    CHECK(latest(run).number == 3);
    CHECK(latest(run).previous == 1);
    CHECK(latest(run).same == 1);
    REQUIRE(latest(run).replaced.size() == 1);
    CHECK(latest(run).replaced[0]->parts[0].text.hash == "b");
    CHECK(latest(run).added[0]->parts[0].text.hash == "d");
    run.apply(asked(request("commander", 3, {}), 4));
    CHECK(latest(run).replaced.empty());
}

TEST_CASE("prompts: a view of a damaged or an older journal has no wrong comparison") {
    RunView run(load_profile("observer"), {.messages_per_request = 2});
    run.apply(asked(request("agent", 7, {message("user", "a")}), 1));
    CHECK(latest(run).same == 0);
    run.apply(asked(request("agent", 9, {message("user", "b")}), 2));
    CHECK(latest(run).same == 1);
    Asked older;
    older.role = "agent";
    run.apply(asked(older, 3));
    CHECK(run.turn(2).items.empty());
    run.apply(asked(request("agent", 1, std::vector<SentMessage>(5, message("user", "c"))), 4));
    CHECK(latest(run).previous == 0);
    CHECK(latest(run).same == 0);
    CHECK(latest(run).added.size() == 2);
    CHECK(latest(run).left_out == 3);
    for (int role = 0; role < 100; ++role)
        run.apply(asked(request(fmt::format("role {}", role).c_str(), 0, {}), 5));
    CHECK(run.turn(4).items.size() == 100);
}

TEST_CASE("prompts: an entry with texts is read as it was written, and a damaged one is unknown") {
    MemoryStore store;
    PromptStage stage;
    click_often(stage, 1);
    (void)stage.agent().run("click", store, stage.control);
    for (const char* entry :
         {R"("added":7)", R"("added":[{}])", R"("added":[{"role":"user","parts":[{"text":7}]}])",
          R"("added":[{"role":"user","parts":["x"]}])", R"("added":[],"same":-1)",
          R"("added":[],"tools_text":"x")"}) {
        CAPTURE(entry);
        const Event event =
            parse_event(fmt::format(R"({{"seq":1,"t":1,"turn":1,"type":"ask",{}}})", entry));
        REQUIRE(std::holds_alternative<UnknownEvent>(event.payload));
        CHECK_FALSE(std::get<UnknownEvent>(event.payload).problem.empty());
    }
    const Journal again(store); // reads all entries
    CHECK(again.outcome() == "completed");
}

TEST_CASE("prompts: a run does not remember all of its texts, but stores each one") {
    MemoryStore store;
    PromptFiles files(store);
    const auto send = [&](const std::string& text) {
        vlm::ChatRequest request;
        request.messages = {vlm::Message::user(text)};
        (void)files.store(request, {});
    };
    const std::string hash = hash_of("the first one");
    send("the first one");
    const std::string name = store.names().front();
    store.replace(name, "damaged");
    send("the first one"); // remembered: the file is not read
    CHECK_FALSE(read_prompt(store, hash));
    for (int i = 0; i < 5000; ++i) send(fmt::format("text {}", i));
    send("the first one"); // forgotten: the file is read, and written again
    CHECK(read_prompt(store, hash) == "the first one");
}
