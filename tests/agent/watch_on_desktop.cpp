// A window appears while the model thinks, on a real desktop.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "desktop_contract.hpp"
#include "program.hpp"
#include "temp_folder.hpp"
#include "thinking_model.hpp"
#include "unguarded.hpp"

#include <optional>
#include <stdexcept>

using namespace eyehand;
using namespace agent;

namespace {

#ifdef _WIN32
std::string command_of(const std::string& title, const std::filesystem::path&) {
    return title == "early" ? "notepad" : "winemine";
}
winio::WindowQuery query_of(const std::string& title) {
    return {.process = title == "early" ? "notepad.exe" : "winemine.exe"};
}
#else
std::string command_of(const std::string& title, const std::filesystem::path& folder) {
    return '"' + test::program_file("eyehand-x11-window").string() + "\" \"" +
           (folder / title).string() + "\" " + title + " 700 500 " +
           (title == "early" ? "ddddee" : "224466");
}
winio::WindowQuery query_of(const std::string& title) { return {.title = title}; }
#endif

/// Starts a program and waits until its window has the keyboard focus; closes the window.
class Program {
public:
    Program(winio::Desktop& desktop, const std::string& title, const std::filesystem::path& folder)
        : desktop_(desktop), query_(query_of(title)) {
        desktop.launch({command_of(title, folder)});
        const bool shown = desktop_contract::eventually([&] {
            window_ = winio::find_window(desktop.windows()->list(), query_);
            return window_ && window_->foreground;
        });
        if (!shown) throw std::runtime_error("no window of " + title);
    }
    ~Program() {
        try {
            desktop_.windows()->apply({window_->id, winio::WindowAction::close, {}});
        } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): it is gone already
        }
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

private:
    winio::Desktop& desktop_;
    winio::WindowQuery query_;
    std::optional<winio::WindowInfo> window_;
};

/// A run on a desktop with one window, which has the keyboard focus.
struct WatchOnDesktopStage {
    test::TempFolder folder;
    std::unique_ptr<winio::Desktop> desktop = winio::open_desktop();
    Program early{*desktop, "early", folder.path()};
    // Of the model's thread.
    std::unique_ptr<winio::Desktop> other_desktop;
    std::optional<Program> late;
    test::ThinkingModel model;
    std::vector<Event> events;

    ~WatchOnDesktopStage() { late.reset(); }
    void open_late_window() {
        other_desktop = winio::open_desktop();
        late.emplace(*other_desktop, "late", folder.path());
    }
    RunFinished run(Watch watch) {
        AgentOptions options = test::unguarded();
        options.watch = watch;
        Agent agent(*desktop, model, load_profile("observer"), built_in_tools(), options);
        RunDirectory directory = RunDirectory::create(folder.path());
        RunControl control;
        RunFinished finished = agent.run("look", directory, control);
        JournalReader journal(directory.journal_file());
        while (auto event = journal.next()) events.push_back(*std::move(event));
        return finished;
    }
    template <typename Payload>
    [[nodiscard]] std::vector<Payload> all() const {
        return test::all_of<Payload>(events);
    }
};

} // namespace

TEST_CASE("watch: a window that appears while the model thinks reaches it in the same turn") {
    WatchOnDesktopStage stage;
    stage.model.then_call("observe_screen");
    stage.model.then([&](test::ThinkingModel& model) -> vlm::ChatReply {
        stage.open_late_window();
        model.wait_for_cancellation();
    });
    // A program that paints its window in several steps may change the screen once more.
    stage.model.then_say("There is a new window.").then_say("There is a new window.");
    const RunFinished finished = stage.run(Watch::resend);
    INFO(finished.reason);
    CHECK(finished.outcome == Outcome::completed);
    CHECK(finished.turns == 2);
    CHECK_FALSE(stage.all<Superseded>().empty());
    REQUIRE(stage.model.requests.size() >= 3);
    CHECK(test::image_of(stage.model.requests[1]) != test::image_of(stage.model.requests[2]));
}

TEST_CASE("watch: text for another window than the model saw is not typed") {
    WatchOnDesktopStage stage;
    stage.model.then_call("observe_screen");
    stage.model.then([&](test::ThinkingModel& model) {
        model.say_delta(vlm::Delta::Kind::text); // too late to cancel the request
        stage.open_late_window();
        return test::ThinkingModel::called("type_text", R"({"text":"secret"})");
    });
    stage.model.then_say("The other window has the focus.").then_say("It has the focus.");
    const RunFinished finished = stage.run(Watch::resend);
    INFO(finished.reason);
    CHECK(finished.outcome == Outcome::completed);
    CHECK(stage.all<Superseded>().empty());
    const auto invoked = stage.all<Invoked>();
    REQUIRE(invoked.size() == 2);
    REQUIRE(invoked[1].stale);
    CHECK(invoked[1].stale->reason == "foreground");
    CHECK_FALSE(invoked[1].action.acts);
}
