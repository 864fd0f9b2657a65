// Controls runs from other threads: holds them, sends messages, answers requests.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/agent/visual_loop_settings.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "watch.hpp"

#include <future>
#include <thread>

using namespace eyehand;

namespace {

using namespace agent;

const std::string story_click =
    R"({"observation":"I click.","bboxes":[],"actions":[{"name":"click","x1":300,"y1":400}]})";
const std::string story_done =
    R"({"observation":"It is done.","bboxes":[],"actions":[],"done":true})";

bool held(const RunStatus& now) { return now.held; }

/// A run on a separate thread, held before its first command.
struct ControlStage {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    test::Watch watch{control};
    AgentOptions options;
    Profile profile;
    std::filesystem::path run_path;
    std::future<RunFinished> result;

    explicit ControlStage(const std::string& name = "observer") : profile(load_profile(name)) {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        control.pause();
    }
    ~ControlStage() { control.stop("the test is over"); }
    void begin() {
        result = std::async(std::launch::async, [this] {
            RunDirectory directory = RunDirectory::create(folder.path());
            run_path = directory.path();
            Agent agent(desktop, model, profile, built_in_tools(), options);
            return agent.run("do it", directory, control);
        });
    }
    [[nodiscard]] std::string types() const {
        std::string all;
        for (const std::string& line : test::lines_of(run_path / "events.jsonl")) {
            const auto entry = parse_json(line);
            REQUIRE(entry);
            all += std::string(entry->at("type").as_string()) + " ";
        }
        return all;
    }
    [[nodiscard]] std::string last_words() const {
        return model.requests().back().messages.back().text();
    }
};

/// Such as a stopped X server: a request fails some time after it was made, and in between, the user stops the run.
class UnansweringDesktop final : public winio::Desktop {
public:
    std::vector<winio::Display> displays() override {
        if (answers) return desktop_.displays();
        control.stop("enough");
        throw winio::Error(winio::errc::no_display, "the server does not answer");
    }
    std::unique_ptr<winio::Capturer> open_capturer(const winio::CaptureOptions& options) override {
        return desktop_.open_capturer(options);
    }
    winio::SendReport send(std::span<const winio::InputEvent> events) override {
        return desktop_.send(events);
    }
    std::optional<winio::Point> pointer() override { return desktop_.pointer(); }

    RunControl control;
    bool answers = true;

private:
    winio::testing::MemoryDesktop desktop_{winio::Size{400, 300}};
};

} // namespace

TEST_CASE("a run that is paused before its start does nothing until it is resumed") {
    ControlStage stage;
    stage.model.say("done");
    CHECK(stage.control.status().stage == RunStage::not_started);
    stage.begin();
    stage.watch.until(held);
    CHECK(stage.control.status().stage == RunStage::running);
    CHECK(stage.types() == "run_started ");
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK(stage.control.status().stage == RunStage::ended);
}

TEST_CASE("a step executes one command") {
    ControlStage stage;
    stage.model.call("click_element", R"({"label":"OK","box":[300,400]})").say("done");
    stage.begin();
    const std::vector<std::string> expected{
        "run_started ", "run_started observe observed ",
        "run_started observe observed ask replied ",
        "run_started observe observed ask replied invoke judged invoked "};
    for (const std::string& types : expected) {
        stage.watch.until(held);
        CHECK(stage.types() == types);
        stage.control.step();
    }
    CHECK(stage.result.get().outcome == Outcome::completed);
}

TEST_CASE("a command that has started completes before the run is held") {
    ControlStage stage;
    stage.control.resume();
    stage.model.answer([&](const vlm::ChatRequest&) {
        stage.control.pause();
        vlm::ChatReply reply;
        reply.tool_calls.push_back({"1", "click_element", R"({"label":"OK","box":[1,2]})", {}});
        return reply;
    });
    stage.model.say("done");
    stage.begin();
    stage.watch.until(held);
    CHECK(stage.types() == "run_started observe observed ask replied ");
    CHECK(stage.desktop.events().empty());
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
}

