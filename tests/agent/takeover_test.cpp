// What a run does when the user uses the mouse or the keyboard.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/control.hpp"
#include "eyehand/agent/desktop_tools.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "watch.hpp"

#include <chrono>
#include <future>
#include <string>

using namespace eyehand;
using namespace agent;

namespace {

constexpr const char* box = R"({"label":"OK","box":[300,400]})";

/// After the time in which the user may be on the way back from the control.
std::chrono::steady_clock::time_point later() {
    return std::chrono::steady_clock::now() + std::chrono::hours(1);
}

bool held(const RunStatus& now) { return now.held; }

struct TakeoverStage {
    test::TempFolder folder;
    winio::testing::MemoryDesktop desktop{winio::Size{501, 501}};
    vlm::testing::ScriptedModel model;
    RunControl control;
    test::Watch watch{control};
    AgentOptions options;
    Profile profile = load_profile("observer");
    std::future<RunFinished> result;
    std::filesystem::path run_path;

    TakeoverStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    ~TakeoverStage() { control.stop("the test is over"); }
    void begin() {
        result = std::async(std::launch::async, [this] {
            RunDirectory directory = RunDirectory::create(folder.path());
            run_path = directory.path();
            Agent agent(desktop, model, profile, built_in_tools(), options);
            return agent.run("do it", directory, control);
        });
    }
    /// A reply with a click, during which the user takes over.
    void call_during_takeover() {
        model.answer([&](const vlm::ChatRequest&) {
            CHECK(control.take_over(later()));
            vlm::ChatReply reply;
            reply.tool_calls.push_back({"2", "click_element", box, {}});
            return reply;
        });
    }
    [[nodiscard]] std::string last_words() const {
        std::string all;
        const auto& messages = model.requests().back().messages;
        for (std::size_t i = messages.size() - std::min<std::size_t>(messages.size(), 2);
             i < messages.size(); ++i)
            all += messages[i].text() + "\n";
        return all;
    }
    [[nodiscard]] int in_journal(const std::string& words) const {
        int count = 0;
        for (const std::string& line : test::lines_of(run_path / "events.jsonl"))
            if (line.find(words) != std::string::npos) ++count;
        return count;
    }
};

} // namespace

TEST_CASE("takeover: a reply from before the takeover does not act; the model looks first") {
    TakeoverStage stage;
    stage.options.watch = GENERATE(Watch::off, Watch::resend);
    stage.model.call("click_element", box);
    stage.call_during_takeover();
    stage.model.call("click_element", box).say("done");
    stage.begin();
    const RunStatus now = stage.watch.until(held);
    CHECK(now.taken_over);
    const auto events = stage.desktop.events().size();
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK_FALSE(stage.control.status().taken_over);
    CHECK(stage.in_journal(R"("reason":"taken_over")") == 1);
    // The third click, after a new screenshot, acts again.
    CHECK(stage.desktop.events().size() == 2 * events);
    CHECK(stage.in_journal(R"("type":"observed")") == 2);
}

TEST_CASE("takeover: an action is interrupted, and holds nothing afterwards") {
    TakeoverStage stage;
    stage.profile.pace.drag_steps = 10;
    stage.options.with = {"drag"};
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        if (stage.desktop.holds(winio::Button::left)) stage.control.take_over(later());
    };
    stage.model.call("drag", R"({"label":"A","start":[100,100],"end":[900,900]})");
    stage.model.say("done");
    stage.begin();
    CHECK(stage.watch.until(held).taken_over);
    CHECK_FALSE(stage.desktop.holds_anything());
    CHECK(stage.desktop.pointer() != winio::Point{450, 450});
    CHECK(stage.in_journal(R"("interrupted":true)") == 1);
    stage.desktop.on_input = nullptr;
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK_THAT(stage.last_words(), ContainsSubstring("The user has used the mouse"));
    CHECK(stage.in_journal(R"("type":"observed")") == 2);
}

TEST_CASE("takeover: input before the first action of a run is ignored") {
    TakeoverStage stage;
    stage.model.answer([&](const vlm::ChatRequest&) {
        CHECK_FALSE(stage.control.take_over(later()));
        vlm::ChatReply reply;
        reply.text = "done";
        return reply;
    });
    stage.begin();
    CHECK(stage.result.get().outcome == Outcome::completed);
    CHECK_FALSE(stage.control.take_over(later())); // the run has ended
}

TEST_CASE(
    "takeover: input is ignored for a second after the run was resumed, and while it is paused") {
    TakeoverStage stage;
    stage.model.call("click_element", box);
    stage.call_during_takeover();
    stage.model.answer([&](const vlm::ChatRequest&) {
        using namespace std::chrono_literals;
        CHECK_FALSE(stage.control.take_over(std::chrono::steady_clock::now()));
        stage.control.pause();
        CHECK_FALSE(stage.control.take_over(later()));
        stage.control.resume();
        CHECK_FALSE(stage.control.status().taken_over);
        vlm::ChatReply reply;
        reply.text = "done";
        return reply;
    });
    stage.begin();
    stage.watch.until(held);
    CHECK_FALSE(stage.control.take_over(later())); // again, before anything was resumed
    stage.control.resume();
    CHECK(stage.result.get().outcome == Outcome::completed);
}

TEST_CASE("takeover: input while the user is asked for an approval is ignored") {
    TakeoverStage stage;
    stage.options.guard = Guard(GuardLevel::strict);
    stage.options.approvals = Approvals::user;
    stage.model.call("click_element", box).call("click_element", box).say("done");
    stage.begin();
    const auto next_request = [&](std::uint64_t after) {
        return stage.watch
            .until([&](const RunStatus& it) {
                return !it.approval_requests.empty() && it.approval_requests.front().id > after;
            })
            .approval_requests.front()
            .id;
    };
    const std::uint64_t first = next_request(0);
    CHECK(stage.control.resolve(first, {.granted = true}));
    const std::uint64_t second = next_request(first); // the run has acted
    CHECK_FALSE(stage.control.take_over(later()));
    CHECK(stage.control.resolve(second, {.granted = true}));
    CHECK(stage.result.get().outcome == Outcome::completed);
}

TEST_CASE("takeover: input while the run waits for the client's annotation is ignored") {
    TakeoverStage stage;
    stage.profile = load_profile("story");
    stage.options.annotation = Source::client;
    stage.model.say(
        R"({"observation":"I click.","bboxes":[],"actions":[{"name":"click","x1":300,"y1":400}]})");
    stage.model.say(R"({"observation":"It is done.","bboxes":[],"actions":[],"done":true})");
    stage.begin();
    int answered = 0; // turn
    while (true) {
        const RunStatus now = stage.watch.until([&](const RunStatus& it) {
            return it.stage == RunStage::ended ||
                   (it.annotation_request && it.annotation_request->turn > answered);
        });
        if (now.stage == RunStage::ended) break;
        CHECK_FALSE(stage.control.take_over(later())); // from turn 2 on, the run has acted
        answered = now.annotation_request->turn;
        CHECK(stage.control.annotate(answered, *now.annotation_request->file) ==
              SubmitResult::accepted);
    }
    CHECK(answered >= 2);
    CHECK(stage.result.get().outcome == Outcome::completed);
}

TEST_CASE("takeover: a run that is taken over can be stopped") {
    TakeoverStage stage;
    stage.model.call("click_element", box);
    stage.call_during_takeover();
    stage.begin();
    stage.watch.until(held);
    stage.control.stop("enough");
    const RunFinished result = stage.result.get();
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "enough");
}
