// The screen changes while the model thinks: whole runs on a desktop in memory.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"
#include "thinking_model.hpp"
#include "virtual_run.hpp"

#include <fstream>
#include <stdexcept>
#include <thread>

using namespace eyehand;
using namespace agent;

namespace {

using test::image_of;
using test::ThinkingModel;
using winio::testing::MemoryDesktop;

constexpr winio::Rect target{90, 90, 30, 30}; // around the click
constexpr winio::Rect elsewhere{180, 180, 48, 24};
constexpr const char* click = R"({"label":"OK","box":[410,410]})";

/// A run on a small screen, so that looks are fast with sanitizers, too: the interval of the watch
/// depends on their cost.
struct WatchStage {
    test::TempFolder folder;
    MemoryDesktop desktop{winio::Size{251, 251}};
    ThinkingModel model;
    AgentOptions options;
    Profile profile = load_profile("observer");
    std::vector<Event> events;
    RunFinished finished;

    WatchStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.watch = Watch::resend;
        // The screen changes at the first look of the watch.
        paint_while_thinking(target, 1);
    }
    void paint_while_thinking(const winio::Rect& where, int times) {
        desktop.on_capture = [this, where, times, painted = 0]() mutable {
            if (model.look() != 1 || painted >= times) return;
            desktop.screen().fill(where, {static_cast<std::uint8_t>(50 * ++painted), 90, 200});
        };
    }
    void run(Observer* observer = nullptr) {
        RunDirectory directory = RunDirectory::create(folder.path());
        Agent agent(desktop, model, profile, desktop_tools(), options);
        RunControl control;
        finished = agent.run("do it", directory, control, observer);
        JournalReader journal(directory.journal_file());
        while (auto event = journal.next()) events.push_back(*std::move(event));
    }
    template <typename Payload>
    [[nodiscard]] std::vector<Payload> all() const {
        return test::all_of<Payload>(events);
    }
    [[nodiscard]] std::size_t presses() const {
        std::size_t count = 0;
        for (const winio::InputEvent& event : desktop.events())
            if (const auto* button = std::get_if<winio::ButtonChange>(&event))
                count += button->press == winio::Press::down ? 1 : 0;
        return count;
    }
};

vlm::ChatReply cancelled(ThinkingModel& model) { model.wait_for_cancellation(); }

} // namespace

TEST_CASE("watch: a change before the first delta reaches the model in the same turn") {
    WatchStage stage;
    stage.model.then_call("observe_screen").then(cancelled).then_say("Done.");
    stage.run();
    CHECK(stage.finished.outcome == Outcome::completed);
    CHECK(stage.finished.turns == 2);
    REQUIRE(stage.model.requests.size() == 3);
    const auto superseded = stage.all<Superseded>();
    REQUIRE(superseded.size() == 1);
    CHECK(superseded[0].sha256 == image_of(stage.model.requests[1]));
    CHECK(superseded[0].changed == std::vector{winio::Rect{88, 88, 32, 32}});
    CHECK(superseded[0].after.count() > 0);
    CHECK(image_of(stage.model.requests[1]) != image_of(stage.model.requests[2]));
    CHECK(stage.all<Observed>().size() == 3);
    // The request is identical except for its image.
    auto first = stage.model.requests[1].messages;
    auto second = stage.model.requests[2].messages;
    REQUIRE(first.size() == second.size());
    for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].text() == second[i].text());
}

TEST_CASE("watch: the tokens of a canceled request are estimated in the totals") {
    WatchStage stage;
    stage.model.then([](ThinkingModel&) {
        vlm::ChatReply reply = ThinkingModel::called("observe_screen", "{}");
        reply.usage.prompt_tokens = 100;
        return reply;
    });
    stage.model.then(cancelled).then_say("Done.");
    stage.run();
    REQUIRE(stage.all<Superseded>().size() == 1);
    CHECK(stage.finished.usage.prompt_tokens == 200);
}

