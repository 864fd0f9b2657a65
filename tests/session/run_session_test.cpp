// Tests complete runs with a server on a real socket.
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/journal.hpp"
#include "eyehand/agent/run_view.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/vlm/cassette.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "llama_double.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <set>

using namespace eyehand;
using session::RunSession;
using session::SessionOptions;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

constexpr const char* models =
    R"({"object":"list","data":[{"id":"tiny","object":"model","owned_by":"llamacpp",)"
    R"("meta":{"n_ctx_train":8192}}]})";
constexpr const char* blind_props =
    R"({"default_generation_settings":{"n_ctx":8192},"modalities":{"vision":false},)"
    R"("model_path":"/tiny.gguf","build_info":"b1","chat_template":"{{ tools }}"})";

struct RunSessionStage {
    test::TempFolder folder;
    ChatServer server;
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    std::vector<std::string> remarks;

    SessionOptions options() {
        SessionOptions all;
        all.profile = agent::load_profile("observer");
        all.profile.model = "tiny";
        all.client = {.endpoint = server.url(), .retries = {.max_retries = 0}};
        all.agent.settle.minimum = all.agent.settle.quiet = std::chrono::milliseconds(0);
        all.probe = false;
        all.choose_watch = false; // answers are scripted
        all.on_remark = [this](const std::string& remark) { remarks.push_back(remark); };
        return all;
    }
    void answer(const std::string& text, const std::string& tool = {},
                const std::string& arguments = "{}") {
        server.enqueue({.body = completion(text, tool, arguments)});
    }
    agent::RunDirectory directory() { return agent::RunDirectory::create(folder.path()); }
};

std::set<std::string> files_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            names.insert(std::filesystem::relative(entry.path(), folder).generic_string());
    return names;
}

std::string text_of(const agent::RunDirectory& directory, const char* name) {
    return test::read_file(directory.path() / name);
}

} // namespace

TEST_CASE("session: a run writes all files of a run directory") {
    RunSessionStage stage;
    stage.answer("I look.", "observe_screen");
    stage.answer("It is done.");
    RunSession session(stage.desktop, stage.options());
    agent::RunDirectory directory = stage.directory();
    const session::RunResult result = session.run("do it", directory);
    CHECK(result.finished.outcome == agent::Outcome::completed);
    CHECK(result.report == directory.path() / "report.html");
    std::set<std::string> files = files_in(directory.path());
    // The instructions, the task, the tools, the reply, the result and the screenshot's message.
    CHECK(std::erase_if(files, [](const std::string& file) {
              return file.starts_with("prompts/") && file.ends_with(".txt");
          }) == 6);
    CHECK(files == std::set<std::string>{"events.jsonl", "execution_log.txt", "http.log",
                                         "report.html", "run.json", "screenshots/turn_0001.png",
                                         "screenshots/turn_0002.png", "seal.json"});
    CHECK(session::verify_run(directory).problems.empty());
    CHECK(session::verify_run(directory).unverified.empty());
    CHECK(session::verify_run(directory).logs == 3); // run.json, execution_log.txt, http.log
    CHECK_THAT(text_of(directory, "http.log"), ContainsSubstring("#2 POST"));
    CHECK_THAT(text_of(directory, "report.html"), ContainsSubstring("It is done."));
    CHECK(stage.remarks.empty());
}

TEST_CASE("session: the family of the model chooses the numbers of positions, or the user") {
    struct Case {
        const char* model;
        std::optional<agent::CoordinateConvention> given;
        const char* image; ///< of the profile that front ends receive
        const char* remark;
    };
    using enum agent::CoordinateConvention;
    const Case example = GENERATE(
        Case{"tiny", {}, "1536x864", nullptr}, Case{"qwen3-vl-8b", {}, "1536x864", nullptr},
        Case{"qwen2.5-vl-7b", {}, "616x336!", "(model_pixels:28); --coordinates selects others"},
        Case{"qwen2.5-vl-7b", norm1000, "1536x864", "but this run uses norm1000 (the profile)"},
        Case{"tiny", image_pixels, "640x360!", nullptr},
        Case{
            "allenai/MolmoPoint-8B",
            {},
            "1536x864",
            "states no usable positions: clicks are likely to miss; consider a model of a family"});
    INFO(example.model);
    RunSessionStage stage;
    stage.answer("It is done.");
    SessionOptions options = stage.options();
    options.profile.model = example.model;
    options.profile.coordinates = example.given;
    RunSession session(stage.desktop, options);
    CHECK(winio::to_string(session.profile().image) == example.image);
    REQUIRE(stage.remarks.size() == (example.remark == nullptr ? 0U : 1U));
    if (example.remark != nullptr)
        CHECK_THAT(stage.remarks.front(), ContainsSubstring(example.remark));
    agent::RunDirectory directory = stage.directory();
    CHECK(session.run("do it", directory).finished.outcome == agent::Outcome::completed);
    const agent::RunSummary summary = agent::load_run(directory).summary;
    CHECK(summary.profile.coordinates == session.profile().coordinates);
    CHECK(summary.profile.image == session.profile().image);
    const bool has_setting = std::ranges::any_of(
        summary.settings, [](const auto& setting) { return setting.name == "coordinates"; });
    CHECK(has_setting != example.given.has_value()); // a given one has its own source
}

