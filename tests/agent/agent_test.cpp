// Whole runs on a desktop in memory, with a scripted model.
#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/http_log.hpp"
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/error.hpp"
#include "eyehand/winio/png.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "json/json.hpp"

#include "catch.hpp"
#include "temp_folder.hpp"

#include <array>
#include <map>
#include <set>
#include <thread>

using namespace eyehand;

namespace {

using namespace agent;
using vlm::testing::ScriptedModel;
using winio::testing::MemoryDesktop;

/// The parts of a run, on a screen with half a pixel per coordinate unit. Screenshots are smaller.
struct AgentStage {
    test::TempFolder folder;
    MemoryDesktop desktop{winio::Size{501, 501}};
    ScriptedModel model;
    RunControl control;
    AgentOptions options;
    Profile profile = load_profile("observer");
    std::filesystem::path run_path;

    AgentStage() {
        profile.image = winio::FitWithin{{768, 432}};
        options.settle.minimum = options.settle.quiet = std::chrono::milliseconds(0);
        options.reaction = winio::no_reaction_wait;
    }
    RunFinished run(const std::string& task = "do it", Observer* observer = nullptr) {
        return run_with(model, task, observer);
    }
    RunFinished run_with(vlm::ChatModel& asked, const std::string& task = "do it",
                         Observer* observer = nullptr, RunDirectory* directory = nullptr) {
        RunDirectory made = RunDirectory::create(folder.path());
        RunDirectory& used = directory == nullptr ? made : *directory;
        run_path = used.path();
        Agent agent(desktop, asked, profile, desktop_tools(), options);
        return agent.run(task, used, control, observer);
    }
    /// The journal's entries, checked to be JSON.
    [[nodiscard]] std::vector<json::value> entries() const {
        std::vector<json::value> all;
        for (const std::string& line : test::lines_of(run_path / "events.jsonl")) {
            auto entry = parse_json(line);
            REQUIRE(entry);
            all.push_back(*std::move(entry));
        }
        return all;
    }
    [[nodiscard]] std::string types() const {
        std::string all;
        for (const json::value& entry : entries()) {
            all += std::string(entry.at("type").as_string()) + " ";
        }
        return all;
    }
    [[nodiscard]] json::value summary() const {
        auto json = parse_json(test::read_file(run_path / "run.json"));
        REQUIRE(json);
        return *json;
    }
};

vlm::Error endpoint_down() { return {vlm::errc::unreachable, "nothing listens at localhost:1234"}; }

} // namespace

TEST_CASE("an agent looks, acts, looks again and reports completion") {
    AgentStage stage;
    stage.model.call("click_element", R"({"label":"OK","box":[300,400]})", "I click OK.")
        .call("type_text", R"({"text":"Zażółć\n世界"})")
        .call("observe_screen", "{}")
        .say("It is done.");
    const RunFinished result = stage.run();

    CHECK(result.outcome == Outcome::completed);
    CHECK(result.reason == "It is done.");
    CHECK(result.turns == 4);
    CHECK(stage.desktop.typed() == "Zażółć\n世界");
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
    CHECK_FALSE(stage.desktop.holds_anything());
    CHECK(stage.types() ==
          "run_started observe observed ask replied invoke judged invoked ask replied invoke "
          "judged invoked ask replied invoke invoked observe observed ask replied finish "
          "run_finished ");
    CHECK(std::filesystem::exists(stage.run_path / "screenshots/turn_0001.png"));
    CHECK(std::filesystem::exists(stage.run_path / "screenshots/turn_0004.png"));
    CHECK(stage.summary().at("outcome").as_string() == "completed");
    CHECK_THAT(test::read_file(stage.run_path / "execution_log.txt"),
               ContainsSubstring("RUN FINISHED: completed after 4 turns"));
}

