// The limits of a run (run_limits.hpp).
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "run/limit_watch.hpp"

#include "catch.hpp"
#include "eventually.hpp"
#include "temp_folder.hpp"

#include <fmt/format.h>

using namespace eyehand;
using namespace eyehand::agent;
using vlm::testing::ScriptedModel;

namespace {

struct RunLimitsStage {
    test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    ScriptedModel model;
    RunControl control;
    AgentOptions options;
    Profile profile = load_profile("observer");

    RunLimitsStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    RunFinished run() {
        return Agent(desktop, model, profile, desktop_tools(), options)
            .run("do it", directory, control);
    }
    RunFinished resume() {
        control = RunControl();
        return Agent(desktop, model, profile, desktop_tools(), options).resume(directory, control);
    }
    /// Queues a press of a key; the reply and its request have cost so many tokens.
    void press(const std::string& key, int tokens = 0) {
        vlm::ChatReply reply;
        reply.tool_calls.push_back({key, "press_key", fmt::format(R"({{"key":"{}"}})", key)});
        reply.usage = {.prompt_tokens = tokens - 1, .completion_tokens = 1};
        model.reply_with(std::move(reply));
    }
    [[nodiscard]] std::size_t keys() const { return desktop.events().size() / 2; }
};

} // namespace

TEST_CASE("a run ends when its tokens are used up, and the last reply is not carried out") {
    RunLimitsStage stage;
    stage.options.limits.max_tokens = 250;
    for (const char* key : {"a", "b", "c"}) stage.press(key, 100);
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK(result.reason == "the token limit of 250 is reached: 300 tokens");
    CHECK(stage.keys() == 2);

    SECTION("a resumed run has used the tokens of its earlier parts") {
        CHECK(stage.resume().outcome == Outcome::steps_used_up);
        CHECK(stage.keys() == 2);
        stage.options.limits.max_tokens = 301;
        stage.press("d", 1);
        CHECK(stage.resume().reason == "the token limit of 301 is reached: 301 tokens");
    }
    SECTION("the journal tells a limit from a stop by the user") {
        const std::vector<Event> events = read_journal(stage.directory);
        const auto stopped = std::find_if(events.begin(), events.end(), [](const Event& event) {
            return std::holds_alternative<Stopped>(event.payload);
        });
        REQUIRE(stopped != events.end());
        CHECK(std::get<Stopped>(stopped->payload).at_limit);
    }
}

TEST_CASE("the tokens of canceled requests count for the limit, those of unsent ones do not") {
    const bool was_sent = GENERATE(true, false);
    RunLimitsStage stage;
    RunPort port(stage.control);
    LimitWatch watch({.max_tokens = 150}, port, stage.directory, {});
    watch.count(vlm::Usage{.prompt_tokens = 100});
    Superseded canceled;
    canceled.after = std::chrono::milliseconds(was_sent ? 1 : 0);
    canceled.estimated_tokens = 100;
    Event event;
    event.payload = canceled;
    watch.on_event(event);
    CHECK(port.stopping() == was_sent);
}

TEST_CASE("a run ends when it acts too often within a minute") {
    RunLimitsStage stage;
    stage.options.limits.max_actions_per_minute = 2;
    for (const char* key : {"a", "b", "c", "d"}) stage.press(key);
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK(result.reason == "the limit of 2 actions per minute is exceeded");
    CHECK(stage.keys() == 3);
}

TEST_CASE("a run ends when its files have become too large") {
    RunLimitsStage stage;
    stage.options.limits.max_bytes = 20'000;
    stage.profile.max_turns = 1000;
    for (int i = 0; i < 1000; ++i) stage.press(i % 2 == 0 ? "a" : "b");
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK_THAT(result.reason,
               ContainsSubstring("the limit of 20000 bytes for the run's files is reached"));
    CHECK(stage.keys() >= 1);
    CHECK(stage.keys() < 1000);
}

TEST_CASE("the time limit ends a wait for the model") {
    RunLimitsStage stage;
    stage.options.limits.max_time = std::chrono::milliseconds(20);
    // The model would wait forever; the stop of the run interrupts it.
    class Hanging final : public vlm::ChatModel {
    public:
        vlm::ChatReply reply(const vlm::ChatRequest&, const vlm::OnDelta&,
                             std::stop_token stop) override {
            if (!test::eventually([&] { return stop.stop_requested(); }))
                throw std::logic_error("the request was not canceled");
            throw vlm::Error(vlm::errc::cancelled, "canceled");
        }
    } model;
    Agent agent(stage.desktop, model, stage.profile, desktop_tools(), stage.options);
    const RunFinished result = agent.run("do it", stage.directory, stage.control);
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK(result.reason == "the time limit of 0.02 s is reached");
}

TEST_CASE("the time limit ends a wait for the user") {
    RunLimitsStage stage;
    stage.options.guard = Guard(GuardLevel::strict);
    stage.options.approvals = Approvals::user;
    stage.options.limits.max_time = std::chrono::milliseconds(200);
    stage.press("a");
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK(stage.keys() == 0);
}

TEST_CASE("a resumed run has used the time of its earlier parts") {
    RunLimitsStage stage;
    stage.options.limits.max_time = std::chrono::hours(1);
    stage.control.stop("the first part");
    CHECK(stage.run().outcome == Outcome::cancelled);
    stage.options.limits.max_time = std::chrono::milliseconds(0);
    CHECK(stage.resume().reason == "the time limit of 0 s is reached");
}

TEST_CASE("the size of a run directory is the size of its files") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    directory.create("a.txt", "12345");
    const auto stream = directory.open_append("b.txt");
    stream->append("123");
    CHECK(directory.size() == 8);
    stream->append("4567");
    stream->cut(2);
    directory.replace("a.txt", "1");
    CHECK(directory.size() == 3);
    CHECK(RunDirectory::open(directory.path()).size() == 3);

    MemoryStore memory;
    memory.create("a.txt", "12345");
    CHECK(memory.size() == 5);
}