namespace {

/// Writes the calibration of the model "tiny" of this stage.
std::filesystem::path write_calibration(const RunSessionStage& stage,
                                        const std::function<void(session::Calibration&)>& change) {
    session::Calibration calibration;
    calibration.endpoint = vlm::OpenAiClient({.endpoint = stage.server.url()}).url();
    calibration.model = "tiny";
    calibration.fit.grounds = true;
    calibration.hit_rates = {{8, 9, 10}, {96, 10, 10}};
    change(calibration);
    std::filesystem::path folder = stage.folder / "calibrations";
    std::filesystem::create_directories(folder);
    std::ofstream(folder / session::calibration_file(calibration.endpoint, calibration.model))
        << session::to_json(calibration);
    return folder;
}

std::string setting_of(const agent::RunDirectory& directory, std::string_view name) {
    for (const agent::Setting& setting : agent::load_run(directory).summary.settings)
        if (setting.name == name) return setting.value + " / " + setting.source;
    return {};
}

} // namespace

TEST_CASE("session: the calibration of the model chooses and corrects the numbers of positions") {
    RunSessionStage stage;
    const agent::Correction correction{1, -20, 1, 0};
    stage.answer("I click.", "click_element", R"({"label":"it","box":[52,50]})");
    stage.answer("It is done.");
    SessionOptions options = stage.options();
    options.agent.guard = agent::Guard(agent::GuardLevel::off);
    options.agent.reaction = winio::no_reaction_wait;
    options.calibrations = write_calibration(stage, [&](session::Calibration& it) {
        it.fit.form.convention = agent::CoordinateConvention::percent;
        it.fit.correction = correction;
    });
    RunSession session(stage.desktop, options);
    CHECK(stage.remarks.empty());
    CHECK(session.profile().coordinates == agent::CoordinateConvention::percent);
    CHECK(session.profile().correction == correction);
    agent::RunDirectory directory = stage.directory();
    (void)session.run("do it", directory);
    CHECK(setting_of(directory, "coordinates") == "percent / the calibration");
    CHECK(setting_of(directory, "measured_positions") ==
          "percent; 90 % of small targets / calibration");
    CHECK(agent::load_run(directory).summary.profile.correction == correction);
    // The run keeps it for its report.
    const std::string kept = test::read_file(directory.path() / "calibration.json");
    CHECK(session::calibration_from_json(kept, "kept").fit.correction == correction);
    CHECK_THAT(test::read_file(directory.path() / "report.html"),
               ContainsSubstring(R"("text":"percent: 0 to 100")"));
    CHECK(session::verify_run(directory).problems.empty());
    const auto events = stage.desktop.events();
    const auto moved = std::ranges::find_if(events, [](const winio::InputEvent& event) {
        return std::holds_alternative<winio::PointerMove>(event);
    });
    REQUIRE(moved != events.end());
    CHECK(std::get<winio::PointerMove>(*moved).to == winio::Point{320, 180}); // 500, 500
}