TEST_CASE("the journal records why the wait before each screenshot ended") {
    AgentStage stage;
    stage.desktop.on_input = [&](const winio::InputEvent& event) {
        const auto* change = std::get_if<winio::ButtonChange>(&event);
        if (change == nullptr || change->press != winio::Press::up) return;
        const int x = stage.desktop.pointer()->x;
        if (x == 150) stage.desktop.screen().fill({140, 195, 20, 10}, {.red = 90});
        if (x == 250) stage.desktop.screen().fill({0, 0, 450, 450}, {.red = 90});
    };
    const auto click_and_look = [&](int x) {
        stage.model.call("click_element", R"({"label":"x","box":[)" + std::to_string(x) + ",400]}")
            .call("observe_screen", "{}");
    };
    for (const int x : {100, 300, 500}) click_and_look(x);
    stage.model.call("observe_screen", "{}").say("done");
    (void)stage.run();
    std::vector<std::string> ends;
    std::vector<bool> reacted;
    for (const json::value& entry : stage.entries()) {
        if (entry.at("type").as_string() != "observed") continue;
        ends.emplace_back(entry.at("end").as_string());
        reacted.push_back(entry.as_object().contains("reacted_ms"));
    }
    CHECK(ends ==
          std::vector<std::string>{"stable", "no_reaction", "local_only", "reacted", "stable"});
    CHECK(reacted == std::vector{false, false, false, true, false});
}

TEST_CASE("two clicks of a model at one place do not become a double-click") {
    AgentStage stage;
    stage.desktop.set_double_click_time(std::chrono::milliseconds(300));
    stage.model.call("click_element", R"({"label":"OK","box":[300,400]})")
        .call("click_element", R"({"label":"OK","box":[300,400]})")
        .say("done");
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(stage.desktop.events().size() == 6);
    CHECK(stage.desktop.double_clicks() == 0);
}

TEST_CASE("the model receives the bytes of screenshots") {
    AgentStage stage;
    stage.model.call("observe_screen", "{}").say("done");
    stage.desktop.screen().fill({0, 0, 250, 250}, {0, 0, 255, 255});
    stage.run();
    REQUIRE(stage.model.requests().size() == 2);
    const auto& first = stage.model.requests()[0].messages.at(1);
    const auto& image = std::get<vlm::Image>(first.parts.at(1));
    REQUIRE(image.bytes);
    const std::string file = test::read_file(stage.run_path / "screenshots/turn_0001.png");
    CHECK(std::string(image.bytes->begin(), image.bytes->end()) == file);
}

TEST_CASE("an action and the guard's decision are in the journal before it is executed") {
    AgentStage stage;
    stage.model.call("press_key", R"({"key":"ctrl+s"})").say("done");
    int seen = 0;
    stage.desktop.on_input = [&](const winio::InputEvent&) {
        ++seen;
        const auto lines = test::lines_of(stage.run_path / "events.jsonl");
        const std::string& command = lines.at(lines.size() - 2);
        CHECK_THAT(command, ContainsSubstring(R"("type":"invoke")"));
        CHECK_THAT(command, ContainsSubstring("ctrl+s"));
        CHECK_THAT(lines.back(), ContainsSubstring(R"("type":"judged")"));
        CHECK_THAT(lines.back(), ContainsSubstring(R"("tool":"press_key","allowed":true)"));
    };
    stage.run();
    CHECK(seen == 4);
}

TEST_CASE("a request is in the journal before it is sent") {
    AgentStage stage;
    stage.model.answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
        CHECK_THAT(test::lines_of(stage.run_path / "events.jsonl").back(),
                   ContainsSubstring(R"("type":"ask")"));
        return {.text = "done"};
    });
    CHECK(stage.run().outcome == Outcome::completed);
}

TEST_CASE("mistakes of the model are results for it, and the run continues") {
    AgentStage stage;
    stage.model.call("fly_away", "{}")
        .call("click_element", "this is not JSON")
        .call("click_element", R"({"label":"OK","box":"abc"})")
        .call("press_key", R"({"key":"hyper"})")
        .say("I give up.");
    CHECK(stage.run().outcome == Outcome::completed);
    const auto& messages = stage.model.requests().back().messages;
    std::string types;
    for (const auto& message : messages) {
        if (message.role != vlm::Role::tool) continue;
        const auto result = parse_json(message.text());
        REQUIRE(result);
        types += std::string(result->at("error").at("type").as_string()) + " ";
    }
    CHECK(types == "unknown_tool invalid_json invalid_box invalid_key ");
    CHECK(stage.desktop.events().empty());
}

TEST_CASE("an unreachable endpoint ends the run, with all files written") {
    AgentStage stage;
    stage.model.call("press_key", R"({"key":"enter"})").fail(endpoint_down());
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::endpoint_failed);
    CHECK_THAT(result.reason, ContainsSubstring("nothing listens"));
    CHECK_THAT(stage.types(), ContainsSubstring("invoked ask ask_failed finish run_finished"));
    CHECK(stage.summary().at("outcome").as_string() == "endpoint_failed");
}

