// agent-cli calibrate with the stand-in model, which reads the drawn screens by OCR: two programs and a socket.
#include "controlled_process.hpp"
#include "process.hpp"

#include "eyehand/agent/dialect.hpp"
#include "eyehand/session/calibration.hpp"

#include "catch.hpp"

using namespace eyehand;
using agent::CoordinateConvention;
using session::Calibration;

namespace {

/// Runs `agent-cli calibrate --json` with a stand-in with these options.
test::ProcessResult calibrate(const std::vector<std::string>& options,
                              const std::string& image_format = "png", int requests = 40,
                              const std::string& asked_for = "auto",
                              const std::string& dialect = "native") {
    const test::Workspace workspace;
    const std::filesystem::path port_file = workspace.folder / "port";
    std::vector<std::string> arguments{"--questions", "--port-file", port_file.string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const test::ControlledProcess stand_in(test::program_folder() / "eyehand-stand-in", arguments);
    REQUIRE(test::eventually([&] {
        std::error_code missing;
        const auto size = std::filesystem::file_size(port_file, missing);
        return !missing && size > 0;
    }));
    std::string port = test::read_file(port_file);
    std::erase(port, '\n');
    return workspace.agent_cli({"calibrate", "--json", "--model", "stand-in", "--image-format",
                                image_format, "--requests", std::to_string(requests),
                                "--coordinates", asked_for, "--dialect", dialect, "--endpoint",
                                "http://127.0.0.1:" + port});
}

Calibration calibration_in(const test::ProcessResult& result, int requests = 40) {
    INFO(result.err << result.out);
    Calibration calibration = session::calibration_from_json(result.out, "output");
    // It finds a quarter of the targets, and takes a screenshot for the others.
    CHECK(calibration.requests == requests);
    CHECK(calibration.single_calls == requests);
    CHECK(calibration.with_position >= requests / 4);
    CHECK(calibration.valid_calls == calibration.with_position);
    return calibration;
}

} // namespace

TEST_CASE("calibrate recognizes the numbers of the stand-in in spite of noise") {
    // Noise of 1 %. The numbers of norm999 and norm1000 differ by 0.1 %, so that the prompts decide. To tell pixels
    // of the image from those of a model's processor, more than 10 answers are needed.
    const auto [convention, asked_for, image_format, requests] =
        GENERATE(table<CoordinateConvention, std::string, std::string, int>({
            {CoordinateConvention::norm1000, "auto", "png", 40},
            {CoordinateConvention::norm999, "norm999", "png", 40},
            {CoordinateConvention::norm1000_yx, "auto", "jpeg", 40},
            {CoordinateConvention::unit, "auto", "png", 40},
            {CoordinateConvention::percent, "auto", "png", 40},
            {CoordinateConvention::image_pixels, "auto", "png", 80},
            {CoordinateConvention::model_pixels_28, "auto", "png", 80},
            {CoordinateConvention::model_pixels_32, "auto", "png", 80},
        }));
    const std::string word(to_string(convention));
    INFO(word);
    const auto result =
        calibrate({"--coordinates", word, "--noise", "10"}, image_format, requests, asked_for);
    CHECK(result.status == 0);
    const Calibration calibration = calibration_in(result, requests);
    CHECK(calibration.fit.form == session::PositionForm{convention});
    CHECK(calibration.fit.residual < 15);
    CHECK(calibration.keeps_convention() != false);
}

TEST_CASE("calibrate recognizes the numbers of the stand-in in each dialect") {
    const std::string word = GENERATE(from_range(agent::dialect_words()));
    INFO(word);
    const auto result = calibrate({"--coordinates", "unit", "--noise", "10", "--dialect", word},
                                  "png", 40, "auto", word);
    CHECK(result.status == 0);
    const Calibration calibration = calibration_in(result);
    CHECK(to_string(calibration.dialect) == word);
    CHECK(calibration.fit.form == session::PositionForm{CoordinateConvention::unit});
}

TEST_CASE("calibrate recovers a bias of the stand-in") {
    const auto result = calibrate({"--coordinates", "unit", "--bias", "20,-20", "--noise", "3"});
    CHECK(result.status == 0);
    const Calibration calibration = calibration_in(result);
    CHECK(calibration.fit.form == session::PositionForm{CoordinateConvention::unit});
    // In the middle of the image, because a factor changes the offset, too.
    const agent::Correction& by = calibration.fit.correction;
    CHECK_THAT(by.scale_x * 520 + by.offset_x, Catch::Matchers::WithinAbs(500, 3));
    CHECK_THAT(by.scale_y * 480 + by.offset_y, Catch::Matchers::WithinAbs(500, 3));
}

TEST_CASE("calibrate reports no grounding for a stand-in with random positions") {
    const auto result = calibrate({"--noise", "3000"});
    CHECK(result.status == 1);
    CHECK(!calibration_in(result).fit.grounds);
}