TEST_CASE("session: remarks on a calibration") {
    struct Case {
        std::function<void(session::Calibration&)> change;
        const char* remark;
        const char* coordinates; ///< of the run
    };
    using enum agent::CoordinateConvention;
    const std::vector<Case> all{
        {[](session::Calibration& it) {
             it.hit_rates = {{8, 3, 10}};
         },
         "30 % of clicks on small targets (up to 16 pixels) are expected to hit (11 to 60 %)",
         "norm1000"},
        {[](session::Calibration& it) { it.fit.grounds = false; },
         "so the model cannot click: consider another --dialect, if the model was trained in one",
         "norm1000"},
        {[](session::Calibration& it) {
             it.early = {30, 30};
             it.late = {2, 10};
         },
         "does not keep to one convention: 30 of 30 positions are in it up to turn 10 of a "
         "conversation, 2 of 10 later; clicks in long runs may miss: prefer short tasks "
         "(--max-turns 10)",
         "norm1000"},
        {[](session::Calibration& it) {
             it.fit.form = {unit, true};
         },
         "in this form (unit: fractions from 0 to 1, y before x), so clicks are likely to miss: "
         "try",
         "norm1000"},
        {[](session::Calibration& it) { it.dialect = agent::Dialect::glm; },
         "was made with --dialect glm and is not used", "norm1000"},
        {[](session::Calibration& it) {
             it.hit_rates = {{8, -1, 10}};
         },
         "the calibration of tiny is ignored: ", "norm1000"},
    };
    for (const Case& one : all) {
        INFO(one.remark);
        RunSessionStage stage;
        SessionOptions options = stage.options();
        options.calibrations = write_calibration(stage, one.change);
        const RunSession session(stage.desktop, options);
        REQUIRE(stage.remarks.size() == 1);
        CHECK_THAT(stage.remarks.front(), ContainsSubstring("tiny"));
        CHECK_THAT(stage.remarks.front(), ContainsSubstring(one.remark));
        CHECK(to_string(session.profile().coordinates.value()) == one.coordinates);
    }
}

TEST_CASE("session: numbers of the user are kept if a calibration has measured others") {
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.profile.coordinates = agent::CoordinateConvention::norm1000;
    options.calibrations = write_calibration(stage, [](session::Calibration& it) {
        it.fit.form.convention = agent::CoordinateConvention::unit;
        it.fit.correction = {1, 5, 1, 5};
    });
    const RunSession session(stage.desktop, options);
    CHECK(session.profile().coordinates == agent::CoordinateConvention::norm1000);
    CHECK(!session.profile().correction);
    REQUIRE(stage.remarks.size() == 1);
    CHECK_THAT(stage.remarks.front(),
               ContainsSubstring("but this run uses norm1000 (the profile)"));
}

TEST_CASE("session: each warning of a calibration is a remark") {
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.profile.coordinates = agent::CoordinateConvention::norm1000;
    options.calibrations = write_calibration(stage, [](session::Calibration& it) {
        it.fit.form.convention = agent::CoordinateConvention::unit;
        it.hit_rates = {{8, 3, 10}};
    });
    const RunSession session(stage.desktop, options);
    REQUIRE(stage.remarks.size() == 2);
    CHECK_THAT(stage.remarks[0], ContainsSubstring("30 % of clicks on small targets"));
    CHECK_THAT(stage.remarks[0], ContainsSubstring("(--refine on)"));
    CHECK_THAT(stage.remarks[1], ContainsSubstring("but this run uses norm1000 (the profile)"));
}

TEST_CASE("session: a run that continues with another model has no calibration of the first") {
    RunSessionStage stage;
    stage.answer("I look.", "observe_screen");
    stage.server.enqueue({.status = 400, .body = R"({"error":{"message":"no"}})"});
    SessionOptions options = stage.options();
    options.calibrations = write_calibration(stage, [](session::Calibration&) {});
    agent::RunDirectory directory = stage.directory();
    (void)RunSession(stage.desktop, options).run("do it", directory);
    REQUIRE(std::filesystem::exists(directory.path() / "calibration.json"));
    CHECK_THAT(text_of(directory, "report.html"), ContainsSubstring(R"("model":"tiny","text":)"));

    stage.answer("It is done.");
    options.calibrations.clear();
    options.profile.model = "other";
    (void)RunSession(stage.desktop, options).resume(directory);
    CHECK_THAT(text_of(directory, "report.html"), ContainsSubstring(R"("calibration":null)"));
}

TEST_CASE("session: screenshots have the size to which the server shrinks images") {
    RunSessionStage stage;
    winio::testing::MemoryDesktop desktop{winio::Size{1920, 1080}};
    SessionOptions options = stage.options();
    options.calibrations = write_calibration(stage, [](session::Calibration& it) {
        it.fit.form = {agent::CoordinateConvention::image_pixels, false,
                       session::ServerResize::long_side_1024};
    });
    const RunSession session(desktop, options);
    CHECK(winio::to_string(session.profile().image) == "1024x576!");
    CHECK(session.profile().coordinates == agent::CoordinateConvention::image_pixels);
}