TEST_CASE("watch: reasoning is not an answer, text and calls are") {
    WatchStage stage;
    const auto kind =
        GENERATE(vlm::Delta::Kind::reasoning, vlm::Delta::Kind::text, vlm::Delta::Kind::tool_call);
    const bool answered = kind != vlm::Delta::Kind::reasoning;
    stage.model.then_call("observe_screen").then([kind, answered](ThinkingModel& model) {
        model.say_delta(kind);
        if (!answered) model.wait_for_cancellation();
        model.wait_for_looks(8);
        return ThinkingModel::called("observe_screen", "{}");
    });
    stage.model.then_say("Done.");
    stage.run();
    CHECK(stage.finished.outcome == Outcome::completed);
    CHECK(stage.all<Superseded>().size() == (answered ? 0U : 1U));
}

TEST_CASE("watch: at most two requests per turn are cancelled") {
    WatchStage stage;
    stage.paint_while_thinking(elsewhere, 10);
    stage.model.then_call("observe_screen").then(cancelled).then(cancelled);
    stage.model.then([](ThinkingModel& model) {
        model.wait_for_looks(8);
        return ThinkingModel::called("observe_screen", "{}");
    });
    stage.model.then(cancelled).then_say("Done."); // in the next turn
    stage.run();
    CHECK(stage.finished.outcome == Outcome::completed);
    CHECK(stage.all<Superseded>().size() == 3);
    CHECK(stage.finished.turns == 3);
}

TEST_CASE("watch: nothing is cancelled without a change, or if only checks are wanted") {
    WatchStage stage;
    const auto watch = GENERATE(Watch::resend, Watch::check);
    stage.options.watch = watch;
    if (watch == Watch::resend) stage.paint_while_thinking(target, 0);
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(8);
        return ThinkingModel::called("observe_screen", "{}");
    });
    stage.model.then_say("Done.");
    stage.run();
    CHECK(stage.all<Superseded>().empty());
}

TEST_CASE("watch: a click on a target that has changed is refused, with a new screenshot") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.profile.max_turns = 3; // the refused call uses up none
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(2);
        return ThinkingModel::called("click_element", click);
    });
    stage.model.then_call("click_element", click).then_say("Done.");
    stage.run();
    CHECK(stage.finished.outcome == Outcome::completed);
    CHECK(stage.presses() == 1);
    REQUIRE(stage.model.requests.size() == 4);
    const auto invoked = stage.all<Invoked>();
    REQUIRE(invoked.size() == 3);
    REQUIRE(invoked[1].stale);
    CHECK(invoked[1].stale->reason == "appearance");
    CHECK_FALSE(invoked[1].ok);
    CHECK_FALSE(invoked[2].stale);
    std::string told;
    for (const vlm::Message& message : stage.model.requests[2].messages) told += message.text();
    CHECK_THAT(told, ContainsSubstring("stale_target"));
    CHECK(image_of(stage.model.requests[1]) != image_of(stage.model.requests[2]));
}

TEST_CASE("watch: a click far from the change is carried out") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.paint_while_thinking(elsewhere, 1);
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(2);
        return ThinkingModel::called("click_element", click);
    });
    stage.model.then_say("Done.").then_say("Done.");
    stage.run();
    CHECK(stage.presses() == 1);
}

TEST_CASE("watch: an exception of the model ends the run") {
    WatchStage stage;
    stage.model.then_call("observe_screen").then([](ThinkingModel&) -> vlm::ChatReply {
        throw std::runtime_error("the model is broken");
    });
    CHECK_THROWS_WITH(stage.run(), "the model is broken");
}

TEST_CASE("watch: the target is compared after the wait that keeps two clicks apart") {
    constexpr std::chrono::milliseconds apart{100};
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.desktop.set_double_click_time(apart);
    std::vector<std::chrono::steady_clock::time_point> presses;
    std::chrono::steady_clock::time_point latest_capture;
    stage.desktop.on_capture = [&] { latest_capture = std::chrono::steady_clock::now(); };
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        const auto* button = std::get_if<winio::ButtonChange>(&event);
        if (button == nullptr || button->press != winio::Press::down) return;
        if (!presses.empty()) CHECK(latest_capture - presses.back() >= apart);
        presses.push_back(std::chrono::steady_clock::now());
    };
    stage.model.then_call("click_element", click).then_call("click_element", click);
    stage.model.then_say("Done.").then_say("Done.");
    stage.run();
    CHECK(presses.size() == 2);
}

