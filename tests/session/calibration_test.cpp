// Tests the screens, the fit and the files of calibrations, and calibrations of scripted models.
#include "eyehand/agent/error.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/vlm/digest.hpp"
#include "eyehand/vlm/testing/scripted_model.hpp"
#include "eyehand/winio/png.hpp"

#include "catch.hpp"
#include "known_target.hpp"
#include "temp_folder.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>

using namespace eyehand;
using agent::CoordinateConvention;
using session::Calibration;
using session::PositionFit;
using session::PositionForm;
using session::PositionSample;
using session::ServerResize;
using session::TestQuestion;
using session::TestScreen;

namespace {

constexpr std::array conventions{
    CoordinateConvention::norm1000,        CoordinateConvention::norm999,
    CoordinateConvention::norm1000_yx,     CoordinateConvention::unit,
    CoordinateConvention::percent,         CoordinateConvention::image_pixels,
    CoordinateConvention::model_pixels_28, CoordinateConvention::model_pixels_32,
};

/// The same numbers on every system.
class Noise {
public:
    explicit Noise(unsigned seed) : state_(seed) {}
    double uniform() {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(state_ >> 11U) / static_cast<double>(std::uint64_t{1} << 53U);
    }
    /// Of the standard normal distribution (Box and Muller).
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::uint64_t state_;
};

/// A model that finds all targets.
struct Pointer {
    PositionForm form{};
    double noise = 0; ///< standard deviation of each axis, in 1/1000 of the image
    double shift_x = 0;
    double shift_y = 0;
    double scale_x = 1;
    double scale_y = 1;
    bool boxes = false;
    double wrong = 0; ///< the share of answers that have nothing to do with the target
};

winio::NormPoint center_of(const PositionSample& sample) {
    const winio::Rect& target = sample.target;
    return {(target.x + (target.width - 1) / 2.0) * 1000 / (sample.image.width - 1),
            (target.y + (target.height - 1) / 2.0) * 1000 / (sample.image.height - 1)};
}

std::vector<double> numbers_of(const PositionSample& sample, const Pointer& pointer, Noise& noise) {
    const PositionForm& form = pointer.form;
    const agent::CoordinateConverter numbers(form.convention,
                                             session::shrunk_size(sample.image, form.resize));
    winio::NormPoint at = center_of(sample);
    if (noise.uniform() < pointer.wrong) at = {noise.uniform() * 1000, noise.uniform() * 1000};
    at.x = pointer.scale_x * at.x + pointer.shift_x + pointer.noise * noise.normal();
    at.y = pointer.scale_y * at.y + pointer.shift_y + pointer.noise * noise.normal();
    auto list = numbers.to_list(at);
    if (form.swapped) std::swap(list[0], list[1]);
    if (!pointer.boxes) return {list[0], list[1]};
    const double half = numbers.max_point().x / 100;
    return {list[0] - half, list[1] - half, list[0] + half, list[1] + half};
}

const std::vector<PositionSample>& targets() {
    static const std::vector<PositionSample> all = [] {
        std::vector<PositionSample> samples;
        std::map<int, TestScreen> screens;
        for (const TestQuestion& question : session::test_questions(40)) {
            if (!screens.contains(question.screen))
                screens.emplace(question.screen, session::test_screen(question.screen));
            const TestScreen& screen = screens.at(question.screen);
            samples.push_back({screen.image.size(), screen.targets[question.target].bounds, {}});
        }
        return samples;
    }();
    return all;
}

std::vector<PositionSample> samples_of(const Pointer& pointer, unsigned seed = 1) {
    std::vector<PositionSample> samples = targets();
    Noise noise(seed);
    for (PositionSample& sample : samples) sample.numbers = numbers_of(sample, pointer, noise);
    return samples;
}

} // namespace

// --- Screens -------------------------------------------------------------------------------------

TEST_CASE("calibration: a screen has the same pixels on every system") {
    const auto hash = [](int index) {
        const TestScreen screen = session::test_screen(index);
        const winio::Image& image = screen.image;
        const std::size_t bytes = image.stride() * static_cast<std::size_t>(image.height());
        return vlm::sha256_hex(std::span(image.data(), bytes)).substr(0, 16);
    };
    CHECK(hash(0) == "34af0c59183516e1");
    CHECK(hash(1) == "534f19442ba8d910");
    CHECK(hash(2) == "aa6fc5df07df93bb");
    CHECK(hash(9) == "8adebc861432aacc");
    CHECK_THROWS_AS(session::test_screen(-1), std::invalid_argument);
}

TEST_CASE("calibration: the targets of a screen have all sizes, own places and own descriptions") {
    for (int index = 0; index < 30; ++index) {
        INFO(index);
        const TestScreen screen = session::test_screen(index);
        const winio::Rect image{0, 0, screen.image.width(), screen.image.height()};
        REQUIRE(screen.targets.size() == session::target_sizes.size());
        std::set<std::string> descriptions;
        for (std::size_t i = 0; i < screen.targets.size(); ++i) {
            const session::Target& target = screen.targets[i];
            CHECK(target.size == session::target_sizes[i]);
            CHECK(std::min(target.bounds.width, target.bounds.height) == target.size);
            CHECK(winio::intersection(target.bounds, image) == target.bounds);
            CHECK(descriptions.insert(target.description).second);
            for (std::size_t k = 0; k < i; ++k)
                CHECK(winio::intersection(target.bounds, screen.targets[k].bounds).empty());
        }
    }
}

TEST_CASE("calibration: the screens vary in size, theme, language, kinds and places") {
    std::set<std::pair<int, int>> sizes;
    std::set<std::string> languages;
    std::set<bool> themes;
    std::set<session::TargetKind> kinds;
    bool corners = false;
    for (int index = 0; index < 5; ++index) {
        const TestScreen screen = session::test_screen(index);
        sizes.emplace(screen.image.width(), screen.image.height());
        languages.insert(screen.language);
        themes.insert(screen.dark);
        for (const session::Target& target : screen.targets) {
            kinds.insert(target.kind);
            corners = corners || (target.bounds.x < 10 && target.bounds.y < 10);
        }
    }
    CHECK(sizes.size() == 5);
    CHECK(languages == std::set<std::string>{"de", "en", "es"});
    CHECK(themes.size() == 2);
    CHECK(kinds.size() == 5);
    CHECK(corners);
}