TEST_CASE("session: the properties of the server adapt the run and are stored in its files") {
    RunSessionStage stage;
    stage.server.enqueue({.body = models});
    stage.server.enqueue({.body = blind_props});
    SessionOptions options = stage.options();
    options.probe = true;
    int exchanges = 0;
    options.client.on_exchange = [&](const vlm::Exchange&) { ++exchanges; };
    RunSession session(stage.desktop, options);
    REQUIRE(session.server());
    CHECK(session.server()->model.id == "tiny");
    // 20 * 11 + 2 tokens each: half of the context holds 18 of them, as many as the profile wants.
    CHECK(session.profile().screenshots == options.profile.screenshots);
    CHECK(stage.remarks.size() == 1);
    CHECK_THAT(stage.remarks.front(), ContainsSubstring("tiny does not accept images"));
    stage.answer("It is done.");
    agent::RunDirectory directory = stage.directory();
    (void)session.run("do it", directory);
    CHECK_THAT(text_of(directory, "run.json"),
               ContainsSubstring(R"("sees_images":{"value":"no","source":"probe"})"));
    // The probe precedes the run, but its requests are logged, too.
    CHECK_THAT(text_of(directory, "http.log"), ContainsSubstring("#1 GET"));
    CHECK(exchanges == 3);
}

TEST_CASE("session: a remark warns that llama-server mostly does not read WebP") {
    RunSessionStage stage;
    const test::LlamaDouble llama;
    SessionOptions options = stage.options();
    options.probe = true;
    options.client.endpoint = llama.url();
    options.profile.image_format = winio::JpegOptions{};
    (void)RunSession(stage.desktop, options);
    CHECK(stage.remarks.empty());
    if (!winio::is_supported(winio::WebpOptions{})) return;
    options.profile.image_format = winio::WebpOptions{};
    (void)RunSession(stage.desktop, options);
    REQUIRE(stage.remarks.size() == 1);
    CHECK_THAT(stage.remarks.front(), ContainsSubstring("llama-server cannot read WebP"));
}

TEST_CASE("session: the profile is fitted to a small context unless the caller disables it") {
    const bool fits = GENERATE(true, false);
    RunSessionStage stage;
    stage.server.enqueue({.body = models});
    stage.server.enqueue({.body = blind_props});
    SessionOptions options = stage.options();
    options.probe = true;
    options.fit_context = fits;
    winio::testing::MemoryDesktop desktop{winio::Size{1536, 864}};
    const RunSession session(desktop, options);
    CHECK((session.profile().screenshots != options.profile.screenshots) == fits);
}

TEST_CASE("session: a server that does not answer does not prevent the run") {
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.probe = true;
    options.client.endpoint = "http://127.0.0.1:9"; // the discard port: nothing listens there
    RunSession session(stage.desktop, options);
    CHECK_FALSE(session.server());
    agent::RunDirectory directory = stage.directory();
    const session::RunResult result = session.run("do it", directory);
    CHECK(result.finished.outcome == agent::Outcome::endpoint_failed);
    CHECK_FALSE(result.report.empty());
}

TEST_CASE("session: a recorded run is replayed without a server") {
    RunSessionStage stage;
    stage.answer("", "type_text", R"({"text":"a"})");
    stage.answer("It is done.");
    SessionOptions options = stage.options();
    options.cassette.record = stage.folder / "run.cassette";
    {
        RunSession session(stage.desktop, options);
        agent::RunDirectory directory = stage.directory();
        CHECK(session.run("do it", directory).finished.reason == "It is done.");
        CHECK_THAT(text_of(directory, "run.json"), ContainsSubstring(R"("record":{"value":)"));
    }
    CHECK_THROWS_AS(RunSession(stage.desktop, options), vlm::CassetteError); // the file exists

    SessionOptions replay = stage.options();
    replay.probe = true; // no server is asked
    replay.client.endpoint = "http://127.0.0.1:9";
    replay.cassette.replay = stage.folder / "run.cassette";
    replay.cassette.strict = GENERATE(false, true);
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    RunSession session(desktop, replay);
    CHECK(session.watch() == agent::Watch::check); // as set
    agent::RunDirectory directory = stage.directory();
    const session::RunResult result = session.run("do it", directory);
    CHECK(result.finished.reason == "It is done.");
    CHECK(desktop.typed() == "a"); // actions are executed
}