TEST_CASE("watch: the third time, the click is carried out: the model has seen the target") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.paint_while_thinking(target, 3);
    stage.model.then_call("observe_screen");
    for (int i = 0; i < 3; ++i)
        stage.model.then([](ThinkingModel& model) {
            model.wait_for_looks(2);
            return ThinkingModel::called("click_element", click);
        });
    stage.model.then_say("Done.");
    stage.run();
    CHECK(stage.presses() == 1);
    std::size_t stale = 0;
    for (const Invoked& fact : stage.all<Invoked>()) stale += fact.stale ? 1 : 0;
    CHECK(stale == 2);
}

TEST_CASE("watch: keys for another foreground window are refused") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    winio::WindowInfo editor;
    editor.id = winio::WindowId{1};
    editor.bounds = {0, 0, 200, 200};
    editor.foreground = true;
    winio::WindowInfo other = editor;
    other.id = winio::WindowId{2};
    stage.desktop.set_windows({editor});
    stage.desktop.on_capture = [&] {
        if (stage.model.look() != 1) return;
        editor.foreground = false;
        stage.desktop.set_windows({other, editor});
    };
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(2);
        return ThinkingModel::called("type_text", R"({"text":"secret"})");
    });
    stage.model.then_say("Done.");
    stage.run();
    CHECK(stage.desktop.typed().empty());
    const auto invoked = stage.all<Invoked>();
    REQUIRE(invoked.size() == 2);
    REQUIRE(invoked[1].stale);
    CHECK(invoked[1].stale->reason == "foreground");
}

TEST_CASE("watch: a final answer on a screen that has changed is asked for once more") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(2);
        vlm::ChatReply reply;
        reply.text = "It does not work.";
        return reply;
    });
    stage.model.then_say("Now it is done.");
    stage.run();
    CHECK(stage.finished.outcome == Outcome::completed);
    CHECK(stage.finished.reason == "Now it is done.");
    CHECK(stage.finished.turns == 2);
    CHECK(image_of(stage.model.requests[1]) != image_of(stage.model.requests[2]));
}

TEST_CASE("watch: deltas reach observers on the run's thread") {
    class Threads final : public Observer {
    public:
        void on_event(const Event&) override {}
        void on_delta(const vlm::Delta& delta) override {
            texts += delta.text;
            same = same && std::this_thread::get_id() == own;
        }
        std::thread::id own = std::this_thread::get_id();
        std::string texts;
        bool same = true;
    };
    WatchStage stage;
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        for (int i = 0; i < 3; ++i) model.say_delta(vlm::Delta::Kind::text);
        vlm::ChatReply reply;
        reply.text = "aaa";
        return reply;
    });
    Threads threads;
    stage.run(&threads);
    CHECK(threads.texts == "aaa");
    CHECK(threads.same);
}

TEST_CASE(
    "loops: three clicks that differ by a few units count as a loop, with a visible pointer") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.paint_while_thinking(target, 0);
    winio::PointerShape arrow;
    arrow.pixels.resize({12, 12});
    arrow.pixels.fill({0, 0, 12, 12}, {255, 255, 255});
    stage.desktop.set_pointer_shape(arrow);
    stage.profile.loops.answer = LoopAnswer::tell;
    stage.model.then_call("observe_screen");
    for (const char* box : {"[410,410]", "[414,408]", "[406,412]"})
        stage.model.then_call("click_element", std::string(R"({"label":"OK","box":)") + box + "}")
            .then_call("observe_screen");
    stage.model.then_say("Done.");
    stage.run();
    std::vector<std::string> loops;
    int clicks = 0;
    for (const Event& event : stage.events) {
        if (const auto* fact = std::get_if<Invoked>(&event.payload))
            clicks += fact->action.acts ? 1 : 0;
        if (const auto* note = std::get_if<Noted>(&event.payload); note && note->kind == "loop") {
            loops.push_back(note->text);
            CHECK(clicks == 3);
        }
    }
    CHECK(loops.size() == 1);
}