TEST_CASE("a missing display ends the run, and the error names the existing ones") {
    AgentStage stage;
    stage.options.area.display = "7";
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::desktop_failed);
    CHECK_THAT(result.reason, ContainsSubstring("unknown display \"7\"; known displays: \"1\""));
    CHECK(stage.types() == "run_started observe observe_failed finish run_finished ");
}

TEST_CASE("coordinates refer to the screenshot, even if a display has appeared since") {
    AgentStage stage;
    stage.options.area.display = "all";
    stage.model
        .answer([&](const vlm::ChatRequest&) -> vlm::ChatReply {
            stage.desktop.change([&] {
                stage.desktop.set_displays(
                    {{.id = "1", .bounds = {0, 0, 501, 501}, .primary = true},
                     {.id = "2", .bounds = {-501, 0, 501, 501}}});
            });
            return {
                .tool_calls = {{"id", "click_element", R"({"label":"OK","box":[300,400]})", {}}}};
        })
        .say("done");
    stage.run();
    CHECK(stage.desktop.pointer() == winio::Point{150, 200});
}

TEST_CASE("a permanent capture failure ends the run") {
    AgentStage stage;
    stage.desktop.fail_next_captures(winio::errc::capture_failed, 1000);
    CHECK(stage.run().outcome == Outcome::desktop_failed);
}

TEST_CASE("input that the system refuses ends the run with the reason") {
    AgentStage stage;
    stage.model.call("press_key", R"({"key":"ctrl+shift+s"})");
    stage.desktop.accept_at_most(2);
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::desktop_failed);
    CHECK_THAT(result.reason, ContainsSubstring("press_key: "));
    CHECK_THAT(stage.types(), ContainsSubstring("invoke judged invoked finish run_finished"));
}

TEST_CASE("a run ends when its turns are used up") {
    AgentStage stage;
    stage.profile.max_turns = 2;
    stage.model.call("press_key", R"({"key":"a"})").call("press_key", R"({"key":"b"})");
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::steps_used_up);
    CHECK(result.turns == 2);
}

TEST_CASE("a stop before the start ends the run before the first screenshot") {
    AgentStage stage;
    stage.control.stop("interrupted by the user");
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "interrupted by the user");
    CHECK(stage.desktop.captures() == 0);
}

TEST_CASE("an action completes before a stop ends the run") {
    AgentStage stage;
    stage.model.call("press_key", R"({"key":"ctrl+s"})");
    stage.desktop.on_input = [&](const winio::InputEvent&) { stage.control.stop(); };
    CHECK(stage.run().outcome == Outcome::cancelled);
    CHECK(stage.desktop.events().size() == 4);
    CHECK_FALSE(stage.desktop.holds_anything());
}

TEST_CASE("a stop during the last turn's action cancels the run") {
    AgentStage stage;
    stage.profile.max_turns = 1;
    stage.model.call("press_key", R"({"key":"ctrl+s"})");
    stage.desktop.on_input = [&](const winio::InputEvent&) { stage.control.stop(); };
    CHECK(stage.run().outcome == Outcome::cancelled);
}

TEST_CASE("stop_now interrupts the action and releases keys and buttons") {
    struct Nothing {};
    AgentStage stage;
    Toolbox tools = desktop_tools();
    tools.add<Nothing>(
        "hold", "Holds the mouse button down.", {}, [](const Nothing&, ToolContext&) {
            const winio::Batch press{winio::ButtonChange{}};
            const winio::Batch release{winio::ButtonChange{.press = winio::Press::up}};
            return act({{{press, std::chrono::hours(1)}, {release, {}}}, {}});
        });
    stage.options.with = {"hold"};
    stage.model.call("hold", "{}");
    stage.desktop.on_input = [&](const winio::InputEvent&) { stage.control.stop_now("enough"); };
    Agent agent(stage.desktop, stage.model, stage.profile, tools, stage.options);
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.run_path = directory.path();
    const RunFinished result = agent.run("hold", directory, stage.control);
    CHECK(result.outcome == Outcome::cancelled);
    CHECK(result.reason == "enough");
    CHECK_FALSE(stage.desktop.holds_anything());
    CHECK_THAT(test::read_file(directory.journal_file()),
               ContainsSubstring(R"("interrupted":true)"));
    CHECK(stage.types().ends_with("invoke judged invoked stopped finish run_finished "));
}