TEST_CASE("session: a resumed run continues its logs") {
    RunSessionStage stage;
    agent::RunDirectory directory = stage.directory();
    stage.server.enqueue({.status = 500, .body = "{}"});
    {
        RunSession session(stage.desktop, stage.options());
        CHECK(session.run("do it", directory).finished.outcome == agent::Outcome::endpoint_failed);
    }
    stage.answer("It is done.");
    RunSession session(stage.desktop, stage.options());
    const session::RunResult result = session.resume(directory, {}, {"the moon is full"});
    CHECK(result.finished.outcome == agent::Outcome::completed);
    CHECK_THAT(text_of(directory, "execution_log.txt"), ContainsSubstring("the moon is full"));
    CHECK_THAT(text_of(directory, "report.html"), ContainsSubstring("It is done."));
}

TEST_CASE("session: nothing is written to a run of another session") {
    RunSessionStage stage;
    agent::RunDirectory directory = stage.directory();
    stage.answer("It is done.");
    {
        RunSession session(stage.desktop, stage.options());
        (void)session.run("do it", directory);
    }
    std::filesystem::remove(directory.path() / "report.html");
    const std::string log = text_of(directory, "http.log");
    RunSession session(stage.desktop, stage.options());
    CHECK_THROWS_AS(session.resume(directory), agent::Error); // the run has ended
    CHECK_THROWS_AS(session.run("do it", directory), agent::Error);
    CHECK_THROWS_AS(session.run(" ", directory), agent::Error);
    {
        const agent::Journal journal(directory); // another process holds the lock
        CHECK_THROWS_AS(session.resume(directory), agent::Error);
    }
    CHECK_FALSE(std::filesystem::exists(directory.path() / "report.html"));
    CHECK(text_of(directory, "http.log") == log);
}

TEST_CASE("session: a run that throws leaves its report, and a remark names the path") {
    RunSessionStage stage;
    stage.answer("", "fall_over");
    SessionOptions options = stage.options();
    options.agent.custom_tools.add("fall_over", "Throws.", R"({"type":"object","properties":{}})",
                                   [](agent::JsonView, agent::ToolContext&) -> agent::ToolResult {
                                       throw std::runtime_error("stumbled");
                                   });
    RunSession session(stage.desktop, options);
    agent::RunDirectory directory = stage.directory();
    CHECK_THROWS_AS(session.run("do it", directory), std::runtime_error);
    CHECK_THAT(text_of(directory, "report.html"), ContainsSubstring("stumbled"));
    REQUIRE(stage.remarks.size() == 1);
    CHECK_THAT(stage.remarks.front(), ContainsSubstring("report.html"));
}

TEST_CASE("session: a run in memory has an HTTP log but no report") {
    RunSessionStage stage;
    stage.answer("It is done.");
    RunSession session(stage.desktop, stage.options());
    agent::MemoryStore store;
    const session::RunResult result = session.run("do it", store);
    CHECK(result.report.empty());
    CHECK_THAT(store.bytes("http.log"), ContainsSubstring("POST"));
    CHECK(agent::read_run(store).finished()->outcome == agent::Outcome::completed);
}

TEST_CASE("session: the caller's control controls the run, and observers receive its events") {
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.control.stop("enough");
    struct Counting : agent::Observer {
        int events = 0;
        void on_event(const agent::Event&) override { ++events; }
    } counting;
    RunSession session(stage.desktop, options);
    CHECK(session.control().stopping());
    agent::MemoryStore store;
    const std::array<agent::Observer*, 1> observers{&counting};
    CHECK(session.run("do it", store, observers).finished.reason == "enough");
    CHECK(counting.events > 0);
}

TEST_CASE("session: differences reports a changed version and profile") {
    agent::StoredRun stored;
    stored.version = std::string(agent::version());
    stored.summary.profile = agent::load_profile("commander");
    CHECK(session::differences(stored).empty());
    // Settings of the run do not count.
    stored.summary.profile.model = "another";
    for (vlm::Sampling* sampling :
         agent::mode_of(stored.summary.profile).samplings(stored.summary.profile))
        sampling->temperature = 0.123;
    CHECK(session::differences(stored).empty());
    stored.version = "0.0.1";
    stored.summary.profile.loops.cooldown += 1;
    const std::vector<std::string> remarks = session::differences(stored);
    REQUIRE(remarks.size() == 2);
    CHECK_THAT(remarks[0], ContainsSubstring("0.0.1"));
    CHECK_THAT(remarks[1], ContainsSubstring("\"commander\" has changed"));
    stored.summary.profile.name = "mine"; // not a built-in profile
    CHECK(session::differences(stored).size() == 1);
}