TEST_CASE("calibration: half of the questions, at most 20, are one conversation on one size") {
    for (const int requests : {8, 40, 41, 400}) {
        INFO(requests);
        const auto questions = session::test_questions(requests);
        REQUIRE(questions.size() == static_cast<std::size_t>(requests));
        std::set<std::pair<int, std::size_t>> all;
        std::set<std::pair<int, int>> sizes; // of the conversation
        for (std::size_t i = 0; i < questions.size(); ++i) {
            const TestQuestion& question = questions[i];
            CHECK(question.target == (i == 0 ? 0 : (questions[i - 1].target + 1) % 8));
            all.emplace(question.screen, question.target);
            if (!question.continues) continue;
            for (const TestQuestion& one : {questions[i - 1], question}) {
                const winio::Image image = session::test_screen(one.screen).image;
                sizes.emplace(image.width(), image.height());
            }
        }
        CHECK(std::ranges::count_if(questions, &TestQuestion::continues) ==
              std::min(20, requests / 2) - 1);
        CHECK(sizes == std::set<std::pair<int, int>>{{1366, 768}});
        if (requests <= 41) CHECK(all.size() == questions.size());
    }
    CHECK_THROWS_AS(session::test_questions(7), std::invalid_argument);
    CHECK_THROWS_AS(session::test_questions(401), std::invalid_argument);
}

// --- The fit -------------------------------------------------------------------------------------

TEST_CASE("calibration: each convention is recognized from exact positions") {
    for (const CoordinateConvention convention : conventions) {
        INFO(to_string(convention));
        const PositionFit fit = session::fit_positions(samples_of({.form = {convention}}));
        CHECK(fit.grounds);
        CHECK(fit.form == PositionForm{convention});
        CHECK(fit.residual < 1);
        CHECK(fit.correction == agent::Correction{});
    }
}

TEST_CASE("calibration: each convention is recognized from positions with 1 % noise") {
    for (const CoordinateConvention convention : conventions) {
        // 999 and 1000 do not differ then: the convention in the prompts counts.
        const CoordinateConvention stated = convention == CoordinateConvention::norm999
                                                ? CoordinateConvention::norm999
                                                : CoordinateConvention::norm1000;
        for (unsigned seed = 1; seed <= 5; ++seed) {
            INFO(to_string(convention) << ", seed " << seed);
            const PositionFit fit = session::fit_positions(
                samples_of({.form = {convention}, .noise = 10}, seed), {.stated = stated});
            CHECK(fit.grounds);
            CHECK(fit.form == PositionForm{convention});
            CHECK(fit.residual < 25);
            CHECK(fit.correction == agent::Correction{});
        }
    }
}

TEST_CASE("calibration: the convention in the prompts wins a tie") {
    const auto samples = samples_of({.noise = 10});
    CHECK(session::fit_positions(samples, {.stated = CoordinateConvention::norm999}).form ==
          PositionForm{CoordinateConvention::norm999});
}

TEST_CASE("calibration: boxes count by their center") {
    const PositionFit fit = session::fit_positions(
        samples_of({.form = {CoordinateConvention::norm1000_yx}, .boxes = true}));
    CHECK(fit.form == PositionForm{CoordinateConvention::norm1000_yx});
    CHECK(fit.residual < 1);
}

TEST_CASE("calibration: swapped axes are recognized") {
    for (const CoordinateConvention convention :
         {CoordinateConvention::image_pixels, CoordinateConvention::unit,
          CoordinateConvention::model_pixels_28}) {
        INFO(to_string(convention));
        const PositionForm form{convention, true};
        const PositionFit fit = session::fit_positions(samples_of({.form = form, .noise = 3}));
        CHECK(fit.grounds);
        CHECK(fit.form == form);
        CHECK(!fit.form.usable());
    }
}

TEST_CASE("calibration: images that the server has shrunk are recognized") {
    for (const ServerResize resize : {ServerResize::long_side_1024, ServerResize::long_side_1568,
                                      ServerResize::short_side_768}) {
        INFO(to_string(resize));
        const PositionForm form{CoordinateConvention::image_pixels, false, resize};
        const PositionFit fit = session::fit_positions(samples_of({.form = form, .noise = 3}));
        CHECK(fit.grounds);
        CHECK(fit.form == form);
    }
    CHECK(session::shrunk_size({1920, 1080}, ServerResize::long_side_1024) ==
          winio::Size{1024, 576});
    CHECK(session::shrunk_size({720, 1280}, ServerResize::short_side_768) ==
          winio::Size{720, 1280});
}

TEST_CASE("calibration: a systematic error is corrected") {
    const PositionFit shifted =
        session::fit_positions(samples_of({.noise = 5, .shift_x = 20, .wrong = 0.1}));
    CHECK(shifted.grounds);
    CHECK_THAT(shifted.correction.offset_x, Catch::Matchers::WithinAbs(-20, 3));
    CHECK_THAT(shifted.correction.offset_y, Catch::Matchers::WithinAbs(0, 3));
    CHECK(shifted.correction.scale_x == 1);
    CHECK(shifted.residual < shifted.uncorrected_residual * 0.7);

    const PositionFit scaled =
        session::fit_positions(samples_of({.noise = 5, .shift_x = 10, .scale_x = 0.9}));
    CHECK_THAT(scaled.correction.scale_x, Catch::Matchers::WithinAbs(1 / 0.9, 0.02));
    CHECK_THAT(scaled.correction.offset_x, Catch::Matchers::WithinAbs(-10 / 0.9, 6));
    CHECK(scaled.residual < scaled.uncorrected_residual * 0.5);
}