TEST_CASE("a held run can be stopped") {
    ControlStage stage;
    stage.begin();
    stage.watch.until(held);
    stage.control.stop("enough");
    const RunFinished result = stage.result.get();
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "enough");
}

TEST_CASE("a run that is stopped while its desktop does not answer is cancelled") {
    UnansweringDesktop desktop;
    vlm::testing::ScriptedModel model;
    model.answer([&](const vlm::ChatRequest&) {
        desktop.answers = false;
        return vlm::ChatReply{.tool_calls = {{"1", "observe_screen", "{}", {}}}};
    });
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    Agent agent(desktop, model, load_profile("observer"), built_in_tools());
    const RunFinished result = agent.run("do it", directory, desktop.control);
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "enough");
}

TEST_CASE("the model receives a message with its next request") {
    ControlStage stage;
    stage.model.say("done");
    stage.begin();
    stage.watch.until(held);
    CHECK(stage.control.send_message("The file is called notes.txt.") == SubmitResult::accepted);
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK_THAT(stage.last_words(), ContainsSubstring("The file is called notes.txt."));
    CHECK(stage.types().starts_with("run_started told observe observed ask "));
}

TEST_CASE("a message during the final answer keeps the run going") {
    ControlStage stage;
    stage.control.resume();
    stage.model.answer([&](const vlm::ChatRequest&) {
        CHECK(stage.control.send_message("And save it.") == SubmitResult::accepted);
        return vlm::ChatReply{.text = "All done."};
    });
    stage.model.say("Saved, too.");
    stage.begin();
    CHECK(stage.result.get().reason == "Saved, too.");
    CHECK_THAT(stage.last_words(), ContainsSubstring("And save it."));
}

TEST_CASE("the number of messages that wait for a safe point is limited") {
    RunControl control;
    RunPort port(control);
    port.begin(RunPort::Replies::not_taken);
    for (std::size_t i = 0; i < RunControl::max_waiting_messages; ++i)
        CHECK(control.send_message("hello") == SubmitResult::accepted);
    CHECK(control.send_message("hello") == SubmitResult::too_many);
    CHECK(port.next_message().has_value());
    CHECK(control.send_message("hello") == SubmitResult::accepted);
}

TEST_CASE("long reasons are cut, and a long annotation is rejected") {
    RunControl control;
    RunPort port(control);
    port.begin(RunPort::Replies::not_taken);
    const std::string long_text(RunControl::max_message_bytes + 10, 'x');
    test::Watch watch(control);
    auto approval =
        std::async(std::launch::async, [&] { return port.request_approval({.tool = "click"}); });
    watch.until([](const RunStatus& now) { return !now.approval_requests.empty(); });
    CHECK(control.resolve(control.status().approval_requests.front().id, {.reason = long_text}));
    CHECK(approval.get().reason.size() == RunControl::max_message_bytes);

    auto annotation =
        std::async(std::launch::async, [&] { return port.wait_for_annotation({.turn = 1}); });
    watch.until([](const RunStatus& now) { return now.annotation_request.has_value(); });
    CHECK(control.annotate(1, std::vector<std::uint8_t>(RunControl::max_annotation_bytes + 1)) ==
          SubmitResult::too_long);
    control.stop(long_text);
    CHECK(annotation.get() == nullptr);
    CHECK(control.stop_reason().size() == RunControl::max_message_bytes);
}

TEST_CASE("input that the run cannot use is rejected") {
    ControlStage stage;
    CHECK(stage.control.send_message("too early") == SubmitResult::run_ended);
    stage.model.say("done");
    stage.begin();
    stage.watch.until(held);
    CHECK(stage.control.inject(story_done) == SubmitResult::not_expected); // takes none
    CHECK(stage.control.annotate(1, {}) == SubmitResult::not_expected);
    CHECK_FALSE(stage.control.resolve(1, {.granted = true}));
    CHECK(stage.control.send_message(std::string(RunControl::max_message_bytes + 1, 'x')) ==
          SubmitResult::too_long);
    stage.control.resume();
    (void)stage.result.get();
    CHECK(stage.control.send_message("too late") == SubmitResult::run_ended);
}

