// A window appears while the model thinks, on a real desktop.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/winio/desktop.hpp"

#include "catch.hpp"
#include "program.hpp"
#include "temp_folder.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

using namespace eyehand;
using namespace agent;

namespace {

constexpr std::chrono::seconds patience{60};

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
        const auto end = std::chrono::steady_clock::now() + patience;
        for (;;) {
            window_ = winio::find_window(desktop.windows()->list(), query_);
            if (window_ && window_->foreground) return;
            if (std::chrono::steady_clock::now() > end)
                throw std::runtime_error("no window of " + title);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
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

/// A model whose thoughts are functions of the test.
class ThinkingModel final : public vlm::ChatModel {
public:
    using Thought =
        std::function<vlm::ChatReply(const vlm::OnDelta& on_delta, const std::stop_token& stop)>;
    std::deque<Thought> thoughts;
    std::vector<vlm::ChatRequest> requests;

    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override {
        requests.push_back(request);
        if (thoughts.empty()) throw std::logic_error("the model has no thought left");
        const Thought thought = std::move(thoughts.front());
        thoughts.pop_front();
        return thought(on_delta, stop);
    }
    void say(const std::string& text) {
        thoughts.emplace_back([text](const vlm::OnDelta&, const std::stop_token&) {
            vlm::ChatReply reply;
            reply.text = text;
            return reply;
        });
    }
    void call(const std::string& tool, const std::string& arguments) {
        thoughts.emplace_back([=](const vlm::OnDelta&, const std::stop_token&) {
            vlm::ChatReply reply;
            reply.tool_calls = {{"call", tool, arguments, {}}};
            return reply;
        });
    }
};

std::string image_of(const vlm::ChatRequest& request) {
    std::string found;
    for (const vlm::Message& message : request.messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<vlm::Image>(&part)) found = image->sha256;
    return found;
}

/// A run on a desktop with one window, which has the keyboard focus.
struct Stage {
    test::TempFolder folder;
    std::unique_ptr<winio::Desktop> desktop = winio::open_desktop();
    Program early{*desktop, "early", folder.path()};
    // Of the model's thread.
    std::unique_ptr<winio::Desktop> other_desktop;
    std::optional<Program> late;
    ThinkingModel model;
    std::vector<Event> events;

    ~Stage() { late.reset(); }
    void open_late_window() {
        other_desktop = winio::open_desktop();
        late.emplace(*other_desktop, "late", folder.path());
    }
    RunFinished run(Watch watch) {
        AgentOptions options;
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
        std::vector<Payload> found;
        for (const Event& event : events)
            if (const auto* payload = std::get_if<Payload>(&event.payload))
                found.push_back(*payload);
        return found;
    }
};

} // namespace

TEST_CASE("watch: a window that appears while the model thinks reaches it in the same turn") {
    Stage stage;
    stage.model.call("observe_screen", "{}");
    stage.model.thoughts.emplace_back(
        [&](const vlm::OnDelta&, const std::stop_token& stop) -> vlm::ChatReply {
            stage.open_late_window();
            const auto end = std::chrono::steady_clock::now() + patience;
            while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            throw vlm::Error(vlm::errc::cancelled, "cancelled");
        });
    stage.model.say("There is a new window.");
    const RunFinished finished = stage.run(Watch::resend);
    INFO(finished.reason);
    CHECK(finished.outcome == Outcome::completed);
    CHECK(finished.turns == 2);
    CHECK(stage.all<Superseded>().size() == 1);
    REQUIRE(stage.model.requests.size() == 3);
    CHECK(image_of(stage.model.requests[1]) != image_of(stage.model.requests[2]));
}

TEST_CASE("watch: text for another window than the model saw is not typed") {
    Stage stage;
    stage.model.call("observe_screen", "{}");
    stage.model.thoughts.emplace_back(
        [&](const vlm::OnDelta& on_delta, const std::stop_token&) -> vlm::ChatReply {
            on_delta({vlm::Delta::Kind::text, "I type", 0, {}}); // too late to cancel the request
            stage.open_late_window();
            vlm::ChatReply reply;
            reply.text = "I type";
            reply.tool_calls = {{"call", "type_text", R"({"text":"secret"})", {}}};
            return reply;
        });
    stage.model.say("The other window has the focus.");
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
