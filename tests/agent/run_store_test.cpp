#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>

using namespace eyehand;
using namespace eyehand::agent;

namespace {

/// Both kinds of stores, which must behave alike.
struct Stores {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    MemoryStore memory;
    RunStore& get(bool in_memory) { return in_memory ? static_cast<RunStore&>(memory) : directory; }
};

std::string bytes_of(const RunStore& store, const std::string& name) {
    const auto in = store.open_read(name);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(*in), {}};
}

errc code_of(RunStore& store) {
    try {
        (void)store.lock_journal();
    } catch (const Error& error) {
        return static_cast<errc>(error.code().value());
    }
    return {};
}

struct RunStoreStage {
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    AgentOptions options;
    RunStoreStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    Agent agent(Profile profile = load_profile("observer")) {
        return {desktop, model, std::move(profile), built_in_tools(), options};
    }
};

} // namespace

TEST_CASE("run store: files are appended to, replaced and read back") {
    Stores stores;
    RunStore& store = stores.get(GENERATE(false, true));
    CHECK_FALSE(store.contains("execution_log.txt"));
    CHECK(store.open_read("execution_log.txt") == nullptr);
    store.open_append("execution_log.txt")->append("one\n");
    const auto stream = store.open_append("execution_log.txt");
    stream->append("two\n");
    CHECK(bytes_of(store, "execution_log.txt") == "one\ntwo\n");
    stream->cut(4);
    stream->append("three\n");
    CHECK(bytes_of(store, "execution_log.txt") == "one\nthree\n");
    store.replace("run.json", "{}");
    store.replace("run.json", "{\"a\":1}");
    CHECK(bytes_of(store, "run.json") == "{\"a\":1}");
    store.create("turn_0001/screenshot_raw.png", std::string("\0\xFF\r\n", 4));
    CHECK(bytes_of(store, "turn_0001/screenshot_raw.png") == std::string("\0\xFF\r\n", 4));
    CHECK(store.contains("turn_0001/screenshot_raw.png"));
}

TEST_CASE("run store: a journal has one writer at a time, and any number of readers") {
    Stores stores;
    RunStore& store = stores.get(GENERATE(false, true));
    {
        const Journal journal(store);
        CHECK(code_of(store) == errc::run_locked);
        CHECK_THROWS_AS(Journal(store), Error);
        CHECK(read_journal(store).empty());
    }
    CHECK(code_of(store) == errc{});
}

TEST_CASE("run store: a journal is locked while it has a writer") {
    Stores stores;
    RunStore& store = stores.get(GENERATE(false, true));
    CHECK_FALSE(store.journal_is_locked());
    CHECK_FALSE(store.contains(journal_name)); // the check creates no file
    {
        const Journal journal(store);
        CHECK(store.journal_is_locked());
        CHECK(store.journal_is_locked()); // the check keeps no lock
        CHECK(code_of(store) == errc::run_locked);
    }
    CHECK_FALSE(store.journal_is_locked());
    const Journal again(store);
    CHECK(store.journal_is_locked());
}

TEST_CASE("run store: a writer can lock the journal while others check the lock") {
    Stores stores;
    std::atomic<bool> done = false;
    std::jthread asking([&] {
        while (!done) (void)stores.directory.journal_is_locked();
    });
    for (int i = 0; i < 50; ++i) CHECK(code_of(stores.directory) == errc{});
    done = true;
}

TEST_CASE("run store: a journal is continued, without its torn last line") {
    Stores stores;
    RunStore& store = stores.get(GENERATE(false, true));
    {
        Journal journal(store);
        journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
        journal.append(Fact(Stopped{"enough"}), 1);
    }
    store.open_append(journal_name)->append(R"({"seq":3,)");
    {
        Journal journal(store);
        CHECK(journal.task() == "do it");
        CHECK(journal.recovered().size() == 1);
        journal.append(Payload(Noted{"loop", "x"}), 1);
    }
    const std::vector<Event> events = read_journal(store);
    REQUIRE(events.size() == 3);
    ChainVerifier chain;
    for (const Event& event : events) CHECK(chain.check(event).empty());
}

TEST_CASE(
    "run store: a run in memory has the files of a run directory, and writes nothing to the disk") {
    const test::TempFolder folder;
    const auto run = [&](RunStore& store) {
        RunStoreStage stage;
        stage.model.call("observe_screen", "{}", "I look.").say("done");
        return stage.agent().run("do it", store, stage.control).outcome;
    };
    MemoryStore memory;
    CHECK(run(memory) == Outcome::completed);
    RunDirectory directory = RunDirectory::create(folder.path());
    CHECK(run(directory) == Outcome::completed);

    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path()))
        if (entry.is_regular_file())
            files.push_back(
                std::filesystem::relative(entry.path(), directory.path()).generic_string());
    std::sort(files.begin(), files.end());
    CHECK(memory.names() == files);
    CHECK(memory.bytes("run.json").size() > 100);
    CHECK(memory.bytes("screenshots/turn_0001.png").starts_with("\x89PNG"));
    CHECK_FALSE(memory.directory());
    CHECK(read_run(memory).turn_count() == read_run(directory.path()).turn_count());
    CHECK(read_run(static_cast<const RunStore&>(directory)).finished()->turns == 2);
    CHECK(load_run(memory).summary.task == "do it");
}

TEST_CASE("run store: a run in memory is resumed with its screenshots") {
    RunStoreStage stage;
    MemoryStore store;
    stage.model.call("wait", "{}").fail({vlm::errc::unreachable, "no server"});
    CHECK(stage.agent().run("do it", store, stage.control).outcome == Outcome::endpoint_failed);
    stage.model.say("done");
    const RunControl control;
    CHECK(stage.agent(load_run(store).summary.profile).resume(store, control).outcome ==
          Outcome::completed);
    const vlm::ChatRequest& request = stage.model.requests().back();
    bool has_image = false;
    for (const vlm::Message& message : request.messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<vlm::Image>(&part))
                has_image = has_image || (image->bytes && !image->bytes->empty());
    CHECK(has_image);
    CHECK_THROWS_AS(stage.agent().run("do it", store, control), Error); // it contains a run
}

TEST_CASE("run store: errors name missing files") {
    MemoryStore store;
    try {
        (void)load_run(store);
        FAIL("it was loaded");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_run);
        CHECK_THAT(error.what(), ContainsSubstring("run.json"));
    }
    store.replace("run.json", "[]");
    CHECK_THROWS_AS(load_run(store), Error);
    CHECK(read_journal(store).empty());
    RunStoreStage stage;
    CHECK_THROWS_AS(stage.agent().resume(store, stage.control), Error); // no journal
}
