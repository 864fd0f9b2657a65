// The journal is on the disk before an action: after a power failure, a resumed run does not repeat
// the action.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/desktop_world.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/program_tool.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "recovers_once.hpp"
#include "temp_folder.hpp"
#include "unguarded.hpp"

#include <algorithm>
#include <functional>
#include <mutex>

using namespace eyehand;

namespace {

using namespace agent;

/// A store whose journal loses entries in a power failure unless they were synced.
class VolatileStore final : public RunStore {
public:
    std::function<void()> on_sync = [] {}; ///< called on any thread; may throw

    /// What is left of the files if the latest `lines` entries of the journal were not yet on the
    /// disk, as far as they were not synced.
    [[nodiscard]] std::unique_ptr<MemoryStore> after_power_failure(int lines) const {
        auto left = std::make_unique<MemoryStore>();
        for (const std::string& name : files_.names()) left->replace(name, files_.bytes(name));
        std::string journal = files_.bytes(journal_name);
        for (; lines > 0 && journal.size() > synced(); --lines) {
            const std::size_t line = journal.rfind('\n', journal.size() - 2) + 1;
            journal.resize(std::max(line, synced()));
        }
        left->replace(journal_name, journal);
        return left;
    }
    [[nodiscard]] bool is_synced() const { return synced() == files_.bytes(journal_name).size(); }
    [[nodiscard]] int syncs() const {
        const std::lock_guard lock(mutex_);
        return syncs_;
    }

    std::unique_ptr<AppendStream> lock_journal() override {
        return std::make_unique<Stream>(*this, files_.lock_journal());
    }
    bool journal_is_locked() const override { return files_.journal_is_locked(); }
    std::unique_ptr<AppendStream> open_append(const std::string& name) override {
        return files_.open_append(name);
    }
    void create(const std::string& name, std::string_view bytes) override {
        files_.create(name, bytes);
    }
    void replace(const std::string& name, std::string_view bytes) override {
        files_.replace(name, bytes);
    }
    bool contains(const std::string& name) const override { return files_.contains(name); }
    std::unique_ptr<std::istream> open_read(const std::string& name) const override {
        return files_.open_read(name);
    }

private:
    class Stream final : public AppendStream {
    public:
        Stream(VolatileStore& store, std::unique_ptr<AppendStream> inner)
            : store_(store), inner_(std::move(inner)) {}
        void append(std::string_view bytes) override { inner_->append(bytes); }
        void cut(std::uint64_t size) override { inner_->cut(size); }
        void sync() override {
            store_.on_sync();
            const std::size_t size = store_.files_.bytes(journal_name).size();
            const std::lock_guard lock(store_.mutex_);
            store_.synced_ = size;
            ++store_.syncs_;
        }

    private:
        VolatileStore& store_;
        std::unique_ptr<AppendStream> inner_;
    };
    [[nodiscard]] std::size_t synced() const {
        const std::lock_guard lock(mutex_);
        return synced_;
    }

    MemoryStore files_;
    mutable std::mutex mutex_;
    std::size_t synced_ = 0;
    int syncs_ = 0;
};

/// The decisions that would survive a power failure now.
std::vector<Judged> decisions_on_disk(const VolatileStore& store) {
    std::vector<Judged> all;
    for (const Event& event : read_journal(*store.after_power_failure(100)))
        if (const auto* judged = std::get_if<Judged>(&event.payload)) all.push_back(*judged);
    return all;
}

/// A window that receives all input.
winio::WindowInfo editor() {
    winio::WindowInfo window;
    window.id = winio::WindowId{1};
    window.title = "Notes";
    window.process = "editor";
    window.process_id = 1000001;
    window.bounds = {0, 0, 200, 100};
    window.foreground = true;
    return window;
}

struct NoArgs {};

struct PowerFailureStage {
    winio::testing::MemoryDesktop desktop{winio::Size{200, 100}};
    vlm::testing::ScriptedModel model;
    AgentOptions options = test::unguarded();
    PowerFailureStage() {
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
        options.watch = Watch::off; // otherwise, a resumed run refuses its first action
    }
    RunFinished run(RunStore& store) {
        RunControl control;
        return agent().run("do it", store, control);
    }
    RunFinished resume(RunStore& store) {
        RunControl control;
        return agent().resume(store, control);
    }
    Agent agent() { return {desktop, model, load_profile("observer"), built_in_tools(), options}; }
};

} // namespace

TEST_CASE("power failure: the resumed run does not repeat an action, whatever was lost") {
    const int lost = GENERATE(0, 1, 2, 3);
    CAPTURE(lost);
    VolatileStore store;
    std::vector<std::unique_ptr<MemoryStore>> left; // by a failure at each input event
    PowerFailureStage stage;
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        left.push_back(store.after_power_failure(lost));
    };
    stage.model.call("type_text", R"({"text":"a"})")
        .call("observe_screen", "{}")
        .call("type_text", R"({"text":"b"})")
        .call("press_key", R"({"key":"enter"})")
        .say("Done.");
    CHECK(stage.run(store).outcome == Outcome::completed);
    REQUIRE(left.size() >= 3);
    for (const auto& files : left) {
        PowerFailureStage later;
        later.model.say("I see that it is done.");
        CHECK(later.resume(*files).outcome == Outcome::completed);
        CHECK(later.desktop.events().empty());
    }
}