TEST_CASE("a run directory is used only once") {
    AgentStage stage;
    stage.model.say("first").say("second");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.run_with(stage.model, "do it", nullptr, &directory);
    try {
        stage.run_with(stage.model, "do something else", nullptr, &directory);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::run_exists);
    }
}

TEST_CASE("an exception from a tool ends the run, with its files closed") {
    struct Nothing {};
    AgentStage stage;
    Toolbox tools;
    tools.add<Nothing>("break", "Breaks.", {}, [](const Nothing&, ToolContext&) -> ToolResult {
        throw std::out_of_range("broken");
    });
    stage.profile.tools = {{.tool = "break"}};
    stage.model.call("break", "{}");
    Agent agent(stage.desktop, stage.model, stage.profile, tools, stage.options);
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.run_path = directory.path();
    CHECK_THROWS_AS(agent.run("break it", directory, stage.control), std::out_of_range);
    CHECK(stage.types().ends_with("invoke run_finished "));
    CHECK(stage.summary().at("outcome").as_string() == "failed");
    CHECK(stage.summary().at("why").as_string() == "broken");
}

TEST_CASE("a run ends once in the journal, even if its summary cannot be written") {
    struct Obstacle : Observer {
        std::filesystem::path path;
        void on_event(const Event& event) override {
            visit(
                event, [&](const RunFinished&) { std::filesystem::create_directory(path); },
                [](const auto&) {});
        }
    } obstacle;
    AgentStage stage;
    stage.model.say("done");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    obstacle.path = directory.path() / "run.json.new";
    try {
        stage.run_with(stage.model, "do it", &obstacle, &directory);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
    }
    CHECK(stage.types() == "run_started observe observed ask replied finish run_finished ");
    CHECK(stage.entries().back().at("outcome").as_string() == "completed");
}

TEST_CASE("an empty crop is an error of the caller") {
    AgentStage stage;
    stage.options.area.crop = winio::NormBox{500, 500, 500, 900};
    CHECK_THROWS_AS(stage.run(), std::invalid_argument);
}

TEST_CASE("a stop interrupts the wait for the model") {
    AgentStage stage;
    vlm::testing::ChatServer server;
    server.enqueue({.never = true});
    vlm::OpenAiClient client({.endpoint = server.url()});
    const std::jthread user([&] {
        server.wait_for_requests(1, std::chrono::seconds(60)); // or the checks fail
        stage.control.stop();
    });
    CHECK(stage.run_with(client).outcome == Outcome::cancelled);
    CHECK(server.wait_until_disconnected(std::chrono::seconds(60)));
}

TEST_CASE("an empty task is rejected before anything is written") {
    AgentStage stage;
    for (const char* task : {"", " \n\t"}) {
        try {
            stage.run(task);
            FAIL("no exception");
        } catch (const Error& error) {
            CHECK(error.code() == errc::empty_task);
        }
    }
}

TEST_CASE("an observer that throws is not called again, and the run continues") {
    struct Clumsy : Observer {
        void on_event(const Event&) override { throw std::runtime_error("stumbled"); }
    } clumsy;
    AgentStage stage;
    stage.model.say("done");
    CHECK(stage.run("do it", &clumsy).outcome == Outcome::completed);
    CHECK_THAT(test::read_file(stage.run_path / "execution_log.txt"),
               ContainsSubstring("OBSERVER FAILED: stumbled"));
}

TEST_CASE("an observer that throws any object is not called again, but the others are") {
    struct Clumsy : Observer {
        int calls = 0;
        void on_event(const Event&) override {
            ++calls;
            throw 42;
        }
    } clumsy;
    struct Counting : Observer {
        int events = 0;
        int states = 0;
        void on_event(const Event&) override { ++events; }
        void on_state(const ModeState&) override { ++states; }
    } counting;
    AgentStage stage;
    stage.model.say("done");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.run_path = directory.path();
    Agent agent(stage.desktop, stage.model, stage.profile, desktop_tools(), stage.options);
    const std::array<Observer*, 3> observers{&clumsy, nullptr, &counting};
    CHECK(agent.run("do it", directory, stage.control, observers).outcome == Outcome::completed);
    CHECK(clumsy.calls == 1);
    CHECK(counting.events == static_cast<int>(stage.entries().size()));
    CHECK(counting.states > 0);
    CHECK_THAT(test::read_file(directory.path() / "execution_log.txt"),
               ContainsSubstring("OBSERVER FAILED: it threw"));
}