TEST_CASE("an action waits for approval if actions require it") {
    ControlStage stage;
    stage.control.resume();
    stage.options.guard = Guard(GuardLevel::strict);
    stage.options.approvals = Approvals::user;
    stage.model.call("observe_screen", "{}")
        .call("click_element", R"({"label":"OK","box":[300,400]})")
        .say("done");
    stage.begin();
    const RunStatus now =
        stage.watch.until([](const RunStatus& it) { return !it.approval_requests.empty(); });
    REQUIRE(now.approval_requests.size() == 1);
    const ApprovalRequest& question = now.approval_requests.front();
    CHECK(question.tool == "click_element");
    CHECK(question.turn == 2);
    CHECK(question.points == std::vector<winio::NormPoint>{{300, 400}});
    CHECK(stage.desktop.events().empty());

    SECTION("granted") {
        CHECK(stage.control.resolve(question.id, {.granted = true}));
        CHECK(stage.result.get().outcome == Outcome::completed);
        CHECK(stage.desktop.pointer() == winio::Point{150, 200});
    }
    SECTION("denied, with a reason for the model") {
        CHECK(stage.control.resolve(question.id, {.granted = false, .reason = "Not that one."}));
        CHECK_FALSE(stage.control.resolve(question.id, {.granted = true})); // the first one counts
        CHECK(stage.result.get().outcome == Outcome::completed);
        CHECK(stage.desktop.events().empty());
        CHECK_THAT(stage.last_words(), ContainsSubstring("Not that one."));
        CHECK_THAT(stage.last_words(), ContainsSubstring("denied"));
    }
    SECTION("the run is stopped") {
        stage.control.stop("enough");
        CHECK(stage.result.get().outcome == Outcome::cancelled);
        CHECK(stage.desktop.events().empty());
        CHECK(stage.control.status().approval_requests.empty());
    }
}

TEST_CASE("a visual loop without a first reply waits for one") {
    ControlStage stage("story");
    stage.profile.settings<VisualLoopSettings>()->boot.clear();
    stage.control.resume();
    stage.options.first_reply = Source::client;
    stage.model.say(story_done);
    stage.begin();
    stage.watch.until([](const RunStatus& now) { return now.for_reply; });
    CHECK(stage.control.inject(story_click) == SubmitResult::accepted);
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
    CHECK(stage.types().starts_with(
        "run_started await told invoke judged invoked observe observed ask "));
}

TEST_CASE("a visual loop that waits for its first reply can be stopped") {
    ControlStage stage("story");
    stage.profile.settings<VisualLoopSettings>()->boot.clear();
    stage.control.resume();
    stage.options.first_reply = Source::client;
    stage.begin();
    stage.watch.until([](const RunStatus& now) { return now.for_reply; });
    stage.control.stop("enough");
    CHECK(stage.result.get().outcome == Outcome::cancelled);
}

TEST_CASE("without a client, a visual loop needs its first reply") {
    ControlStage stage("story");
    stage.profile.settings<VisualLoopSettings>()->boot.clear();
    try {
        Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
        FAIL("the agent was constructed without a first reply");
    } catch (const Error& error) {
        CHECK(error.code() == errc::bad_profile);
        CHECK_THAT(error.what(), ContainsSubstring("boot"));
    }
}

TEST_CASE("an injected reply replaces the model's next one") {
    ControlStage stage("story");
    stage.model.say(story_done);
    stage.begin();
    stage.watch.until(held);
    CHECK(stage.control.inject(story_click) == SubmitResult::accepted);
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK(stage.model.requests().size() == 1);
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
}