TEST_CASE("calibration: a systematic error does not hide the convention") {
    struct Error {
        const char* name;
        Pointer pointer;
    };
    const std::vector<Error> errors{
        {"2 % too large", {.scale_x = 1.02, .scale_y = 1.02}},
        {"2 % too small", {.scale_x = 0.98, .scale_y = 0.98}},
        {"2 % on one axis", {.scale_x = 1.02}},
        {"shifted by 20", {.shift_x = 20, .shift_y = 20}},
        {"shifted by -20", {.shift_x = -20, .shift_y = -20}},
        {"shifted and scaled", {.shift_x = 20, .scale_x = 0.98, .scale_y = 0.98}},
    };
    for (const CoordinateConvention convention : conventions) {
        const CoordinateConvention stated = convention == CoordinateConvention::norm999
                                                ? CoordinateConvention::norm999
                                                : CoordinateConvention::norm1000;
        for (const Error& error : errors) {
            for (const double noise : {0.0, 3.0}) {
                INFO(to_string(convention) << ", " << error.name << ", noise " << noise);
                Pointer pointer = error.pointer;
                pointer.form = {convention};
                pointer.noise = noise;
                pointer.wrong = noise > 0 ? 0.1 : 0;
                const PositionFit fit =
                    session::fit_positions(samples_of(pointer), {.stated = stated});
                CHECK(fit.grounds);
                CHECK(fit.form == PositionForm{convention});
                CHECK(fit.residual < (noise > 0 ? 8 : 1.5));
                // Positions at the edge of the image are clamped.
                const double x = 500 * pointer.scale_x + pointer.shift_x;
                CHECK_THAT(fit.correction.scale_x * x + fit.correction.offset_x,
                           Catch::Matchers::WithinAbs(500, 3));
            }
        }
    }
}

TEST_CASE("calibration: noise of 1 % and a shift of 20 leave the convention recognizable") {
    for (const CoordinateConvention convention : conventions) {
        const CoordinateConvention stated = convention == CoordinateConvention::norm999
                                                ? CoordinateConvention::norm999
                                                : CoordinateConvention::norm1000;
        for (unsigned seed = 1; seed <= 5; ++seed) {
            INFO(to_string(convention) << ", seed " << seed);
            const PositionFit fit = session::fit_positions(
                samples_of({.form = {convention}, .noise = 10, .shift_x = 20}, seed),
                {.stated = stated});
            CHECK(fit.form == PositionForm{convention});
            CHECK_THAT(fit.correction.scale_x * 520 + fit.correction.offset_x,
                       Catch::Matchers::WithinAbs(500, 8));
        }
    }
}

TEST_CASE("calibration: noise is not corrected") {
    int corrected = 0;
    for (unsigned seed = 1; seed <= 50; ++seed) {
        const auto fit = session::fit_positions(samples_of({.noise = 15, .wrong = 0.2}, seed));
        CHECK(fit.grounds);
        if (fit.correction != agent::Correction{}) ++corrected;
    }
    CHECK(corrected <= 2);
}

TEST_CASE("calibration: answers that do not depend on the targets do not count as grounding") {
    int grounded = 0;
    for (unsigned seed = 1; seed <= 50; ++seed)
        if (session::fit_positions(samples_of({.wrong = 1.1}, seed)).grounds) ++grounded;
    CHECK(grounded <= 1);

    std::vector<PositionSample> samples = targets();
    for (PositionSample& sample : samples) sample.numbers = {500, 500};
    CHECK(!session::fit_positions(samples).grounds);
    CHECK(!session::fit_positions({}).grounds);

    std::vector<PositionSample> few = samples_of({});
    few.resize(5);
    CHECK(!session::fit_positions(few).grounds);
}

