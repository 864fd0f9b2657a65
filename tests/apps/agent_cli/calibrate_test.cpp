// agent-cli calibrate, with a server that knows the targets.
#include "process.hpp"

#include "eyehand/base/base64.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"
#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "known_target.hpp"

#include <functional>

using namespace eyehand;
using agent::CoordinateConvention;
using agent::CoordinateConverter;
using session::Calibration;
using session::PositionSample;
using vlm::testing::Answer;
using vlm::testing::ChatServer;
using vlm::testing::completion;
using vlm::testing::ReceivedRequest;

namespace {

/// The screen of the last image in a request.
const test::KnownScreen& last_screen(const std::string& body) {
    static const std::vector<std::string> images = [] {
        std::vector<std::string> all;
        for (const test::KnownScreen& one : test::known_screens())
            all.push_back("data:image/png;base64," + base::to_base64(one.png));
        return all;
    }();
    const std::size_t at = body.rfind("data:image/png;base64,");
    for (std::size_t i = 0; i < images.size(); ++i)
        if (at != std::string::npos && body.compare(at, images[i].size(), images[i]) == 0)
            return test::known_screens()[i];
    throw std::runtime_error("the request does not have a screen of the first 40 questions");
}

/// The request's text, in which quotation marks are not escaped.
std::string unescaped(std::string text) {
    for (std::size_t at = text.find("\\\""); at != std::string::npos; at = text.find("\\\"", at))
        text.erase(at, 1);
    return text;
}

using Click = std::function<std::array<double, 2>(const PositionSample&)>;

/// Calls the tool `click_element` where `click` says.
vlm::testing::ServerOptions seeing(Click click) {
    return {.respond = [click = std::move(click)](const ReceivedRequest& request) -> Answer {
        const auto target = test::known_target(unescaped(request.body), last_screen(request.body));
        if (!target) return {.body = completion("I see nothing.")};
        const auto at = click(*target);
        return {.body =
                    completion("", "click_element",
                               "{\"label\":\"it\",\"box\":[" + CoordinateConverter::text(at[0]) +
                                   "," + CoordinateConverter::text(at[1]) + "]}")};
    }};
}

Click clicking(CoordinateConvention convention) {
    return [convention](const PositionSample& target) {
        return test::center_numbers(target, CoordinateConverter(convention, target.image));
    };
}

/// The only file in the folder of calibrations.
std::filesystem::path saved(const test::Workspace& workspace) {
    const std::filesystem::path folder = workspace.trust_file().parent_path() / "calibrations";
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    REQUIRE(files.size() == 1);
    return files.front();
}

} // namespace

TEST_CASE("calibrate measures the numbers of a model and stores them") {
    const test::Workspace workspace;
    ChatServer server(seeing(clicking(CoordinateConvention::image_pixels)));
    const auto result = workspace.agent_cli(
        {"calibrate", "--endpoint", server.url(), "--model", "tiny", "--image-out", "shown.png"});
    INFO(result.err << result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("model      tiny\n"));
    CHECK_THAT(result.out, ContainsSubstring("image_pixels: pixels of the image; the prompts asked "
                                             "for norm1000"));
    CHECK_THAT(result.out, ContainsSubstring("8 px         5 of 5    100 %   57 to 100 %"));
    CHECK_THAT(result.out, ContainsSubstring("up to 16    15 of 15   100 %   80 to 100 %"));
    CHECK_THAT(result.out,
               ContainsSubstring("40: 40 with a position, 40 follow the schema, 40 with "
                                 "one call, 40 in the convention"));
    CHECK_THAT(result.out, ContainsSubstring("30 of 30 positions in the convention up to turn 10 "
                                             "of a conversation, 10 of 10 later\n"));
    CHECK_THAT(result.out, !ContainsSubstring("warning") && !ContainsSubstring("remedy"));
    CHECK_THAT(result.err, ContainsSubstring("tiny: 40 requests to http://127.0.0.1:"));
    CHECK_THAT(result.err, ContainsSubstring("30 of 40 requests, about "));
    const std::filesystem::path file = saved(workspace);
    CHECK_THAT(result.out, ContainsSubstring(file.filename().string()));
    const Calibration calibration =
        session::calibration_from_json(test::read_file(file), file.string());
    CHECK(calibration.fit.form == session::PositionForm{CoordinateConvention::image_pixels});
    CHECK(calibration.model == "tiny");
    CHECK(calibration.time > 1700000000);
    CHECK(calibration.median_seconds > 0);
    CHECK(session::load_calibration(file.parent_path(), calibration.endpoint, "tiny"));
    const std::string png = test::read_file(workspace.folder / "shown.png");
    CHECK(
        winio::decode_png(std::span(reinterpret_cast<const std::uint8_t*>(png.data()), png.size()))
            .width() == 1920);
}