TEST_CASE("session: LM Studio's log of the run is copied to the run directory") {
    RunSessionStage stage;
    const std::filesystem::path logs = stage.folder / "server-logs";
    std::filesystem::create_directories(logs);
    SessionOptions options = stage.options();
    options.server_logs = {logs};
    options.client.on_exchange = [&](const vlm::Exchange&) {
        std::ofstream(logs / "main.log") << "the server said this\n";
    };
    stage.answer("It is done.");
    RunSession session(stage.desktop, options);
    agent::RunDirectory directory = stage.directory();
    (void)session.run("do it", directory);
    bool kept = false;
    for (const std::string& name : files_in(directory.path()))
        kept = kept ||
               text_of(directory, name.c_str()).find("the server said this") != std::string::npos;
    CHECK(kept);
}

TEST_CASE("session: without a named model the server's only model is used") {
    RunSessionStage stage;
    stage.server.enqueue({.body = models});
    stage.server.enqueue({.body = blind_props});
    stage.answer("It is done.");
    SessionOptions options = stage.options();
    options.probe = true;
    options.profile.model = "another";
    RunSession session(stage.desktop, options);
    CHECK(session.profile().model == "tiny");
    agent::RunDirectory directory = stage.directory();
    (void)session.run("do it", directory);
    CHECK_THAT(text_of(directory, "run.json"),
               ContainsSubstring(R"("model":{"value":"tiny","source":"probe"})"));
    CHECK_THAT(stage.server.requests().back().body, ContainsSubstring(R"("model":"tiny")"));
}

TEST_CASE("session: a server with several models is an error unless one is named") {
    RunSessionStage stage;
    const std::string two =
        R"({"object":"list","data":[{"id":"tiny","object":"model"},{"id":"huge","object":"model"}]})";
    stage.server.enqueue({.body = two});
    for (int i = 0; i < 8; ++i) stage.server.enqueue({.status = 404, .body = "{}"});
    SessionOptions options = stage.options();
    options.probe = true;
    SECTION("not named") {
        try {
            const RunSession session(stage.desktop, options);
            FAIL("a model was chosen");
        } catch (const agent::Error& error) {
            CHECK(error.code() == agent::errc::bad_config);
            CHECK_THAT(error.what(), ContainsSubstring("tiny, huge"));
        }
    }
    SECTION("named") {
        options.model = "huge";
        CHECK(RunSession(stage.desktop, options).profile().model == "huge");
    }
}

TEST_CASE("session: a replayed run does not watch the screen, unless the caller wants it") {
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.cassette.record = stage.folder / "empty.cassette";
    { const RunSession recording(stage.desktop, options); }
    options.cassette = {};
    options.cassette.replay = stage.folder / "empty.cassette";
    options.choose_watch = GENERATE(true, false);
    const RunSession session(stage.desktop, options);
    CHECK(session.watch() == (options.choose_watch ? agent::Watch::off : agent::Watch::check));
}

TEST_CASE("session: requests are cancelled only if the server then stops") {
    const bool stops = GENERATE(true, false);
    test::LlamaDouble llama({.stops_on_disconnect = stops});
    RunSessionStage stage;
    SessionOptions options = stage.options();
    options.client.endpoint = llama.url();
    options.model = options.profile.model = "tiny-vl";
    options.probe = true;
    SECTION("by default, the probe decides") {
        options.choose_watch = true;
        const RunSession session(stage.desktop, options);
        CHECK(session.watch() == (stops ? agent::Watch::resend : agent::Watch::check));
        CHECK(llama.chats().size() == 1);
    }
    SECTION("the caller's choice stays") {
        options.choose_watch = GENERATE(true, false);
        options.agent.watch = options.choose_watch ? agent::Watch::off : agent::Watch::check;
        const RunSession session(stage.desktop, options);
        CHECK(session.watch() == options.agent.watch);
        CHECK(llama.chats().empty());
    }
}