TEST_CASE("calibration: impossible samples are mistakes of the caller") {
    CHECK_THROWS_AS(session::fit_positions(std::vector<PositionSample>{{{10, 10}, {}, {1}}}),
                    std::invalid_argument);
    CHECK_THROWS_AS(session::fit_positions(std::vector<PositionSample>{{{}, {}, {1, 2}}}),
                    std::invalid_argument);
    std::vector<PositionSample> samples = samples_of({});
    samples[0].numbers = {std::nan(""), 1e300};
    samples[1].numbers = {std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
    CHECK(session::fit_positions(samples).form == PositionForm{CoordinateConvention::norm1000});
}

TEST_CASE("calibration: a position with its correction reaches the target, or not") {
    const PositionSample sample{{1001, 1001}, {100, 200, 10, 10}, {125, 205}};
    CHECK(!session::hits(sample, session::position_of(sample, {})));
    const agent::Correction correction{1, -20, 1, 0};
    CHECK(session::position_of(sample, {}, correction) == winio::NormPoint{105, 205});
    CHECK(session::hits(sample, session::position_of(sample, {}, correction)));
    CHECK(!session::hits(sample, {110, 205}));
}

// --- Results -------------------------------------------------------------------------------------

TEST_CASE("calibration: Wilson's interval has the values of the literature") {
    const session::Interval some = session::wilson_interval(81, 263);
    // Newcombe, Statistics in Medicine 17 (1998), 857-872, table I: 0.2553 to 0.3662.
    CHECK_THAT(some.low, Catch::Matchers::WithinAbs(0.2553, 0.0001));
    CHECK_THAT(some.high, Catch::Matchers::WithinAbs(0.3662, 0.0001));
    CHECK(session::wilson_interval(0, 20).low == 0);
    CHECK_THAT(session::wilson_interval(0, 20).high, Catch::Matchers::WithinAbs(0.1611, 0.0001));
    CHECK(session::wilson_interval(0, 0).high == 1);
}

namespace {

Calibration example() {
    Calibration all;
    all.endpoint = "http://localhost:1234/v1/chat/completions";
    all.model = "tiny";
    all.version = "1.2.3";
    all.time = 1764150000;
    all.profile = "observer";
    all.dialect = agent::Dialect::ui_tars;
    all.stated = CoordinateConvention::unit;
    all.fit = {.grounds = true,
               .form = {CoordinateConvention::model_pixels_28, true, ServerResize::long_side_1568},
               .correction = {1.01, -20.25, 0.99, 3},
               .residual = 7.125,
               .uncorrected_residual = 21.5,
               .chance_residual = 300};
    all.hit_rates = {{8, 2, 5}, {16, 3, 5}, {24, 5, 5}};
    all.requests = 15;
    all.failed_requests = 1;
    all.with_position = 14;
    all.valid_calls = 13;
    all.single_calls = 12;
    all.in_convention = 11;
    all.early = {9, 10};
    all.late = {2, 4};
    all.other_form = PositionForm{CoordinateConvention::image_pixels};
    all.median_seconds = 1.5;
    all.median_prompt_tokens = 1200;
    return all;
}

} // namespace

TEST_CASE("calibration: JSON restores a result, and unknown members are ignored") {
    const Calibration all = example();
    std::string json = session::to_json(all);
    CHECK(session::calibration_from_json(json, "file") == all);
    const std::size_t brace = json.find('{');
    json.insert(brace + 1, R"("later":{"x":1},)");
    CHECK(session::calibration_from_json(json, "file") == all);
    CHECK(all.small_targets() == session::HitRate{0, 5, 10});
}

TEST_CASE("calibration: a damaged result is refused with the name of its file") {
    const auto problem_of = [](const std::string& json) {
        try {
            (void)session::calibration_from_json(json, "a.json");
        } catch (const agent::Error& error) {
            CHECK(error.code() == agent::errc::bad_config);
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(problem_of("{"), ContainsSubstring("a.json is not a calibration"));
    CHECK_THAT(problem_of("[]"), ContainsSubstring("a.json is not a calibration"));
    CHECK_THAT(problem_of("{}"), ContainsSubstring("\"format\" is missing"));
    CHECK_THAT(problem_of(R"({"format":2})"), ContainsSubstring("calibrate again"));
    const auto problem_with = [&](std::string_view old, std::string_view now) {
        std::string json = session::to_json(example());
        const std::size_t at = json.find(old);
        REQUIRE(at != std::string::npos);
        return problem_of(json.replace(at, old.size(), now));
    };
    CHECK_THAT(problem_with("-20.25", "-9999"),
               ContainsSubstring("\"offset_x\" must be from -500 to 500"));
    CHECK_THAT(problem_with("\"http://localhost", "\"?http://localhost"),
               ContainsSubstring("\"endpoint\" is only a query"));
    // Without a size, what is written could not be read again.
    CHECK_THAT(problem_with(R"("size":)", R"("Bize":)"),
               ContainsSubstring("a.json: hit_rates[0]: \"size\" is missing"));
}

TEST_CASE("calibration: the file belongs to one model on one endpoint") {
    const Calibration all = example();
    const std::string name = session::calibration_file(all.endpoint, all.model);
    CHECK(name == session::calibration_file(all.endpoint + "?key=1", all.model));
    CHECK(name != session::calibration_file(all.endpoint, "other"));
    CHECK(name != session::calibration_file("http://other", all.model));
    const test::TempFolder folder;
    CHECK(!session::load_calibration(folder.path(), all.endpoint, all.model));
    std::ofstream(folder / name) << session::to_json(all);
    CHECK(session::load_calibration(folder.path(), all.endpoint, all.model) == all);
    std::filesystem::rename(folder / name,
                            folder / session::calibration_file(all.endpoint, "other"));
    CHECK(!session::load_calibration(folder.path(), all.endpoint, "other"));
}

// --- Calibrations --------------------------------------------------------------------------------

namespace {

/// Answers each request with the target that it asks for.
class SeeingModel final : public vlm::ChatModel {
public:
    using Answer = std::function<vlm::ChatReply(const PositionSample&, int request)>;
    explicit SeeingModel(Answer answer) : answer_(std::move(answer)) {}

    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                         std::stop_token) override {
        requests.push_back(request);
        std::string text;
        const vlm::Image* image = nullptr;
        turn = 1;
        for (const vlm::Message& message : request.messages) {
            if (message.role == vlm::Role::assistant) ++turn;
            if (message.role == vlm::Role::user) text += message.text();
            for (const vlm::Part& part : message.parts)
                if (const auto* one = std::get_if<vlm::Image>(&part)) image = one;
        }
        if (image == nullptr) throw std::logic_error("the request has no image");
        const auto shown = std::ranges::find_if(
            test::known_screens(), [&](const auto& one) { return one.png == *image->bytes; });
        return answer_(test::known_target(text, *shown).value(), static_cast<int>(requests.size()));
    }
    std::vector<vlm::ChatRequest> requests;
    int turn = 0; ///< of the conversation: the latest request has the turns before

private:
    Answer answer_;
};

vlm::ChatReply click(const std::array<double, 2>& at) {
    using agent::CoordinateConverter;
    vlm::ChatReply reply;
    reply.tool_calls.push_back({.id = "1",
                                .name = "click_element",
                                .arguments_json = R"({"label":"it","box":[)" +
                                                  CoordinateConverter::text(at[0]) + "," +
                                                  CoordinateConverter::text(at[1]) + "]}"});
    reply.usage = {.prompt_tokens = 1000, .completion_tokens = 30};
    return reply;
}

session::CalibrationOptions observer(const char* model = "tiny") {
    session::CalibrationOptions options{.profile = agent::load_profile("observer")};
    options.profile.model = model;
    return options;
}

/// Clicks on the target in its own convention, whatever the prompts say.
SeeingModel::Answer clicking(CoordinateConvention convention) {
    return [convention](const PositionSample& sample, int) {
        return click(
            test::center_numbers(sample, agent::CoordinateConverter(convention, sample.image)));
    };
}

} // namespace

TEST_CASE("calibrate: a model that hits all targets") {
    SeeingModel model(clicking(CoordinateConvention::norm1000));
    session::CalibrationOptions options = observer();
    int answers = 0;
    options.on_answer = [&](const session::CalibrationAnswer& answer, int done) {
        CHECK(++answers == done);
        CHECK(answer.sample.numbers.size() == 2);
    };
    const session::CalibrationRun run = session::calibrate(model, options);
    const Calibration& result = run.calibration;
    CHECK(answers == 40);
    CHECK(result.model == "tiny");
    CHECK(result.profile == "observer");
    CHECK(result.fit.grounds);
    CHECK(result.fit.form == PositionForm{CoordinateConvention::norm1000});
    CHECK(result.requests == 40);
    CHECK(result.with_position == 40);
    CHECK(result.valid_calls == 40);
    CHECK(result.single_calls == 40);
    CHECK(result.in_convention == 40);
    CHECK(result.median_prompt_tokens == 1000);
    CHECK(result.median_completion_tokens == 30);
    CHECK(result.small_targets() == session::HitRate{0, 15, 15});
    REQUIRE(result.hit_rates.size() == session::target_sizes.size());
    CHECK(result.hit_rates[7] == session::HitRate{96, 5, 5});
    // The requests are those of an agent.
    const vlm::ChatRequest& request = model.requests.front();
    CHECK(request.model == "tiny");
    CHECK(request.messages.front().role == vlm::Role::system);
    CHECK(request.tools.size() == 5);
}

namespace {

/// Positions are in norm1000 up to a turn, and then in pixels.
Calibration drifting_after(int turns) {
    SeeingModel* self = nullptr;
    SeeingModel model([&](const PositionSample& sample, int request) {
        const bool drifts = self->turn > turns;
        return clicking(drifts ? CoordinateConvention::image_pixels
                               : CoordinateConvention::norm1000)(sample, request);
    });
    self = &model;
    return session::calibrate(model, observer()).calibration;
}

} // namespace

TEST_CASE("calibrate: a model that leaves its convention in a long conversation is recognized") {
    const Calibration steady = drifting_after(20);
    CHECK(steady.early == session::ConventionShare{30, 30});
    CHECK(steady.late == session::ConventionShare{10, 10});
    CHECK(steady.keeps_convention() == true);
    CHECK(!steady.other_form);
    CHECK(session::warnings(steady).empty());
    for (const int turns : {1, 5, 10, 16}) {
        INFO(turns);
        const Calibration drifted = drifting_after(turns);
        CHECK(drifted.fit.form == PositionForm{CoordinateConvention::norm1000});
        CHECK(drifted.keeps_convention() == false);
        // Where both conventions mean about the same place, a position is in either.
        const int early = 20 + std::min(turns, 10);
        const int late = std::max(turns - 10, 0);
        CHECK(drifted.early.in_convention >= early);
        CHECK(drifted.early.in_convention <= early + 1);
        CHECK(drifted.late.in_convention >= late);
        CHECK(drifted.late.in_convention <= late + 1);
        if (turns <= 10)
            CHECK(drifted.other_form == PositionForm{CoordinateConvention::image_pixels});
        const std::vector<std::string> warnings = session::warnings(drifted);
        CHECK_THAT(warnings.back(), ContainsSubstring("does not keep to one convention"));
    }
}

TEST_CASE("calibrate: inexact and wrong positions are not another convention") {
    Noise noise(3);
    SeeingModel model([&](const PositionSample& sample, int) {
        const auto numbers = numbers_of(sample, {.noise = 10, .wrong = 0.1}, noise);
        return click({std::clamp(numbers[0], 0.0, 1000.0), std::clamp(numbers[1], 0.0, 1000.0)});
    });
    const Calibration result = session::calibrate(model, observer()).calibration;
    CHECK(result.keeps_convention() == true);
    CHECK(!result.other_form);
}

TEST_CASE("calibrate: the conversation grows as in a run, and each question has its screen") {
    SeeingModel model(clicking(CoordinateConvention::norm1000));
    const session::CalibrationRun run = session::calibrate(model, observer());
    for (int i = 0; i < 40; ++i) {
        const vlm::ChatRequest& request = model.requests[static_cast<std::size_t>(i)];
        const auto answers =
            std::ranges::count(request.messages, vlm::Role::assistant, &vlm::Message::role);
        CHECK(answers == std::max(0, i - 20));
        CHECK(run.answers[static_cast<std::size_t>(i)].turn == answers + 1);
    }
    const std::vector<vlm::Message>& last = model.requests.back().messages;
    REQUIRE(last.size() > 4);
    CHECK_THAT(last[last.size() - 1].text(), ContainsSubstring("The user says: Click on the "));
    CHECK_THAT(last[last.size() - 2].text(), ContainsSubstring("The current screen:"));
    CHECK(last[last.size() - 3].role == vlm::Role::tool);
    CHECK(last[last.size() - 4].role == vlm::Role::assistant);
}

TEST_CASE("calibrate: a reply without an action ends the conversation, and another one begins") {
    SeeingModel* self = nullptr;
    SeeingModel model([&](const PositionSample& sample, int request) {
        if (self->turn == 8) return vlm::ChatReply{.text = "It is on the left."};
        return clicking(CoordinateConvention::norm1000)(sample, request);
    });
    self = &model;
    const session::CalibrationRun run = session::calibrate(model, observer());
    std::vector<int> turns;
    for (std::size_t i = 20; i < 40; ++i) turns.push_back(run.answers[i].turn);
    CHECK(turns == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4});
    CHECK(run.calibration.late.total == 0);
    CHECK(!run.calibration.keeps_convention());
}

TEST_CASE("calibration: warnings name what users should know") {
    Calibration all = example();
    all.fit.form = {CoordinateConvention::norm1000};
    all.hit_rates = {{8, 4, 5}, {16, 5, 5}};
    all.early = {10, 10};
    all.late = {10, 10};
    CHECK(session::warnings(all).empty());
    all.hit_rates = {{8, 2, 5}, {16, 5, 5}};
    REQUIRE(session::warnings(all).size() == 1);
    CHECK(session::warnings(all)[0] == "70 % of clicks on small targets (up to 16 pixels) are "
                                       "expected to hit (40 to 89 %)");
    all.fit.form.swapped = true;
    all.late = {7, 10};
    const std::vector<std::string> three = session::warnings(all);
    REQUIRE(three.size() == 3);
    CHECK_THAT(three[0], ContainsSubstring("do not support positions in this form"));
    CHECK_THAT(three[2], ContainsSubstring("10 of 10 positions are in it up to turn 10 of a "
                                           "conversation, 7 of 10 later; others are image_pixels"));
    all.fit.grounds = false;
    REQUIRE(session::warnings(all).size() == 1);
    CHECK_THAT(session::warnings(all)[0], ContainsSubstring("(14 of 15 replies)"));
    all.with_position = 0;
    CHECK_THAT(session::warnings(all)[0], ContainsSubstring("no reply has a position"));
}

TEST_CASE("calibration: the alternatives to a model are what a run offers") {
    using agent::Dialect;
    const auto all = [](const char* model, Dialect dialect) {
        std::string text;
        for (const std::string& one : session::alternatives(model, dialect)) text += one + "\n";
        return text;
    };
    const std::string unknown = all("tiny", Dialect::native);
    CHECK_THAT(unknown, ContainsSubstring("another --dialect") && ContainsSubstring("ui_tars") &&
                            !ContainsSubstring("native"));
    CHECK_THAT(unknown, ContainsSubstring("Qwen3-VL") && !ContainsSubstring("MolmoPoint") &&
                            !ContainsSubstring("Pixtral"));
    CHECK_THAT(all("ui-tars-1.5-7b", Dialect::native),
               ContainsSubstring("--dialect ui_tars, in which UI-TARS 1.5 was trained"));
    CHECK_THAT(all("ui-tars-1.5-7b", Dialect::ui_tars), !ContainsSubstring("--dialect"));
    CHECK_THAT(all("qwen3-vl-8b", Dialect::native), !ContainsSubstring("Qwen3-VL"));
    // The tools that the text names can be added to a run.
    const agent::Toolbox tools = agent::built_in_tools();
    for (const char* tool : {"launch_app", "focus_window", "list_windows"}) {
        CHECK_THAT(unknown, ContainsSubstring(std::string("--with ") + tool));
        CHECK(tools.arguments(tool));
    }
}

TEST_CASE("calibrate: a model with an own convention") {
    SeeingModel model(clicking(CoordinateConvention::model_pixels_28));
    const Calibration result = session::calibrate(model, observer()).calibration;
    CHECK(result.stated == CoordinateConvention::norm1000);
    CHECK(result.fit.form == PositionForm{CoordinateConvention::model_pixels_28});
    CHECK(result.small_targets().hits == 15);
}

TEST_CASE("calibrate: the prompts name the numbers of the model's family") {
    SeeingModel model(clicking(CoordinateConvention::model_pixels_28));
    const Calibration result = session::calibrate(model, observer("qwen2.5-vl-7b")).calibration;
    CHECK(result.stated == CoordinateConvention::model_pixels_28);
    CHECK(result.fit.form == PositionForm{CoordinateConvention::model_pixels_28});
    CHECK_THAT(model.requests.front().tools[1].parameters_json,
               ContainsSubstring("x from 0 to 1371"));
}

TEST_CASE("calibrate: replies without a usable position are misses") {
    SeeingModel model([](const PositionSample& sample, int request) {
        vlm::ChatReply reply = clicking(CoordinateConvention::norm1000)(sample, request);
        if (request % 8 == 1) reply.tool_calls.clear(), reply.text = "It is on the left.";
        if (request % 8 == 2) reply.tool_calls[0].name = "observe_screen";
        if (request % 8 == 3) reply.tool_calls[0].arguments_json = R"({"label":"it"})";
        if (request % 8 == 4) reply.tool_calls[0].arguments_json.insert(0, "{");
        if (request % 8 == 5) reply.tool_calls.push_back(reply.tool_calls[0]);
        return reply;
    });
    const session::CalibrationRun run = session::calibrate(model, observer());
    const Calibration& result = run.calibration;
    CHECK(run.answers[0].problem == "the reply calls no tool");
    CHECK(run.answers[1].problem == "the reply calls observe_screen, which has no target");
    CHECK_THAT(run.answers[2].problem, ContainsSubstring("no position"));
    CHECK_THAT(run.answers[3].problem, ContainsSubstring("no position"));
    CHECK(result.requests == 40);
    CHECK(result.with_position == 20);
    CHECK(result.single_calls == 30);
    CHECK(result.fit.grounds);
    CHECK(result.hit_rates[0] == session::HitRate{8, 0, 5});
    CHECK(result.hit_rates[4] == session::HitRate{32, 5, 5});
}

TEST_CASE("calibrate: a list in quotes is used, but does not follow the schema") {
    SeeingModel model([](const PositionSample& sample, int request) {
        vlm::ChatReply reply = clicking(CoordinateConvention::norm1000)(sample, request);
        std::string& json = reply.tool_calls[0].arguments_json;
        json.insert(json.find('['), "\"");
        json.insert(json.find(']') + 1, "\"");
        return reply;
    });
    const Calibration result = session::calibrate(model, observer()).calibration;
    CHECK(result.with_position == 40);
    CHECK(result.valid_calls == 0);
    CHECK(result.small_targets().hits == 15);
}

TEST_CASE("calibrate: a model with a dialect") {
    using agent::CoordinateConverter;
    const agent::Dialect dialect =
        GENERATE(agent::Dialect::ui_tars, agent::Dialect::qwen_computer_use);
    SeeingModel model([dialect](const PositionSample& sample, int) {
        const auto at = test::center_numbers(
            sample, CoordinateConverter(CoordinateConvention::image_pixels, sample.image));
        const std::string x = CoordinateConverter::text(at[0]);
        const std::string y = CoordinateConverter::text(at[1]);
        vlm::ChatReply reply;
        if (dialect == agent::Dialect::ui_tars)
            reply.text =
                "Thought: I click on it.\nAction: click(start_box='(" + x + "," + y + ")')";
        else
            reply.tool_calls.push_back(
                {.id = "1",
                 .name = "computer_use",
                 .arguments_json =
                     R"({"action":"left_click","coordinate":[)" + x + "," + y + "]}"});
        return reply;
    });
    session::CalibrationOptions options = observer();
    options.profile.dialect = dialect;
    const Calibration result = session::calibrate(model, options).calibration;
    CHECK(result.dialect == dialect);
    CHECK(result.fit.form == PositionForm{CoordinateConvention::image_pixels});
    CHECK(result.with_position == 40);
    CHECK(result.single_calls == 40);
    CHECK(result.valid_calls == 40);
    CHECK(result.small_targets().hits == 15);
}

TEST_CASE("calibrate: single failed requests are left out, several in a row are an error") {
    const auto failing = [](auto fails) {
        return SeeingModel([fails](const PositionSample& sample, int request) {
            if (fails(request)) throw vlm::Error(vlm::errc::server_error, "the server is busy");
            return clicking(CoordinateConvention::norm1000)(sample, request);
        });
    };
    SeeingModel now_and_then = failing([](int request) { return request % 3 == 0; });
    const session::CalibrationRun run = session::calibrate(now_and_then, observer());
    CHECK(run.calibration.requests == 27);
    CHECK(run.calibration.failed_requests == 13);
    CHECK_THAT(run.answers[2].problem, ContainsSubstring("the server is busy"));
    SeeingModel never = failing([](int) { return true; });
    CHECK_THROWS_AS(session::calibrate(never, observer()), vlm::Error);
    CHECK(never.requests.size() == 1);
    SeeingModel at_first = failing([](int request) { return request > 10; });
    CHECK_THROWS_AS(session::calibrate(at_first, observer()), vlm::Error);
    CHECK(at_first.requests.size() == 13);
}

TEST_CASE("calibrate: a reply that the output limit cut off is a miss, not a failed request") {
    SeeingModel model([](const PositionSample& sample, int request) {
        if (request % 2 == 1) throw vlm::Error(vlm::errc::truncated, "cut off");
        return clicking(CoordinateConvention::norm1000)(sample, request);
    });
    const session::CalibrationRun run = session::calibrate(model, observer());
    CHECK(run.calibration.requests == 40);
    CHECK(run.calibration.failed_requests == 0);
    CHECK(run.calibration.with_position == 20);
    CHECK(run.calibration.hit_rates[0] == session::HitRate{8, 0, 5});
}

TEST_CASE("calibrate: only a profile with a conversation has such requests") {
    SeeingModel model(clicking(CoordinateConvention::norm1000));
    session::CalibrationOptions options{.profile = agent::load_profile("story")};
    CHECK_THROWS_AS(session::calibrate(model, options), agent::Error);
    options = observer();
    options.requests = 7;
    CHECK_THROWS_AS(session::calibrate(model, options), std::invalid_argument);
}

TEST_CASE("calibration: the drawing shows hits in green and misses in red") {
    SeeingModel model([](const PositionSample& sample, int request) {
        if (request == 1) return click({500, 500});
        return clicking(CoordinateConvention::norm1000)(sample, request);
    });
    session::CalibrationOptions options = observer();
    options.requests = 8;
    const session::CalibrationRun run = session::calibrate(model, options);
    const winio::Image image = session::draw_answers(run.answers);
    CHECK(image.width() == 1920);
    CHECK(image.height() == 768 + 590 + 1280 + 1080 + 768);
    CHECK(!run.answers[0].hit);
    CHECK(image.at(1365 / 2, 767 / 2).red > image.at(1365 / 2, 767 / 2).green);
    CHECK(run.answers[5].hit); // on the last screen, which is below the others
    const winio::Rect target = run.answers[5].sample.target;
    const winio::Color center =
        image.at(target.x + target.width / 2, image.height() - 768 + target.y + target.height / 2);
    CHECK(center.green > center.red);
}

// --- Refined positions ---------------------------------------------------------------------------

namespace {

/// A simulated model whose answers differ from the center by about 1 % of the image that it gets, and
/// that reports the tokens of Qwen3-VL for the image and one for 4 bytes of text.
class NoisyModel final : public vlm::ChatModel {
public:
    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta&,
                         std::stop_token) override {
        std::string text;
        const vlm::Image* latest = nullptr;
        for (const vlm::Message& message : request.messages) {
            if (message.role == vlm::Role::user) text += message.text();
            for (const vlm::Part& part : message.parts)
                if (const auto* one = std::get_if<vlm::Image>(&part)) latest = one;
        }
        const vlm::Message& question = request.messages.back();
        const winio::Size image = winio::image_file_size(*latest->bytes);
        vlm::ChatReply reply;
        if (question.text().find("Target: target ") == std::string::npos) {
            const auto shown = std::ranges::find_if(test::known_screens(400), [&](const auto& one) {
                return one.png == *latest->bytes;
            });
            Known known{test::known_target(text, *shown).value(),
                        {0, 0, image.width, image.height}};
            const std::string label = "target " + std::to_string(known_.size());
            reply = answer(known, image, label);
            known_.push_back(known);
        } else {
            Known& known = known_.at(number_after(question.text(), "Target: target "));
            known.shown = crop_of(known);
            REQUIRE(image.width % known.shown.width == 0);
            REQUIRE(image.width / known.shown.width == image.height / known.shown.height);
            reply = answer(known, image, "again");
        }
        std::size_t bytes = 0;
        for (const vlm::Message& message : request.messages) bytes += message.text().size();
        for (const vlm::ToolSpec& tool : request.tools)
            bytes += tool.description.size() + tool.parameters_json.size();
        reply.usage = {.prompt_tokens =
                           static_cast<int>(agent::image_tokens(image, agent::qwen3_processor) +
                                            static_cast<std::int64_t>(bytes) / 4),
                       .completion_tokens = 30};
        return reply;
    }

private:
    struct Known {
        PositionSample sample;
        winio::Rect shown{};   ///< by the image
        winio::Point stated{}; ///< pixel of the screen
    };

    static std::size_t number_after(const std::string& text, const std::string& words) {
        return std::stoul(text.substr(text.find(words) + words.size()));
    }
    /// A quarter of the sides, at least 256 pixels, around the stated position.
    static winio::Rect crop_of(const Known& known) {
        const auto side = [](int center, int length) {
            const int size = std::min(std::max(length / 4, 256), length);
            return std::pair(std::clamp(center - size / 2, 0, length - size), size);
        };
        const auto [x, width] = side(known.stated.x, known.sample.image.width);
        const auto [y, height] = side(known.stated.y, known.sample.image.height);
        return {x, y, width, height};
    }
    vlm::ChatReply answer(Known& known, winio::Size image, const std::string& label) {
        const winio::Rect& target = known.sample.target;
        const auto axis = [&](double center, int first, int length) {
            const double share = (center - first) / (length - 1) + 0.01 * noise();
            return std::clamp(std::round(share * 1000), 0.0, 1000.0);
        };
        const std::array at{
            axis(target.x + (target.width - 1) / 2.0, known.shown.x, known.shown.width),
            axis(target.y + (target.height - 1) / 2.0, known.shown.y, known.shown.height)};
        CHECK(!image.empty());
        if (known.stated == winio::Point{})
            known.stated = winio::WorkArea(known.shown).to_pixel({at[0], at[1]});
        vlm::ChatReply reply = click(at);
        std::string& json = reply.tool_calls[0].arguments_json;
        json.replace(json.find("it"), 2, label);
        return reply;
    }
    /// About normal, with a variance of 1: the sum of 12 uniform numbers.
    double noise() {
        double sum = -6;
        for (int i = 0; i < 12; ++i) {
            state_ = state_ * 6364136223846793005U + 1442695040888963407U;
            sum += static_cast<double>(state_ >> 33) / static_cast<double>(1U << 31);
        }
        return sum;
    }

    std::vector<Known> known_;
    std::uint64_t state_ = 1;
};

} // namespace

