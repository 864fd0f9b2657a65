// Runs whose screenshots are PNG, JPEG or WebP: the model, the run directory, the report, resuming and
// replaying have the same bytes.
#include "eyehand/agent/journal_reader.hpp"
#include "eyehand/agent/replay.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/base/base64.hpp"
#include "eyehand/session/run_session.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/image_file.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"

#include "catch.hpp"
#include "report/screenshots.hpp"
#include "temp_folder.hpp"
#include "watch.hpp"

#include <future>

using namespace eyehand;
using session::RunSession;
using session::SessionOptions;
using vlm::testing::ChatServer;
using vlm::testing::completion;

namespace {

std::vector<winio::ImageFormat> formats() {
    std::vector<winio::ImageFormat> all{winio::PngOptions{}, winio::JpegOptions{.quality = 70}};
    if (winio::is_supported(winio::WebpOptions{})) all.emplace_back(winio::WebpOptions{});
    return all;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

struct Stage {
    test::TempFolder folder;
    ChatServer server;
    winio::testing::MemoryDesktop desktop{winio::Size{640, 360}};
    winio::ImageFormat format;
    agent::RunDirectory directory = agent::RunDirectory::create(folder.path());

    explicit Stage(const winio::ImageFormat& of) : format(of) {
        desktop.screen().fill({100, 50, 300, 200}, {.blue = 200, .green = 120, .red = 40});
        desktop.on_input = [this](const winio::InputEvent& event) {
            if (std::holds_alternative<winio::ButtonChange>(event))
                desktop.screen().fill({300, 100, 40, 20}, {.red = 250});
        };
    }
    [[nodiscard]] SessionOptions options() const {
        SessionOptions all;
        all.profile = agent::load_profile("observer");
        all.profile.model = "tiny";
        all.profile.image_format = format;
        all.client = {.endpoint = server.url(), .retries = {.max_retries = 0}};
        all.agent.settle.minimum = all.agent.settle.quiet = std::chrono::milliseconds(0);
        all.agent.reaction = winio::no_reaction_wait;
        all.probe = false;
        all.choose_watch = false; // answers are scripted
        return all;
    }
    void answer(const std::string& text, const std::string& tool = {},
                const std::string& arguments = "{}") {
        server.enqueue({.body = completion(text, tool, arguments)});
    }
    /// A run with the screenshots 1 and 3.
    void answer_with_click() {
        answer("I click.", "click_element", R"({"label":"OK","box":[500,300]})");
        answer("I look.", "observe_screen");
        answer("It is done.");
    }
    [[nodiscard]] std::string file_name(int number, const std::string& suffix = {}) const {
        return "screenshots/turn_000" + std::to_string(number) + suffix +
               std::string(winio::file_extension(format));
    }
    [[nodiscard]] std::string bytes(const std::string& name) const {
        return test::read_file(directory.path() / name);
    }
    /// As a request contains it.
    [[nodiscard]] std::string data_url(const std::string& name) const {
        return "data:" + std::string(winio::media_type(format)) + ";base64," +
               base::to_base64(bytes(name));
    }
    [[nodiscard]] std::string body(std::size_t request) const {
        return server.requests().at(request).body;
    }
};

} // namespace

TEST_CASE("image formats: the run directory has the bytes that the model receives") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer_with_click();
        RunSession session(stage.desktop, stage.options());
        const session::RunResult result = session.run("do it", stage.directory);
        REQUIRE(result.finished.outcome == agent::Outcome::completed);
        CHECK(count(stage.body(0), stage.data_url(stage.file_name(1))) == 1);
        CHECK(count(stage.body(2), stage.data_url(stage.file_name(3))) == 1);
        CHECK(count(stage.body(2), "data:image/") == 2);
        CHECK(count(stage.body(2), "data:" + std::string(winio::media_type(format))) == 2);
        const session::Verification verified = session::verify_run(stage.directory);
        CHECK(verified.problems.empty());
        CHECK(verified.unverified.empty());
        CHECK(verified.screenshots == 2);
        CHECK(count(stage.bytes("report.html"), stage.data_url(stage.file_name(1))) == 1);
        CHECK(count(stage.bytes("report.html"), stage.data_url(stage.file_name(3))) == 1);
        CHECK_THAT(stage.bytes("http.log"), ContainsSubstring("sha256:"));
        CHECK(count(stage.bytes("http.log"), "base64") == 0);
    }
}

TEST_CASE("image formats: verification finds a changed and an added screenshot") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer("It is done.");
        RunSession session(stage.desktop, stage.options());
        (void)session.run("do it", stage.directory);
        stage.directory.replace(stage.file_name(1), stage.bytes(stage.file_name(1)) + "x");
        stage.directory.create(stage.file_name(9), "x");
        const auto problems = session::verify_run(stage.directory).problems;
        REQUIRE(problems.size() == 2);
        CHECK(problems[0].text == "has been changed");
        CHECK(problems[1].text == "was added");
    }
}