TEST_CASE("power failure: the journal is synced before actions only") {
    VolatileStore store;
    PowerFailureStage stage;
    stage.desktop.on_input = [&](const winio::InputEvent&) { CHECK(store.is_synced()); };
    stage.model.call("observe_screen", "{}")
        .call("wait", R"({"seconds":0})")
        .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            CHECK(store.syncs() == 0);
            return {.tool_calls = {{"id", "type_text", R"({"text":"a"})", {}}}};
        })
        .call("type_text", R"({"text":""})") // refused
        .call("press_key", R"({"key":"enter"})")
        .say("Done.");
    CHECK(stage.run(store).outcome == Outcome::completed);
    CHECK(store.syncs() == 2);
    CHECK_FALSE(stage.desktop.events().empty());
}

TEST_CASE(
    "power failure: the guard's decision is on the disk before the action, without a sync of its "
    "own") {
    VolatileStore store;
    PowerFailureStage stage;
    stage.options.guard = Guard(GuardLevel::standard);
    stage.desktop.set_windows({editor()});
    std::size_t actions = 0;
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        ++actions;
        const auto decisions = decisions_on_disk(store);
        REQUIRE(decisions.size() == actions);
        CHECK(decisions.back().tool == "type_text");
        CHECK(decisions.back().guard.allowed);
    };
    stage.model.call("type_text", R"({"text":"a"})")
        .call("type_text", R"({"text":"b"})")
        .say("Done.");
    CHECK(stage.run(store).outcome == Outcome::completed);
    CHECK(actions == 2);
    CHECK(store.syncs() == 2);
}

TEST_CASE("power failure: the decision on a tool that acts itself is on the disk before it acts") {
    VolatileStore store;
    PowerFailureStage stage;
    stage.options.guard = Guard(GuardLevel::standard);
    stage.options.guard.add({permit_program_tool("mine")}, RuleOrigin::user);
    std::vector<Judged> decisions;
    stage.options.custom_tools.add<NoArgs>("mine", "Mine.", {},
                                           [&](const NoArgs&, ToolContext& context) {
                                               GuardedEffect effect;
                                               effect.kind = EffectKind::program;
                                               effect.window_known = true;
                                               if (auto denied = context.permit(effect))
                                                   return *std::move(denied);
                                               decisions = decisions_on_disk(store);
                                               return ok().acted();
                                           });
    stage.model.call("mine", "{}").say("Done.");
    CHECK(stage.run(store).outcome == Outcome::completed);
    REQUIRE(decisions.size() == 1);
    CHECK(decisions[0].tool == "mine");
    CHECK(decisions[0].guard.rule == "user: the tool mine");
}

TEST_CASE("power failure: the decision on each step of a recovery is on the disk before the step") {
    VolatileStore store;
    PowerFailureStage stage;
    stage.options.guard = Guard(GuardLevel::standard);
    stage.desktop.set_windows({editor()});
    std::vector<std::string> steps;
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        const auto decisions = decisions_on_disk(store);
        REQUIRE_FALSE(decisions.empty());
        if (steps.empty() || steps.back() != decisions.back().step)
            steps.push_back(decisions.back().step);
    };
    const Profile profile = load_profile("observer");
    const ToolsByRole tools = tools_by_role(built_in_tools(), profile, stage.options);
    const RunControl control;
    Journal journal(store);
    const auto world = make_desktop_world({.desktop = stage.desktop,
                                           .model = stage.model,
                                           .tools = tools,
                                           .profile = profile,
                                           .options = stage.options,
                                           .store = store,
                                           .control = control,
                                           .journal = &journal});
    test::RecoversOnce mode;
    CHECK(drive(mode, journal, *world).outcome == Outcome::completed);
    CHECK(steps.size() == 6);
}

TEST_CASE("power failure: a journal that cannot be synced ends the run before the action") {
    VolatileStore store;
    store.on_sync = [] {
        throw Error(errc::journal_failed, "events.jsonl cannot be written to the disk: I/O error");
    };
    PowerFailureStage stage;
    stage.model.call("type_text", R"({"text":"a"})").say("Done.");
    try {
        (void)stage.run(store);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("I/O error"));
    }
    CHECK(stage.desktop.events().empty());
    CHECK(load_run(store).outcome == "failed");
}

TEST_CASE("power failure: the journal is synced before a call of a tool that may act itself") {
    VolatileStore store;
    PowerFailureStage stage;
    const bool plans = GENERATE(false, true);
    bool was_synced = false;
    stage.options.custom_tools.add<NoArgs>("mine", "Mine.", {}, [&](const NoArgs&, ToolContext&) {
        was_synced = store.is_synced();
        return ok().acted();
    });
    CHECK(stage.options.custom_tools.may_act_itself("mine"));
    if (plans) stage.options.custom_tools.only_plans();
    CHECK(stage.options.custom_tools.may_act_itself("mine") != plans);
    stage.model.call("mine", "{}").say("Done.");
    CHECK(stage.run(store).outcome == Outcome::completed);
    CHECK(was_synced != plans);
}

TEST_CASE("power failure: the journal of a run directory can be synced") {
    const test::TempFolder folder;
    RunDirectory directory = RunDirectory::create(folder.path());
    Journal journal(directory);
    journal.append(Payload(RunStarted{"do it", "observer", "m"}), 0);
    journal.start_sync();
    journal.append(Payload(Noted{"loop", "x"}), 1); // waits
    journal.finish_sync();
    journal.finish_sync();
    CHECK(test::lines_of(directory.journal_file()).size() == 2);
}

TEST_CASE("power failure: the built-in tools only plan") {
    const Toolbox tools = built_in_tools();
    for (const vlm::ToolSpec& tool : tools.specs()) CHECK_FALSE(tools.may_act_itself(tool.name));
    CHECK_FALSE(tools.may_act_itself("unknown"));
}