TEST_CASE("calibrate sends the test screens in the format that a run would send") {
    const test::Workspace workspace;
    ChatServer server({.respond = [](const ReceivedRequest&) -> Answer {
        return {.body = completion("It is at the top.")};
    }});
    const auto result =
        workspace.agent_cli({"calibrate", "--endpoint", server.url(), "--model", "tiny",
                             "--requests", "8", "--image-format", "jpeg", "--image-quality", "60"});
    INFO(result.err << result.out);
    CHECK(result.status == 1); // no grounding
    for (const ReceivedRequest& request : server.requests())
        if (request.method == "POST")
            CHECK_THAT(request.body, ContainsSubstring("data:image/jpeg;base64,/9j/"));
}

TEST_CASE("calibrate compares hits with and without refinement") {
    const test::Workspace workspace;
    // It hits small targets on a whole screen, and misses them in enlarged parts.
    const auto sees = seeing(clicking(CoordinateConvention::norm1000)).respond;
    ChatServer server({.respond = [&](const ReceivedRequest& request) -> Answer {
        try {
            return sees(request);
        } catch (const std::runtime_error&) { // not a whole screen
            return {.body = completion("", "click_element", R"({"label":"it","box":[10,10]})")};
        }
    }});
    const auto result = workspace.agent_cli(
        {"calibrate", "--refine", "--endpoint", server.url(), "--model", "tiny"});
    INFO(result.err << result.out);
    CHECK_THAT(result.out, ContainsSubstring("refined    hits        rate   95 % confidence\n"));
    for (const char* row : {"8 px         5 of 5    100 %   57 to 100 %   without\n",
                            "12 px        5 of 5    100 %   57 to 100 %   without\n",
                            "12 px        0 of 5      0 %   0 to 43 %   with --refine on\n",
                            "12 px        0 of 5      0 %   0 to 43 %   with --refine small\n"})
        CHECK_THAT(result.out, ContainsSubstring(row));
    CHECK_THAT(result.out, ContainsSubstring("10 more requests, ") &&
                               ContainsSubstring(" s per click (median)"));
    CHECK_THAT(result.err, ContainsSubstring("tiny: at most "));
}

TEST_CASE("calibrate prints JSON, and a bias of the model is corrected") {
    const test::Workspace workspace;
    ChatServer server(seeing([](const PositionSample& target) {
        auto at = clicking(CoordinateConvention::norm1000)(target);
        at[0] = std::min(1000.0, at[0] + 20);
        return at;
    }));
    const auto result =
        workspace.agent_cli({"calibrate", "--json", "--endpoint", server.url(), "--model", "tiny",
                             "--requests", "24", "--coordinates", "norm999"});
    INFO(result.err << result.out);
    CHECK(result.status == 0);
    const Calibration calibration = session::calibration_from_json(result.out, "output");
    CHECK(calibration.stated == CoordinateConvention::norm999);
    CHECK(calibration.requests == 24);
    CHECK(std::abs(calibration.fit.correction.offset_x + 20) < 3);
    CHECK_THAT(result.err, ContainsSubstring("saved: "));
    CHECK(test::read_file(saved(workspace)) == result.out);
}