TEST_CASE("image formats: a resumed run sends the earlier screenshot in its format") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer("I look.", "observe_screen");
        stage.server.enqueue({.status = 500, .body = "{}"});
        {
            RunSession session(stage.desktop, stage.options());
            CHECK(session.run("do it", stage.directory).finished.outcome !=
                  agent::Outcome::completed);
        }
        stage.answer("It is done.");
        SessionOptions options = stage.options();
        options.profile = agent::load_run(stage.directory).summary.profile;
        CHECK(options.profile.image_format == format);
        RunSession session(stage.desktop, options);
        CHECK(session.resume(stage.directory).finished.outcome == agent::Outcome::completed);
        // The screen has not changed, so that the new screenshot has the same bytes.
        CHECK(count(stage.body(2), stage.data_url(stage.file_name(1))) == 2);
        CHECK(count(stage.body(2), "data:" + std::string(winio::media_type(format))) ==
              count(stage.body(2), "data:image/"));
        CHECK(session::verify_run(stage.directory).problems.empty());
    }
}

TEST_CASE("image formats: a recorded run replays without differences") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer_with_click();
        SessionOptions options = stage.options();
        options.agent.record_desktop = true;
        RunSession session(stage.desktop, options);
        CHECK(session.run("do it", stage.directory).finished.outcome == agent::Outcome::completed);
        agent::ReplayOptions same;
        same.agent = options.agent;
        const agent::ReplayReport report = agent::replay_run(stage.directory, same);
        INFO(agent::to_text(report));
        CHECK(report.identical());
        CHECK(report.results > 4);
    }
}

TEST_CASE("image formats: an annotated screenshot has the format of the run") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer_with_click();
        SessionOptions options = stage.options();
        options.profile.executed_heat.enabled = true;
        RunSession session(stage.desktop, options);
        (void)session.run("do it", stage.directory);
        CHECK(count(stage.body(2), stage.data_url(stage.file_name(3))) == 1);
        CHECK(stage.bytes(stage.file_name(3)) != stage.bytes(stage.file_name(3, "_raw")));
        CHECK(session::verify_run(stage.directory).problems.empty());
    }
}

TEST_CASE("image formats: the PNG of a client that annotates is encoded in the format of the run") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer(R"({"observation":"Done.","bboxes":[],"actions":[],"done":true})");
        SessionOptions options = stage.options();
        options.profile = agent::load_profile("story");
        options.profile.log.layout = agent::LogLayout::screenshots;
        options.profile.model = "tiny";
        options.profile.image_format = format;
        options.agent.annotation = agent::Source::client;
        RunSession session(stage.desktop, options);
        agent::RunControl control = session.control();
        test::Watch watch(control);
        auto result =
            std::async(std::launch::async, [&] { return session.run("do it", stage.directory); });
        std::string raw_type;
        for (int turn = 1; turn <= 2; ++turn) {
            const agent::RunStatus now = watch.until([&](const agent::RunStatus& status) {
                return status.annotation_request && status.annotation_request->turn == turn;
            });
            raw_type = now.annotation_request->media_type;
            winio::Image drawn(now.annotation_request->size);
            drawn.fill({0, 0, drawn.width(), drawn.height()}, {255, 255, 255, 255});
            CHECK(control.annotate(turn, winio::encode_png(drawn.view())) ==
                  agent::SubmitResult::accepted);
        }
        CHECK(result.get().finished.outcome == agent::Outcome::completed);
        CHECK(raw_type == winio::media_type(format));
        CHECK_THAT(stage.body(0),
                   ContainsSubstring("data:" + std::string(winio::media_type(format))));
        CHECK(session::verify_run(stage.directory).problems.empty());
    }
}

TEST_CASE("image formats: a large run has its screenshots in the report, whatever their format") {
    for (const winio::ImageFormat& format : formats()) {
        INFO(winio::to_string(format));
        Stage stage(format);
        stage.answer_with_click();
        SessionOptions options = stage.options();
        options.report = false;
        RunSession session(stage.desktop, options);
        (void)session.run("do it", stage.directory);
        // All files do not fit, the difference from the first one does.
        const std::size_t files =
            stage.bytes(stage.file_name(1)).size() + stage.bytes(stage.file_name(3)).size();
        CHECK(files > 0);
        const session::ScreenshotSet set = session::fit_screenshots(
            stage.directory.path(), {{.file = stage.file_name(1)}, {.file = stage.file_name(3)}},
            files);
        REQUIRE(set.screenshots.size() == 2);
        for (const session::ComposedScreenshot& screenshot : set.screenshots) {
            CHECK(screenshot.problem.empty());
            CHECK_FALSE(screenshot.layers.empty());
            CHECK(screenshot.size == winio::Size{640, 360});
        }
    }
}