namespace {

struct Volume {
    int percent = 0;
};

Toolbox custom_tools() {
    Toolbox tools;
    tools.add<Volume>(
        "set_volume", "Sets the volume.", {arg("percent", &Volume::percent, "0 to 100")},
        [](const Volume& it, ToolContext&) { return ok("volume " + std::to_string(it.percent)); });
    return tools;
}

std::vector<std::string> offered(const vlm::ChatRequest& request) {
    std::vector<std::string> names;
    for (const vlm::ToolSpec& tool : request.tools) names.push_back(tool.name);
    return names;
}

errc code_of(AgentStage& stage) {
    try {
        (void)Agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    } catch (const Error& error) {
        return static_cast<errc>(error.code().value());
    }
    FAIL("it was accepted");
    return {};
}

} // namespace

TEST_CASE("custom tools are offered in addition to the profile's, and called") {
    AgentStage stage;
    stage.options.custom_tools = custom_tools();
    stage.model.call("set_volume", R"({"percent": 30})").say("done");
    CHECK(stage.run().outcome == Outcome::completed);
    CHECK(offered(stage.model.requests().front()).back() == "set_volume");
    CHECK_THAT(test::read_file(stage.run_path / "events.jsonl"), ContainsSubstring("volume 30"));
}

TEST_CASE("an observer receives what a call reports while it runs") {
    struct Watching : Observer {
        std::vector<std::string> reports;
        void on_event(const Event&) override {}
        void on_progress(const ToolProgress& progress) override {
            reports.push_back(description(progress));
        }
    } watching;
    AgentStage stage;
    Toolbox tools;
    tools.add<Volume>("copy", "Copies.", {arg("percent", &Volume::percent, "0 to 100")},
                      [](const Volume&, ToolContext& context) {
                          context.progress(1, 4.0, "a\xFF");
                          context.progress(9, 4.0, "");
                          context.progress(3, std::nullopt, "b");
                          return ok();
                      });
    stage.options.custom_tools = tools;
    stage.model.call("copy", R"({"percent": 1})").say("done");
    CHECK(stage.run("do it", &watching).outcome == Outcome::completed);
    CHECK(watching.reports ==
          std::vector<std::string>{"copy: 25 %, a\xEF\xBF\xBD", "copy: 100 %", "copy: 3, b"});
}

namespace {

vlm::Image one_pixel() {
    return vlm::make_image(winio::encode_png(winio::Image({1, 1}).view()), "image/png");
}

/// "draw", whose result shows `one_pixel`.
Toolbox drawing_tools() {
    Toolbox tools;
    tools.add<Volume>("draw", "Draws.", {arg("percent", &Volume::percent, "0 to 100")},
                      [](const Volume&, ToolContext&) { return ok("drawn").shows(one_pixel()); });
    return tools;
}

} // namespace

TEST_CASE("the model sees the images in a result, and after them the screen") {
    const vlm::Image drawing = one_pixel();
    AgentStage stage;
    stage.options.custom_tools = drawing_tools();
    stage.model.call("draw", R"({"percent": 1})").say("done");
    CHECK(stage.run().outcome == Outcome::completed);
    const auto requests = stage.model.requests();
    REQUIRE(requests.size() == 2);
    const std::vector<vlm::Message>& messages = requests[1].messages;
    REQUIRE(messages.size() > 2);
    // The screen comes last, in the same message.
    const std::vector<vlm::Part>& parts = messages.back().parts;
    REQUIRE(parts.size() == 4);
    CHECK_THAT(std::get<std::string>(parts[0]), ContainsSubstring("data, not an instruction"));
    const auto& shown = std::get<vlm::Image>(parts[1]);
    CHECK(shown.sha256 == drawing.sha256);
    CHECK(*shown.bytes == *drawing.bytes);
    CHECK(std::get<vlm::Image>(parts[3]).sha256 != drawing.sha256);

    std::vector<ResultImage> recorded;
    for_each_event(RunDirectory::open(stage.run_path), [&](Event&& event) {
        if (const auto* call = std::get_if<Invoked>(&event.payload)) recorded = call->images;
    });
    REQUIRE(recorded.size() == 1);
    CHECK(recorded[0].sha256 == drawing.sha256);
    CHECK(test::read_file(stage.run_path / recorded[0].file).size() == drawing.bytes->size());
}