TEST_CASE("calibrate fails for a model that does not point at targets") {
    const test::Workspace workspace;
    ChatServer blind(seeing([](const PositionSample&) { return std::array{500.0, 500.0}; }));
    const auto result = workspace.agent_cli(
        {"calibrate", "--endpoint", blind.url(), "--model", "tiny", "--requests", "8"});
    INFO(result.err << result.out);
    CHECK(result.status == 1);
    CHECK_THAT(result.out, ContainsSubstring("no grounding"));
    CHECK_THAT(result.out, ContainsSubstring("warning    the model does not ground: its positions "
                                             "do not depend on the targets"));
    CHECK_THAT(result.out, ContainsSubstring("remedy     another --dialect"));
    CHECK_THAT(result.out, ContainsSubstring("remedy     a model of a family"));
    CHECK_THAT(result.out, ContainsSubstring("remedy     tasks for the keyboard"));
    CHECK(!session::calibration_from_json(test::read_file(saved(workspace)), "").fit.grounds);

    const test::Workspace other;
    ChatServer talking({.respond = [](const ReceivedRequest&) -> Answer {
        return {.body = completion("It is at the top.")};
    }});
    const auto talk = other.agent_cli(
        {"calibrate", "--endpoint", talking.url(), "--model", "tiny", "--requests", "8"});
    CHECK(talk.status == 1);
    CHECK_THAT(talk.out, ContainsSubstring("no reply has a position"));
}

TEST_CASE("calibrate measures the only model of the server") {
    const test::Workspace workspace;
    auto options = seeing(clicking(CoordinateConvention::norm1000));
    options.respond = [chat = options.respond](const ReceivedRequest& request) -> Answer {
        if (request.method == "POST") return chat(request);
        if (request.target == "/v1/models") return {.body = R"({"data":[{"id":"only"}]})"};
        return {.status = 404};
    };
    ChatServer server(options);
    const auto result = workspace.agent_cli(
        {"calibrate", "--endpoint", server.url(), "--requests", "8"}, {{"EYEHAND_PROBE", "1"}});
    INFO(result.err << result.out);
    CHECK(result.status == 0);
    CHECK_THAT(result.out, ContainsSubstring("model      only\n"));

    // The status depends on whether there is a desktop.
    const auto doctor = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"doctor", "--endpoint", server.url(), "--model"});
        return workspace.agent_cli(arguments).out;
    };
    CHECK_THAT(doctor({"only"}),
               ContainsSubstring("pass  measured  norm1000: 0 to 1000; a click hits 100 % of small "
                                 "targets (44 to 100 %) (calibrated on 20"));
    CHECK_THAT(doctor({"other"}), !ContainsSubstring("measured"));
    Calibration blind = session::calibration_from_json(test::read_file(saved(workspace)), "");
    blind.fit.grounds = false;
    std::ofstream(saved(workspace)) << session::to_json(blind);
    CHECK_THAT(doctor({"only"}),
               ContainsSubstring("note  measured  no grounding (calibrated on 20") &&
                   ContainsSubstring("note  measured  the model does not ground") &&
                   ContainsSubstring("note  remedy    a model of a family"));
    workspace.write(R"({"calibration": "off"})", "settings.json");
    CHECK_THAT(doctor({"only", "--config", "settings.json"}), !ContainsSubstring("measured"));
    std::ofstream(saved(workspace)) << "{}";
    CHECK_THAT(doctor({"only"}), ContainsSubstring("note  measured  "));
}

TEST_CASE("calibrate reports mistakes and failures with their exit codes") {
    const test::Workspace workspace;
    const auto status = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"calibrate", "--model", "tiny"});
        const auto result = workspace.agent_cli(arguments);
        INFO(result.err);
        CHECK(result.status != 0);
        return result.status;
    };
    CHECK(status({"--requests", "7"}) == 2);
    CHECK(status({"--requests", "401"}) == 2);
    CHECK(status({"--dialect", "klingon"}) == 2);
    CHECK(status({"--profile", "story"}) == 2);
    CHECK(status({"--endpoint", "http://127.0.0.1:1", "--retries", "0"}) == 4);
    const auto homeless = workspace.agent_cli(
        {"calibrate"}, {{"XDG_CONFIG_HOME", ""}, {"HOME", ""}, {"APPDATA", ""}});
    CHECK(homeless.status == 2);
    CHECK_THAT(homeless.err, ContainsSubstring("there is no folder for calibrations"));
}