TEST_CASE("loops: three clicks with an effect do not count as a loop") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.paint_while_thinking(target, 0);
    stage.profile.loops.answer = LoopAnswer::tell;
    std::uint8_t presses = 0;
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        const auto* button = std::get_if<winio::ButtonChange>(&event);
        if (button != nullptr && button->press == winio::Press::down)
            stage.desktop.screen().fill(target, {++presses, 100, 200});
    };
    stage.model.then_call("observe_screen");
    for (int i = 0; i < 3; ++i)
        stage.model.then_call("click_element", click).then_call("observe_screen");
    stage.model.then_say("Done.");
    stage.run();
    CHECK(presses == 3);
    const auto seen = stage.all<Observed>();
    REQUIRE(seen.size() == 5);
    for (std::size_t i = 2; i < seen.size(); ++i) CHECK_FALSE(seen[i].still);
    for (const Noted& note : stage.all<Noted>()) CHECK(note.kind != "loop");
}

TEST_CASE("watch: a shortcut that copies must reach the right window, too") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    winio::WindowInfo editor;
    editor.id = winio::WindowId{1};
    editor.bounds = {0, 0, 200, 200};
    editor.foreground = true;
    winio::WindowInfo other = editor;
    other.id = winio::WindowId{2};
    stage.desktop.set_windows({editor});
    stage.desktop.on_capture = [&] {
        if (stage.model.look() == 1) stage.desktop.set_windows({other});
    };
    stage.model.then_call("observe_screen").then([](ThinkingModel& model) {
        model.wait_for_looks(2);
        return ThinkingModel::called("press_key", R"({"key":"ctrl+c"})");
    });
    stage.model.then_say("Done.");
    stage.run();
    const auto invoked = stage.all<Invoked>();
    REQUIRE(invoked.size() == 2);
    INFO(invoked[1].result_json);
    REQUIRE(invoked[1].stale);
    CHECK(stage.desktop.events().empty());
}

TEST_CASE("watch: two refusals for other targets do not let a third one pass") {
    WatchStage stage;
    stage.options.watch = Watch::check;
    stage.desktop.on_capture = [&, painted = 0]() mutable {
        if (stage.model.look() != 1) return;
        stage.desktop.screen().fill({0, 0, 251, 251},
                                    {static_cast<std::uint8_t>(50 * ++painted), 90, 200});
    };
    stage.model.then_call("observe_screen");
    for (const char* box : {"[100,100]", "[500,500]", "[900,900]"})
        stage.model.then([box](ThinkingModel& model) {
            model.wait_for_looks(2);
            return ThinkingModel::called("click_element",
                                         std::string(R"({"label":"OK","box":)") + box + "}");
        });
    stage.model.then_say("Done.").then_say("Done.");
    stage.run();
    CHECK(stage.presses() == 0);
}

TEST_CASE("watch: a run with a cancelled request and a stale call is resumed after any entry") {
    WatchStage whole;
    whole.model.then_call("observe_screen").then(cancelled).then([](ThinkingModel& model) {
        model.say_delta(vlm::Delta::Kind::text);
        return ThinkingModel::called("click_element", click);
    });
    whole.model.then_say("Done.").then_say("Done.");
    RunDirectory directory = RunDirectory::create(whole.folder.path());
    RunControl control;
    REQUIRE(Agent(whole.desktop, whole.model, whole.profile, desktop_tools(), whole.options)
                .run("do it", directory, control)
                .outcome == Outcome::completed);
    const auto lines = test::lines_of(directory.journal_file());
    std::string journal;
    bool superseded = false;
    for (std::size_t kept = 1; kept + 1 < lines.size(); ++kept) {
        journal += lines[kept - 1] + "\n";
        superseded = superseded || lines[kept - 1].find("superseded") != std::string::npos;
        INFO(lines[kept - 1]);
        const std::filesystem::path cut = whole.folder / "cut";
        std::filesystem::remove_all(cut);
        std::filesystem::copy(directory.path(), cut, std::filesystem::copy_options::recursive);
        std::ofstream(cut / "events.jsonl", std::ios::binary | std::ios::trunc) << journal;
        WatchStage rest;
        rest.paint_while_thinking(target, 0);
        rest.model.then_say("Done.").then_say("Done.");
        RunDirectory again = RunDirectory::open(cut);
        const RunFinished finished =
            Agent(rest.desktop, rest.model, rest.profile, desktop_tools(), rest.options)
                .resume(again, control);
        CHECK(finished.outcome == Outcome::completed);
        CHECK(rest.presses() == 0);
    }
    CHECK(superseded);
}