TEST_CASE("the client annotates the screenshot of the turn that waits for it") {
    ControlStage stage("story");
    stage.control.resume();
    stage.options.annotation = Source::client;
    stage.model.say(story_done);
    stage.begin();
    const auto wants = [](int turn) {
        return [turn](const RunStatus& now) {
            return now.annotation_request && now.annotation_request->turn == turn;
        };
    };
    RunStatus now = stage.watch.until(wants(1));
    CHECK(now.annotation_request->size == winio::Size{501, 501});
    const std::vector<std::uint8_t> raw = *now.annotation_request->file;
    std::vector<std::uint8_t> drawn = raw;
    drawn.push_back(7); // the run does not read it
    CHECK(stage.control.annotate(2, drawn) == SubmitResult::outdated);
    CHECK(stage.control.annotate(1, drawn) == SubmitResult::accepted);
    now = stage.watch.until(wants(2));
    CHECK(stage.control.annotate(2, drawn) == SubmitResult::accepted);
    CHECK(stage.result.get().outcome == Outcome::completed);
    const std::string shown = test::read_file(stage.run_path / "turn_0001_annotated.png");
    CHECK(shown == std::string(drawn.begin(), drawn.end()));
    CHECK(test::read_file(stage.run_path / "turn_0001_raw.png") ==
          std::string(raw.begin(), raw.end()));
    const auto& image =
        std::get<vlm::Image>(stage.model.requests().at(0).messages.back().parts.back());
    CHECK(*image.bytes == drawn);
}

TEST_CASE("a run that waits for an annotation can be stopped") {
    ControlStage stage("story");
    stage.control.resume();
    stage.options.annotation = Source::client;
    stage.begin();
    stage.watch.until([](const RunStatus& now) { return now.annotation_request.has_value(); });
    stage.control.stop("enough");
    CHECK(stage.result.get().outcome == Outcome::cancelled);
    CHECK_FALSE(stage.control.status().annotation_request);
}

TEST_CASE("an observer receives the mode's state before each command") {
    class States final : public Observer {
    public:
        std::string all;
        void on_event(const Event&) override {}
        void on_state(const ModeState& state) override {
            all += state.phase + std::to_string(state.turn) + ' ';
        }
    } states;
    ControlStage stage;
    stage.control.resume();
    stage.model.call("click_element", R"({"label":"OK","box":[300,400]})").say("done");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    agent.run("do it", directory, stage.control, &states);
    CHECK(states.all == "observing0 asking1 acting1 asking2 finished2 ");
}

TEST_CASE("an approval request from another thread is answered, or withdrawn with its own token") {
    RunControl control;
    test::Watch watch(control);
    std::stop_source stop;
    auto asked = std::async(std::launch::async, [&] {
        return RunPort(control).request_approval({.tool = "program", .text = "Run it?"},
                                                 stop.get_token());
    });
    const auto now = watch.until([](const RunStatus& it) { return !it.approval_requests.empty(); });
    SECTION("answered") {
        control.resolve(now.approval_requests.front().id, {.granted = true});
        CHECK(asked.get().granted);
    }
    SECTION("withdrawn") {
        stop.request_stop();
        CHECK_FALSE(asked.get().granted);
    }
}

TEST_CASE("copies of a control control the same run, which outlives them") {
    ControlStage stage;
    stage.model.say("done").say("done");
    auto original = std::make_unique<RunControl>();
    const RunControl copy = *original;
    original->stop("enough");
    original.reset();
    CHECK(copy.status().stopping);
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    CHECK(agent.run("do it", directory, copy).reason == "enough");
    RunDirectory other = RunDirectory::create(stage.folder.path());
    CHECK(agent.run("do it", other, RunControl()).outcome == Outcome::completed);
}

TEST_CASE("a listener that throws ends neither the run nor the other listeners") {
    ControlStage stage;
    stage.model.say("done");
    int calls = 0;
    const auto bad = stage.control.on_change([] { throw 42; });
    const auto good = stage.control.on_change([&] { ++calls; });
    stage.control.resume();
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    CHECK(agent.run("do it", directory, stage.control).outcome == Outcome::completed);
    CHECK(calls > 0);
}