TEST_CASE("calibrate: refined positions of a model with errors of 1 % of the image") {
    NoisyModel model;
    session::CalibrationOptions options = observer();
    options.requests = 400;
    options.refine = true;
    CHECK(session::max_requests(options) == 500);
    int last = 0;
    options.on_answer = [&](const session::CalibrationAnswer&, int done) { CHECK(done == ++last); };
    const Calibration result = session::calibrate(model, options).calibration;
    CHECK(last == 500);
    REQUIRE(result.fit.grounds);
    REQUIRE(result.refined);
    const session::RefineResult& refined = *result.refined;
    INFO(session::to_json(result));
    REQUIRE(refined.without.size() == 2);
    REQUIRE(refined.with.size() == 2);
    CHECK(refined.requests == 100);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(refined.without[i] == result.hit_rates[i]);
        CHECK(refined.without[i].total == 50);
        CHECK(refined.with[i].total == 50);
        CHECK(refined.with[i].hits >= refined.without[i].hits + 15);
        // `small` refines only near something visible, and these targets lie on a flat area.
        CHECK(refined.with_small[i].total == 50);
        CHECK(refined.with_small[i].hits >= refined.without[i].hits);
        CHECK(refined.with_small[i].hits < refined.with[i].hits);
    }
    CHECK(refined.median_completion_tokens == 30);
    CHECK(*refined.median_prompt_tokens < *result.median_prompt_tokens);
    Calibration stored = result;
    stored.endpoint = "http://localhost:1234/v1/chat/completions"; // agent-cli sets it
    const Calibration read = session::calibration_from_json(session::to_json(stored), "file");
    CHECK(read.refined->without == stored.refined->without);
    CHECK(read.refined->with == stored.refined->with);
    CHECK(read.refined->with_small == stored.refined->with_small);
    CHECK(read.refined->requests == stored.refined->requests);
    CHECK(read.refined->median_prompt_tokens == stored.refined->median_prompt_tokens);
    CHECK(read.refined->median_completion_tokens == stored.refined->median_completion_tokens);
}