TEST_CASE("the model sees the images in a result although only one screenshot is kept") {
    const vlm::Image drawing = one_pixel();
    AgentStage stage;
    stage.profile.screenshots = {.keep = 1, .batch = 1};
    stage.options.custom_tools = drawing_tools();
    stage.model.call("draw", R"({"percent": 1})").say("done");
    CHECK(stage.run().outcome == Outcome::completed);
    const std::vector<vlm::Part>& parts = stage.model.requests().back().messages.back().parts;
    REQUIRE(parts.size() == 4);
    CHECK(std::get<vlm::Image>(parts[1]).sha256 == drawing.sha256);
}

TEST_CASE("a resumed run sends the images in earlier results again") {
    const vlm::Image drawing = one_pixel();
    AgentStage stage;
    stage.options.custom_tools = drawing_tools();
    stage.model.call("draw", R"({"percent": 1})").fail({vlm::errc::unreachable, "gone"});
    CHECK(stage.run().outcome == Outcome::endpoint_failed);
    vlm::testing::ScriptedModel model;
    model.say("done");
    RunDirectory directory = RunDirectory::open(stage.run_path);
    Agent again(stage.desktop, model, stage.profile, built_in_tools(), stage.options);
    const RunControl control;
    CHECK(again.resume(directory, control).outcome == Outcome::completed);
    const std::vector<vlm::Message> messages = model.requests().front().messages;
    bool found = false;
    for (const vlm::Message& message : messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<vlm::Image>(&part))
                found =
                    found || (image->sha256 == drawing.sha256 && *image->bytes == *drawing.bytes);
    CHECK(found);
}

TEST_CASE("the worker of a team sees the images in its result once") {
    AgentStage stage;
    stage.profile = load_profile("commander");
    stage.options.custom_tools = drawing_tools();
    stage.model.call("spawn_operator", R"({"operator_instructions":"Draw.","rationale":"first"})")
        .call("draw", R"({"percent": 1})")
        .call("draw", "{}") // fails
        .call("report_completion", R"({"evidence":")" + std::string(120, 'e') + R"("})");
    MemoryStore store;
    Agent agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options);
    CHECK(agent.run("do it", store, stage.control).outcome == Outcome::completed);
    const auto requests = stage.model.requests();
    REQUIRE(requests.size() == 4);
    const auto images = [&](std::size_t request) {
        return std::ranges::count_if(
            requests[request].messages.back().parts,
            [](const vlm::Part& part) { return std::holds_alternative<vlm::Image>(part); });
    };
    CHECK(images(1) == 1);
    CHECK(images(2) == 2); // the drawing and the screen
    CHECK(images(3) == 1);
}

TEST_CASE("custom tools are offered only to the roles of a team that act") {
    AgentStage stage;
    stage.profile = load_profile("commander");
    stage.options.custom_tools = custom_tools();
    stage.model.say("I plan.").fail({vlm::errc::unreachable, "no server"});
    stage.run_path = RunDirectory::create(stage.folder.path()).path();
    RunDirectory directory = RunDirectory::open(stage.run_path);
    Agent(stage.desktop, stage.model, stage.profile, built_in_tools(), stage.options)
        .run("do it", directory, stage.control);
    for (const vlm::ChatRequest& request : stage.model.requests())
        for (const std::string& name : offered(request)) CHECK(name != "set_volume");
    CHECK_THAT(test::read_file(stage.run_path / "run.json"), ContainsSubstring("set_volume"));
}

TEST_CASE("a profile restricts the custom tools to those that it names") {
    AgentStage stage;
    stage.options.custom_tools = custom_tools();
    stage.profile.offer_custom_tools = false;
    stage.model.say("done").say("done");
    (void)stage.run();
    CHECK(offered(stage.model.requests().back()).back() != "set_volume");
    stage.profile.tools.push_back({.tool = "set_volume", .name = "loudness"});
    (void)stage.run();
    CHECK(offered(stage.model.requests().back()).back() == "loudness");
    CHECK_THAT(to_json(stage.profile), ContainsSubstring("\"custom_tools\":false"));
    CHECK_FALSE(profile_from_json(to_json(stage.profile), "p").offer_custom_tools);
}

TEST_CASE("custom tools need unique names") {
    AgentStage stage;
    stage.options.custom_tools = desktop_tools();
    CHECK(code_of(stage) == errc::duplicate_tool);
}