namespace {

/// A program whose reaction to a click fills its window.
struct ReactingStage : WatchStage {
    explicit ReactingStage(std::chrono::milliseconds timeout) {
        options.watch = Watch::check;
        options.reaction.reaction_timeout = timeout;
        options.reaction.feedback_timeout = timeout;
        profile.max_turns = 100;
        paint_while_thinking(target, 0);
        desktop.set_windows({{.id = winio::WindowId{1},
                              .process = "quick.exe",
                              .bounds = {0, 0, 251, 251},
                              .foreground = true}});
        desktop.on_input = [this](const winio::InputEvent& event) {
            const auto* button = std::get_if<winio::ButtonChange>(&event);
            if (button != nullptr && button->press == winio::Press::down && reacts) react();
        };
    }
    void react() { desktop.screen().fill({0, 0, 251, 251}, {++shade, 100, 200}); }
    void click_times(int times) {
        for (int i = 0; i < times; ++i)
            model.then_call("click_element", click).then_call("observe_screen");
    }
    /// The program ignores the next click.
    void click_in_vain() {
        model.then([this](ThinkingModel&) {
            reacts = false;
            return ThinkingModel::called("click_element", click);
        });
    }
    bool reacts = true; // is written while the run waits for the model
    std::uint8_t shade = 0;
};

} // namespace

TEST_CASE("reaction: a program that has always reacted quickly is not waited for as long") {
    constexpr std::chrono::seconds patience{60};
    ReactingStage stage(patience);
    stage.model.then_call("observe_screen");
    stage.click_times(8);
    stage.click_in_vain();
    stage.model.then_call("observe_screen").then_say("Done.");
    stage.run();
    const auto seen = stage.all<Observed>();
    INFO(stage.finished.reason);
    REQUIRE(seen.size() == 11);
    CHECK(seen[9].end == "reacted");
    CHECK(seen[10].end == "no_reaction");
    CHECK(seen[10].settle < patience);
}

TEST_CASE("reaction: a reaction that comes while the model thinks makes the next waits longer") {
    constexpr std::chrono::milliseconds timeout{500};
    ReactingStage stage(timeout);
    stage.model.then_call("observe_screen");
    stage.click_times(4);
    stage.click_in_vain();
    stage.model.then_call("observe_screen");
    stage.model.then([&](ThinkingModel& model) {
        model.wait_for_looks(2);
        stage.reacts = true;
        return ThinkingModel::called("observe_screen", "{}");
    });
    stage.click_times(4);
    stage.click_in_vain();
    stage.model.then_call("observe_screen").then_say("Done.").then_say("Done.");
    // The late reaction, in the request after the click.
    stage.desktop.on_capture = [&] {
        if (stage.model.look() == 1 && !stage.reacts) stage.react();
    };
    stage.run();
    const auto seen = stage.all<Observed>();
    INFO(stage.finished.reason);
    REQUIRE(seen.size() == 13);
    CHECK(seen[6].end == "no_reaction");
    CHECK(seen[12].end == "no_reaction");
    // The limit counts from the end of the action. Eight quick reactions would make it 300 ms.
    std::chrono::milliseconds clicked{};
    std::chrono::milliseconds looked{};
    for (const Event& event : stage.events) {
        const auto* call = std::get_if<Invoke>(&event.payload);
        if (call != nullptr && call->call.name == "click_element") clicked = event.t;
        if (std::holds_alternative<Observed>(event.payload)) looked = event.t;
    }
    // The last look is the one after which a further one would exceed the limit.
    CHECK(looked - clicked >= timeout - winio::SettleOptions().interval);
}