TEST_CASE("calibrate: nothing is refined for a model that does not ground") {
    SeeingModel model([](const PositionSample&, int) { return click({500, 500}); });
    session::CalibrationOptions options = observer();
    options.refine = true;
    const Calibration result = session::calibrate(model, options).calibration;
    CHECK_FALSE(result.refined);
    CHECK(model.requests.size() == 40);
}

namespace {

/// Fails from a request on: the requests of the questions come first.
class FailingModel final : public vlm::ChatModel {
public:
    explicit FailingModel(vlm::errc error) : error_(error) {}
    vlm::ChatReply reply(const vlm::ChatRequest& request, const vlm::OnDelta& on_delta,
                         std::stop_token stop) override {
        if (++requests > 42) throw vlm::Error(error_, "tool_choice is not supported");
        return model_.reply(request, on_delta, stop);
    }
    int requests = 0;

private:
    vlm::errc error_;
    NoisyModel model_;
};

} // namespace

TEST_CASE("calibrate: a failure while positions are refined keeps the calibration") {
    for (const vlm::errc error : {vlm::errc::http_status, vlm::errc::cancelled}) {
        FailingModel model(error);
        session::CalibrationOptions options = observer();
        options.refine = true;
        const session::CalibrationRun run = session::calibrate(model, options);
        CHECK(run.answers.size() == 40);
        CHECK(run.calibration.requests == 40);
        CHECK(run.calibration.failed_requests == 0);
        CHECK(run.calibration.fit.grounds);
        CHECK_FALSE(run.calibration.refined);
        CHECK_THAT(run.not_refined, ContainsSubstring("tool_choice is not supported"));
        CHECK(model.requests == (error == vlm::errc::cancelled ? 43 : 45));
    }
}