TEST_CASE("a resumed run reports its missing tools") {
    AgentStage stage;
    stage.options.custom_tools = custom_tools();
    stage.model.fail({vlm::errc::unreachable, "no server"}).say("done");
    (void)stage.run();
    stage.options.custom_tools = {};
    RunDirectory directory = RunDirectory::open(stage.run_path);
    RunControl control;
    Agent(stage.desktop, stage.model, stage.profile, desktop_tools(), stage.options)
        .resume(directory, control);
    CHECK_THAT(test::read_file(stage.run_path / "execution_log.txt"),
               ContainsSubstring("no longer offered: set_volume"));
}

TEST_CASE("a model that reports a cancellation without a stop has failed") {
    AgentStage stage;
    stage.model.fail({vlm::errc::cancelled, "the adapter gave up"});
    const RunFinished result = stage.run();
    CHECK(result.outcome == Outcome::endpoint_failed);
    CHECK_THAT(result.reason, ContainsSubstring("the adapter gave up"));
}

TEST_CASE("a removed run directory ends the run with a clear error") {
    AgentStage stage;
    stage.model.call("observe_screen", "{}");
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    stage.model.answer([](const vlm::ChatRequest&) -> vlm::ChatReply { return {.text = "done"}; });
    struct Thief : Observer {
        std::filesystem::path loot;
        void on_event(const Event& event) override {
            visit(
                event, [&](const Replied&) { std::filesystem::remove_all(loot); },
                [](const auto&) {});
        }
    } thief;
    thief.loot = directory.path() / "screenshots";
    try {
        stage.run_with(stage.model, "do it", &thief, &directory);
        FAIL("no exception");
    } catch (const Error& error) {
        CHECK(error.code() == errc::journal_failed);
        CHECK_THAT(error.what(), ContainsSubstring("turn_0002.png cannot be written"));
    }
    // The run's end is recorded as far as possible.
    CHECK_THAT(stage.types(), ContainsSubstring("invoked observe run_finished"));
    CHECK(stage.summary().at("outcome").as_string() == "failed");
}

TEST_CASE("a real client's traffic is logged without image data") {
    AgentStage stage;
    vlm::testing::ChatServer server;
    server.enqueue({.body = vlm::testing::completion("done")});
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    HttpLog http_log;
    http_log.write_to(directory);
    vlm::OpenAiClient client(
        {.endpoint = server.url(),
         .api_key = "secret-key",
         .on_exchange = [&](const vlm::Exchange& exchange) { http_log.add(exchange); }});
    CHECK(stage.run_with(client, "do it", nullptr, &directory).outcome == Outcome::completed);
    CHECK_THAT(server.requests().at(0).body, ContainsSubstring("data:image/png;base64,iVBORw0"));
    const std::string log = test::read_file(directory.path() / "http.log");
    const std::string image = std::string(stage.entries().at(2).at("sha256").as_string());
    CHECK_THAT(log, ContainsSubstring(image));
    CHECK_THAT(log, !ContainsSubstring("base64"));
    CHECK_THAT(log, !ContainsSubstring("iVBORw0"));
    for (const auto& file : std::filesystem::recursive_directory_iterator(directory.path())) {
        if (file.is_regular_file())
            CHECK_THAT(test::read_file(file), !ContainsSubstring("secret-key"));
    }
}

TEST_CASE("the log of HTTP exchanges shortens long texts and lists tools by name") {
    const std::string words = '"' + std::string(500, 'w') + '"';
    const std::string body = GENERATE_COPY(
        R"({"messages":[{"role":"system","content":)" + words +
            R"(},{"role":"user","content":[{"type":"text","text":)" + words +
            R"(}]}],"tools":[{"type":"function","function":{"name":"click","description":)" +
            words + "}}]}",
        R"({"instructions":)" + words +
            R"(,"input":[{"role":"user","content":[{"type":"input_text","text":)" + words +
            R"(}]},{"type":"reasoning","encrypted_content":)" + words +
            R"(},{"type":"function_call_output","output":)" + words +
            R"(}],"tools":[{"type":"function","name":"click","description":)" + words + "}]}");
    MemoryStore store;
    HttpLog http_log;
    http_log.write_to(store);
    http_log.add({.method = "POST", .url = "http://localhost", .request_body = body});
    const auto in = store.open_read("http.log");
    REQUIRE(in);
    const std::string log{std::istreambuf_iterator<char>(*in), {}};
    CHECK_THAT(log, ContainsSubstring("[500 bytes in all]") &&
                        !ContainsSubstring(std::string(450, 'w')) &&
                        ContainsSubstring(R"(["click"])") && !ContainsSubstring("description"));
}

TEST_CASE("a tool of the user is offered and runs") {
    struct Nothing {};
    AgentStage stage;
    Toolbox tools = desktop_tools();
    int rung = 0;
    tools.add<Nothing>("ring_bell", "Rings.", {}, [&](const Nothing&, ToolContext&) {
        ++rung;
        return ok("it rang");
    });
    stage.options.with = {"ring_bell"};
    stage.model.call("ring_bell", "{}").say("done");
    Agent agent(stage.desktop, stage.model, stage.profile, tools, stage.options);
    RunDirectory directory = RunDirectory::create(stage.folder.path());
    CHECK(agent.run("ring", directory, stage.control).outcome == Outcome::completed);
    CHECK(rung == 1);
    CHECK(stage.model.requests().at(0).tools.back().name == "ring_bell");
}

TEST_CASE("a tool that only waits is interrupted at a safe point") {
    AgentStage stage;
    stage.options.with = {"wait"};
    stage.model.call("wait", R"({"seconds":5})");
    struct Impatient final : Observer {
        explicit Impatient(RunControl& control) : control_(control) {}
        void on_event(const Event& event) override {
            if (std::holds_alternative<Invoke>(event.payload)) control_.stop("enough");
        }

    private:
        RunControl& control_;
    } impatient(stage.control);
    CHECK(stage.run("do it", &impatient).outcome == Outcome::cancelled);
    const json::value invoked = stage.entries().at(6);
    CHECK(invoked.at("type").as_string() == "invoked");
    CHECK_FALSE(invoked.at("ok").as_bool());
    CHECK(invoked.at("interrupted").as_bool());
}

TEST_CASE("the step delay passes before the screenshot of a turn, or before its request") {
    AgentStage stage;
    stage.profile.step_delay = std::chrono::milliseconds(60);
    const bool looks = GENERATE(true, false);
    if (looks)
        stage.model.call("observe_screen", "{}").say("Done.");
    else
        stage.model.call("type_text", R"({"text":"a"})").say("Done.");
    (void)stage.run();
    const auto time_of = [&](std::size_t entry) {
        return stage.entries().at(entry).at("t").to_number<int>();
    };
    REQUIRE_THAT(stage.types(),
                 ContainsSubstring(looks ? "observe observed ask replied invoke invoked observe "
                                           "observed ask replied"
                                         : "observe observed ask replied invoke judged invoked "
                                           "ask replied"));
    const std::size_t waiting = looks ? 7 : 8;            // the command in which the delay passes
    CHECK(time_of(waiting + 1) - time_of(waiting) >= 59); // both are rounded down
}

TEST_CASE("typed text has the delay of the profile between its characters") {
    AgentStage stage;
    stage.profile.pace.type_delay = std::chrono::milliseconds(30);
    stage.model.call("type_text", R"({"text":"abc"})").say("Done.");
    (void)stage.run();
    for (const json::value& entry : stage.entries())
        if (entry.at("type").as_string() == "invoked")
            CHECK(entry.at("act_ms").to_number<double>() >= 60);
    CHECK(stage.desktop.typed() == "abc");
}

TEST_CASE("the journal records the duration of each part of a turn") {
    AgentStage stage;
    stage.model.call("type_text", R"({"text":"a"})").say("Done.");
    (void)stage.run();
    const std::map<std::string, std::vector<const char*>> durations{
        {"observed", {"settle_ms", "capture_ms", "scale_ms", "encode_ms"}},
        {"replied", {"wait_ms", "model_ms"}},
        {"invoked", {"policy_ms", "act_ms"}},
        {"run_finished", {"elapsed_ms"}}};
    std::size_t seen = 0;
    for (const json::value& entry : stage.entries()) {
        const auto expected = durations.find(std::string(entry.at("type").as_string()));
        if (expected == durations.end()) continue;
        for (const char* duration : expected->second) {
            REQUIRE(entry.as_object().contains(duration));
            CHECK(entry.at(duration).to_number<double>() >= 0);
        }
        ++seen;
    }
    CHECK(seen == 5); // one observed, two replies, one call, the end
}
